//! Functions and laws to try, the same in every run.

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::Inputs;
use gaussform_symbolic::Activation;

/// Numbers in [0, 1), the same in every run; `GAUSSFORM_PAIRS_SEED` makes others.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(of_test: u64) -> Self {
        let seed = std::env::var("GAUSSFORM_PAIRS_SEED").ok().and_then(|seed| seed.parse().ok());
        Self(of_test.wrapping_add(seed.unwrap_or(0_u64) << 32))
    }

    pub(crate) fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut x = self.0;
        x ^= x >> 33;
        x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
        x ^= x >> 33;
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

pub(crate) fn declared(text: &str) -> Dynamic {
    let activation = Activation::parse(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
    Dynamic::new(&activation, &[]).expect("numbers")
}

/// a x + Σ Δ|x − t|: a continuous function with kinks of slope 2Δ.
pub(crate) struct Kinked {
    pub(crate) slope: f64,
    pub(crate) kinks: Vec<(f64, f64)>,
}

impl Kinked {
    pub(crate) fn random(numbers: &mut Numbers) -> Self {
        // Numbers that a decimal holds exactly.
        let mut eighth = |range: f64| (numbers.between(-range, range) * 8.0).round() / 8.0;
        let slope = eighth(2.0);
        let count = 1 + (eighth(1.0).abs() * 3.0) as usize;
        Self { slope, kinks: (0..count).map(|_| (eighth(2.0), eighth(3.0))).collect() }
    }

    pub(crate) fn dynamic(&self) -> Dynamic {
        let kinks = self.kinks.iter().map(|(d, t)| format!(" + ({d})*|x - ({t})|"));
        declared(&format!("g(x) = ({})*x{}", self.slope, kinks.collect::<String>()))
    }
}

/// A place for knots and means.
pub(crate) fn half(numbers: &mut Numbers) -> f64 {
    (numbers.between(-1.25, 1.25) * 2.0).round() / 2.0
}

/// How many functions a hunt draws; `GAUSSFORM_PAIRS` times as many.
pub(crate) fn count(usual: usize) -> usize {
    let times = std::env::var("GAUSSFORM_PAIRS").ok().and_then(|times| times.parse().ok());
    usual * times.unwrap_or(1)
}

/// One of the things that a function may do at a knot.
#[derive(Clone, Copy)]
enum Kind {
    Jump,
    Kink,
    Curve,
    /// Of a width that is narrow for some laws.
    Bump,
}

/// a x + Σ size · kind(x − t): a function of any kind, with knots on halves and a quarter beside them.
pub(crate) struct Any {
    slope: f64,
    terms: Vec<(f64, Kind, f64)>,
}

impl Any {
    pub(crate) fn random(numbers: &mut Numbers) -> Self {
        let eighth = |numbers: &mut Numbers| (numbers.between(-2.0, 2.0) * 8.0).round() / 8.0;
        let slope = eighth(numbers);
        let count = 1 + (numbers.next() * 3.0) as usize;
        let term = |_| {
            let size = eighth(numbers);
            let kinds = [Kind::Jump, Kind::Kink, Kind::Curve, Kind::Bump];
            let kind = kinds[(numbers.next() * 4.0) as usize];
            (if size == 0.0 { 1.0 } else { size }, kind, half(numbers))
        };
        Self { slope, terms: (0..count).map(term).collect() }
    }

    pub(crate) fn text(&self) -> String {
        let mut text = format!("g(x) = ({})*x", self.slope);
        for (size, kind, knot) in &self.terms {
            let of = format!("x - ({knot})");
            let term = match kind {
                Kind::Jump => format!("piecewise {{ {of} > 0: 1; else: 0 }}"),
                Kind::Kink => format!("max(0, {of})"),
                Kind::Curve => format!("max(0, {of})^2"),
                Kind::Bump => format!("max(0, 1/4 - |{of}|)"),
            };
            text.push_str(&format!(" + ({size})*{term}"));
        }
        text
    }

    pub(crate) fn dynamic(&self) -> Dynamic {
        declared(&self.text())
    }

    pub(crate) fn value(&self, x: f64) -> f64 {
        let term = |(size, kind, knot): &(f64, Kind, f64)| {
            let x = x - knot;
            size * match kind {
                Kind::Jump => f64::from(u8::from(x > 0.0)),
                Kind::Kink => x.max(0.0),
                Kind::Curve => x.max(0.0).powi(2),
                Kind::Bump => (0.25 - x.abs()).max(0.0),
            }
        };
        self.slope * x + self.terms.iter().map(term).sum::<f64>()
    }

    /// All knots.
    pub(crate) fn knots(&self) -> Vec<f64> {
        self.terms.iter().flat_map(|(_, _, knot)| [knot - 0.25, *knot, knot + 0.25]).collect()
    }
}

/// Some of each kind.
pub(crate) fn some() -> Vec<Dynamic> {
    [
        "g(x) = max(0, x)",
        "g(x) = clamp(x, -1, 1)",
        "g(x) = piecewise { x > 0: 1; else: 0 }",
        "g(x) = max(0, 1 - |x|)",
        "g(x) = |x^2 - 2|",
        "g(x) = x*clamp(x + 3, 0, 6)/6",
        "g(x) = max(0, x)^3 - max(0, x - 1)",
    ]
    .map(declared)
    .into()
}

pub(crate) fn random_law(numbers: &mut Numbers) -> Inputs {
    let (s, t) = (numbers.between(-6.0, 6.0).exp2(), numbers.between(-6.0, 6.0).exp2());
    let rho = numbers.between(-8.0, 8.0).tanh();
    let [gamma, gamma_h] = [s, t].map(|s| numbers.between(-4.0, 4.0) * s);
    Inputs { gamma, xi2: s * s, gamma_h, xi2_h: t * t, cov: rho * s * t }
}
