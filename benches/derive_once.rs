//! The median time in seconds to derive E[g(u)] from text, for the comparison with other systems:
//! `derive-once EXPR…` prints one number for each expression.

use std::time::Instant;

use gaussform_symbolic::Activation;

/// Repetitions, of which the median counts.
const TIMES: usize = 201;

#[allow(clippy::print_stdout, reason = "its output is what it is for")]
fn main() {
    for text in std::env::args().skip(1) {
        let mut times: Vec<f64> = (0..TIMES)
            .map(|_| {
                let start = Instant::now();
                let activation = Activation::parse(&text).expect("in the language");
                let mean = activation.moment(1).expect("within limits");
                mean.replay().expect("every step follows");
                mean.certificates().expect("the moment proves itself");
                start.elapsed().as_secs_f64()
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!("{:e}", times[TIMES / 2]);
    }
}
