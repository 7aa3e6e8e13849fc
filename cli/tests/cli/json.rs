use gaussform_report::record::Document;

use crate::support::gaussform;

fn json(args: &[&str]) -> String {
    gaussform(&[&["inspect", "--format", "json"], args].concat()).output()
}

#[test]
fn what_is_printed_reads_back() {
    for args in [
        &["relu"][..],
        &["leaky_relu", "--wrt", "eps", "--wrt", "gamma"],
        &["|x^3 - x - 1|", "--central", "3"],
        &["relu", "--with", "hard_tanh"],
        &["soft(x; a > 0) = clamp(x / a, -1, 1)", "--limit", "a=0"],
        &["f(x; a, b) = max(x, a) - max(x, b)", "--cases", "--moment", "1"],
        &["sign(x)^2", "--moment", "0"],
        &["relu", "--joint", "hard_tanh"],
        &["leaky_relu", "--joint", "|x^2 - 2|", "--wrt", "cov", "--wrt", "eps"],
    ] {
        let text = json(args);
        let document = Document::parse(&text).expect("of the format");
        let entries = document.read().expect("the same objects");
        for derivation in entries.iter().flat_map(|entry| &entry.results) {
            assert_eq!(derivation.replay(), Ok(()), "{args:?}");
            assert!(derivation.certificates().is_ok(), "{args:?}");
            assert!(derivation.pair_certificates().is_ok(), "{args:?}");
        }
        assert_eq!(Document::write(&entries).expect("certified").to_json(), text);
    }
}

#[test]
fn a_limit_that_is_not_written_is_refused() {
    for format in ["json", "html"] {
        let args = ["inspect", "relu", "--limit", "xi2=0", "--format", format];
        assert!(gaussform(&args).error().contains("leave `--limit xi2=0` out"));
    }
}
