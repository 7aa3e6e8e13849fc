//! The table of the autoencoders: log likelihood of each variant, and its difference from V1 on the same splits.

use super::{Outcome, VARIANTS, VaeRecord, Variant};
use crate::estimate::estimate;
use crate::published::autoencoder;

/// The table of these runs: a row for each variant. The difference is that to V1 on the same split.
pub(crate) fn table(records: &[VaeRecord]) -> String {
    let mut text = String::from(
        "| set | variant | Bayesian decoder | sampled | latent | hidden | epochs | runs | test log-likelihood \
         | difference to V1 | published | difference | seconds per epoch | build |\n\
         | --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n",
    );
    for r in records.iter().filter(|r| !r.runs.is_empty()) {
        let of = |variant: Variant, f: fn(&Outcome) -> f64| -> Vec<f64> {
            let outcomes = r.runs.iter().flat_map(|run| &run.variants);
            outcomes.filter(|o| o.variant == variant).map(f).collect()
        };
        let first = of(Variant::V1, |o| o.log_likelihood);
        for variant in VARIANTS {
            let values = of(variant, |o| o.log_likelihood);
            let seconds = of(variant, |o| o.seconds).iter().sum::<f64>();
            let differences: Vec<f64> = values.iter().zip(&first).map(|(v, w)| v - w).collect();
            let (published, beyond) =
                match [variant, Variant::V1].map(|variant| autoencoder(&variant.name())) {
                    [Some(value), Some(first)] => {
                        (format!("{value:.2}"), format!("{:+.2}", value - first))
                    }
                    _ => ("–".to_owned(), "–".to_owned()),
                };
            let (bayesian, sampled) = match variant {
                Variant::V1 => ("no", "z"),
                Variant::V2 => ("yes", "z and weights"),
                Variant::V3 => ("yes", "z"),
            };
            let cells = [
                r.data.clone(),
                format!("{variant:?}"),
                bayesian.to_owned(),
                sampled.to_owned(),
                r.plan.latent.to_string(),
                r.plan.hidden.to_string(),
                r.plan.epochs.to_string(),
                r.runs.len().to_string(),
                estimate(&values),
                estimate(&differences),
                published,
                beyond,
                format!("{:.2}", seconds / (r.plan.epochs * r.runs.len()) as f64),
                format!("{:?}", r.build).to_lowercase(),
            ];
            text += &format!("| {} |\n", cells.join(" | "));
        }
    }
    text
}
