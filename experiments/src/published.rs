//! The papers' published figures, from CSV files whose heads name the papers.

/// Mean test log likelihood and its standard error, by set and method: `published.csv`, whose head names
/// the papers.
const FIGURES: &str = include_str!("../published.csv");

/// Variances of gradients: `published-variances.csv`, whose head names paper and columns.
const VARIANCES: &str = include_str!("../published-variances.csv");

/// The published variances of a layer: for means and for logarithms of standard deviations, each analytic and
/// sampled.
pub(crate) fn variances(stage: &str, layer: usize) -> Option<[[f64; 2]; 2]> {
    let layer = layer.to_string();
    let rows = VARIANCES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').collect::<Vec<_>>()).find_map(|cells| match cells[..] {
        [s, l, a, b, c, d] if s == stage && l == layer => {
            let number = |text: &str| text.parse::<f64>().ok();
            Some([[number(a)?, number(b)?], [number(c)?, number(d)?]])
        }
        _ => None,
    })
}

/// Test errors and log likelihoods on images: `published-images.csv`, whose head names paper and columns.
const IMAGES: &str = include_str!("../published-images.csv");

/// The published error in % and log likelihood of an image, as the paper prints them.
pub(crate) fn image(data: &str, network: &str, method: &str) -> Option<[String; 2]> {
    let rows = IMAGES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').collect::<Vec<_>>()).find_map(|cells| match cells[..] {
        [d, n, m, error, likelihood] if d == data && n == network && m == method => {
            Some([error.to_owned(), likelihood.to_owned()])
        }
        _ => None,
    })
}

/// The published figure of a method on a set as the paper prints it, if there is one.
pub(crate) fn figure(set: &str, method: &str) -> Option<String> {
    figures(set).find(|figure| figure.method == method).map(|figure| figure.text)
}

/// The best published figure of these methods on a set; of equals the first.
pub(crate) fn best(set: &str, methods: &[&str]) -> Option<Figure> {
    let named = figures(set).filter(|figure| methods.contains(&figure.method.as_str()));
    named.reduce(|best, other| if other.mean > best.mean { other } else { best })
}

/// A published figure.
pub(crate) struct Figure {
    pub(crate) method: String,
    pub(crate) mean: f64,
    /// The figure with its standard error, as the paper prints it.
    pub(crate) text: String,
}

fn figures(set: &str) -> impl Iterator<Item = Figure> {
    let rows = FIGURES.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').collect::<Vec<_>>()).filter_map(move |cells| match cells[..] {
        [of, by, mean, error] if of == set => Some(Figure {
            method: by.to_owned(),
            mean: mean.parse().ok()?,
            text: format!("{mean} ± {error}"),
        }),
        _ => None,
    })
}

/// Test log likelihoods of autoencoders: `published-vae.csv`, whose head names the paper.
const AUTOENCODERS: &str = include_str!("../published-vae.csv");

/// The published log likelihood of an example in nats.
pub(crate) fn autoencoder(variant: &str) -> Option<f64> {
    let rows = AUTOENCODERS.lines().filter(|line| !line.starts_with('#'));
    rows.filter_map(|line| line.split_once(','))
        .find_map(|(of, value)| if of == variant { value.parse().ok() } else { None })
}
