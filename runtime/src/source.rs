//! The source of this crate, for a program that is to do without the crate.
//!
//! `gaussform-codegen` makes modules of these files in one file of Rust.

/// Each file under `src`, with its text, apart from those for the vectors and the cores of a machine, for mixed moments by themselves, and for
/// networks of infinite width.
pub const FILES: &[(&str, &str)] = &[
    ("accuracy/mod.rs", include_str!("accuracy/mod.rs")),
    ("accuracy/limits.rs", include_str!("accuracy/limits.rs")),
    ("activation/mod.rs", include_str!("activation/mod.rs")),
    ("activation/logs.rs", include_str!("activation/logs.rs")),
    ("activation/parameters.rs", include_str!("activation/parameters.rs")),
    ("batch.rs", include_str!("batch.rs")),
    ("conditional/mod.rs", include_str!("conditional/mod.rs")),
    ("conditional/measure.rs", include_str!("conditional/measure.rs")),
    ("conditional/near.rs", include_str!("conditional/near.rs")),
    ("conditional/number.rs", include_str!("conditional/number.rs")),
    ("conditional/part.rs", include_str!("conditional/part.rs")),
    ("conditional/sums.rs", include_str!("conditional/sums.rs")),
    ("constants/mod.rs", include_str!("constants/mod.rs")),
    ("constants/decay.rs", include_str!("constants/decay.rs")),
    ("constants/exponential.rs", include_str!("constants/exponential.rs")),
    ("constants/fits.rs", include_str!("constants/fits.rs")),
    ("constants/rules.rs", include_str!("constants/rules.rs")),
    ("float.rs", include_str!("float.rs")),
    ("hessian.rs", include_str!("hessian.rs")),
    ("kernel/mod.rs", include_str!("kernel/mod.rs")),
    ("kernel/deviation.rs", include_str!("kernel/deviation.rs")),
    ("kernel/edge.rs", include_str!("kernel/edge.rs")),
    ("kernel/exponential.rs", include_str!("kernel/exponential.rs")),
    ("kernel/facts.rs", include_str!("kernel/facts.rs")),
    ("kernel/high.rs", include_str!("kernel/high.rs")),
    ("kernel/knot_tails.rs", include_str!("kernel/knot_tails.rs")),
    ("kernel/logarithm.rs", include_str!("kernel/logarithm.rs")),
    ("kernel/narrow.rs", include_str!("kernel/narrow.rs")),
    ("kernel/number.rs", include_str!("kernel/number.rs")),
    ("kernel/pair.rs", include_str!("kernel/pair.rs")),
    ("kernel/pieces/mod.rs", include_str!("kernel/pieces/mod.rs")),
    ("kernel/pieces/common.rs", include_str!("kernel/pieces/common.rs")),
    ("kernel/pieces/contribution.rs", include_str!("kernel/pieces/contribution.rs")),
    ("kernel/pieces/curved.rs", include_str!("kernel/pieces/curved.rs")),
    ("kernel/pieces/panel.rs", include_str!("kernel/pieces/panel.rs")),
    ("kernel/pieces/sum.rs", include_str!("kernel/pieces/sum.rs")),
    ("kernel/pieces/table.rs", include_str!("kernel/pieces/table.rs")),
    ("kernel/pieces/tangent.rs", include_str!("kernel/pieces/tangent.rs")),
    ("kernel/pieces/walk.rs", include_str!("kernel/pieces/walk.rs")),
    ("kernel/place.rs", include_str!("kernel/place.rs")),
    ("kernel/polynomial.rs", include_str!("kernel/polynomial.rs")),
    ("kernel/powers.rs", include_str!("kernel/powers.rs")),
    ("kernel/single.rs", include_str!("kernel/single.rs")),
    ("kernel/sum/mod.rs", include_str!("kernel/sum/mod.rs")),
    ("kernel/sum/base.rs", include_str!("kernel/sum/base.rs")),
    ("kernel/sum/builder.rs", include_str!("kernel/sum/builder.rs")),
    ("kernel/sum/cut.rs", include_str!("kernel/sum/cut.rs")),
    ("kernel/sum/element.rs", include_str!("kernel/sum/element.rs")),
    ("kernel/sum/knot.rs", include_str!("kernel/sum/knot.rs")),
    ("kernel/sum/level.rs", include_str!("kernel/sum/level.rs")),
    ("kernel/sum/rows.rs", include_str!("kernel/sum/rows.rs")),
    ("kernel/sum/series.rs", include_str!("kernel/sum/series.rs")),
    ("kernel/sum/words.rs", include_str!("kernel/sum/words.rs")),
    ("kernel/support.rs", include_str!("kernel/support.rs")),
    ("kernel/tails.rs", include_str!("kernel/tails.rs")),
    ("kernel/triple.rs", include_str!("kernel/triple.rs")),
    ("kernel/version.rs", include_str!("kernel/version.rs")),
    ("kernel/word.rs", include_str!("kernel/word.rs")),
    ("lanes/mod.rs", include_str!("lanes/mod.rs")),
    ("lanes/dispatch.rs", include_str!("lanes/dispatch.rs")),
    ("lanes/double.rs", include_str!("lanes/double.rs")),
    ("lanes/scalar.rs", include_str!("lanes/scalar.rs")),
    ("lanes/twice.rs", include_str!("lanes/twice.rs")),
    ("lanes/wide.rs", include_str!("lanes/wide.rs")),
    ("lib.rs", include_str!("lib.rs")),
    ("order.rs", include_str!("order.rs")),
    ("pair/mod.rs", include_str!("pair/mod.rs")),
    ("pair/covariance.rs", include_str!("pair/covariance.rs")),
    ("pair/decomposition.rs", include_str!("pair/decomposition.rs")),
    ("pair/law.rs", include_str!("pair/law.rs")),
    ("pair/narrow_covariance.rs", include_str!("pair/narrow_covariance.rs")),
    ("pair/narrow_strong.rs", include_str!("pair/narrow_strong.rs")),
    ("pair/quadrant.rs", include_str!("pair/quadrant.rs")),
    ("pair/straight/mod.rs", include_str!("pair/straight/mod.rs")),
    ("pair/straight/integral.rs", include_str!("pair/straight/integral.rs")),
    ("pair/straight/unit.rs", include_str!("pair/straight/unit.rs")),
    ("pair/tail.rs", include_str!("pair/tail.rs")),
    ("pair/tail_pair.rs", include_str!("pair/tail_pair.rs")),
    ("precision.rs", include_str!("precision.rs")),
    ("piecewise.rs", include_str!("piecewise.rs")),
    ("kernel/plan.rs", include_str!("kernel/plan.rs")),
    ("kernel/quantities/mod.rs", include_str!("kernel/quantities/mod.rs")),
    ("kernel/quantities/log.rs", include_str!("kernel/quantities/log.rs")),
    ("kernel/quantities/moments.rs", include_str!("kernel/quantities/moments.rs")),
    ("safe_range.rs", include_str!("safe_range.rs")),
    ("tabulated/mod.rs", include_str!("tabulated/mod.rs")),
    ("slices.rs", include_str!("slices.rs")),
    ("tabulated/sum.rs", include_str!("tabulated/sum.rs")),
    ("tabulated/tangent.rs", include_str!("tabulated/tangent.rs")),
    ("typed.rs", include_str!("typed.rs")),
];

#[cfg(test)]
mod tests {
    extern crate std;

    use std::path::{Path, PathBuf};
    use std::vec::Vec;

    #[test]
    fn no_file_is_missing() {
        fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() { collect(&path, files) } else { files.push(path) }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut files = Vec::new();
        collect(&root, &mut files);
        for path in files {
            let name = path.strip_prefix(&root).expect("below it").to_str().expect("a name");
            let left_out = ["lanes/x86", "pair/layer/", "pair/mixed"]
                .iter()
                .any(|folder| name.starts_with(folder))
                || [
                    "infinite.rs",
                    "kernel/pieces/record.rs",
                    "kernel/record.rs",
                    "pair/record.rs",
                    "pair/slices.rs",
                    "parallel.rs",
                    "serialize.rs",
                    "source.rs",
                ]
                .contains(&name);
            let listed = super::FILES.iter().any(|(file, _)| *file == name);
            assert!(listed != left_out, "{name}");
        }
    }
}
