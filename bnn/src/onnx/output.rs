//! Predictions of the likelihoods by standard operators: mean and variance of each target in its units, or
//! probabilities of classes.

use std::f64::consts::TAU;

use super::OnnxError;
use super::graph::{Graph, Value};
use super::layers::Outputs;
use super::proto::{Attribute, Element};
use crate::data::{TargetScale, TargetUnit, Transform};
use crate::likelihood::{Likelihood, Noise, noise_nodes};

/// One member's prediction.
pub(super) enum Member {
    /// For each target the Normals of its mixture: weight, mean and variance, each of shape \[rows, 1\].
    Real(Vec<Vec<(f64, Value, Value)>>),
    /// The mixture of Normals of the log rate of counts, as weight, mean and variance, each of shape \[rows, 1\].
    Counts(Vec<Vec<(f64, Value, Value)>>),
    /// Mean and variance of the one number that goes through Φ, of shape \[rows, 1\].
    Probit(Value, Value),
    /// Mean and variance of the one number that goes through the logistic function, of shape \[rows, 1\].
    Logistic(Value, Value),
    /// Means and variances of the logits, of shape \[rows, classes\].
    Softmax(Value, Value),
}

impl Member {
    /// The prediction from the outputs of a network, for standardised inputs `x` in double precision.
    pub(super) fn new(
        graph: &mut Graph,
        likelihood: &Likelihood,
        targets: &TargetScale,
        out: Outputs,
        x: &Value,
    ) -> Result<Self, OnnxError> {
        let mean = out.flow.mean.clone();
        let zero = graph.times(&mean, 0.0);
        let variance = out.flow.variance.clone().unwrap_or(zero);
        let Some(noise) = likelihood.noise()? else {
            return match likelihood {
                Likelihood::Probit(_) => Ok(Self::Probit(mean, variance)),
                Likelihood::Categorical(p) | Likelihood::Bernoulli(p) if p.is_single() => {
                    Ok(Self::Logistic(mean, variance))
                }
                Likelihood::Categorical(p) if p.wants_covariance() => {
                    let [of_0, of_1] = [0, 1].map(|k| graph.columns(&mean, k, k + 1));
                    let apart = graph.sub(&of_1, &of_0);
                    let sum = graph.over_columns(&variance);
                    let variance = match out.covariance(graph, 0, 1)? {
                        Some(covariance) => {
                            let twice = graph.times(&covariance, 2.0);
                            let variance = graph.sub(&sum, &twice);
                            graph.max(&variance, 0.0)
                        }
                        None => sum,
                    };
                    Ok(Self::Logistic(apart, variance))
                }
                _ => Ok(Self::Softmax(mean, variance)),
            };
        };
        let linear: Vec<bool> = match targets {
            TargetScale::Real(units) => units.iter().map(|u| u.transform.is_none()).collect(),
            TargetScale::Classes(_) => Vec::new(),
        };
        let count = linear.len();
        let counts = matches!(noise, Noise::Counts(_));
        let mut all = Vec::new();
        for j in 0..count {
            let m = graph.columns(&mean, j, j + 1);
            let v = graph.columns(&variance, j, j + 1);
            let leverage = leverage(graph, targets, j, x);
            all.push(match &noise {
                Noise::Mixture(noise) => {
                    let mean: f64 = noise[j].iter().map(|(share, noise)| share * noise).sum();
                    let v = match leverage {
                        Some(leverage) => {
                            let more = graph.times(&leverage, mean);
                            graph.add(&v, &more)
                        }
                        None => v,
                    };
                    match linear[j] {
                        // Mean and variance of a mixture of noises are those of its mean variance.
                        true => vec![(1.0, m, graph.plus(&v, mean))],
                        false => noise[j]
                            .iter()
                            .map(|(share, noise)| (*share, m.clone(), graph.plus(&v, *noise)))
                            .collect(),
                    }
                }
                Noise::Counts(constant) => vec![(1.0, graph.plus(&m, *constant), v)],
                Noise::ByInput => {
                    let l = count + j;
                    let covariance = out.covariance(graph, j, l)?;
                    let a = graph.columns(&mean, l, l + 1);
                    let w = graph.columns(&variance, l, l + 1);
                    by_input(graph, [&m, &v, &a, &w], covariance.as_ref(), leverage.as_ref())
                }
            });
        }
        Ok(if counts { Self::Counts(all) } else { Self::Real(all) })
    }
}

/// The mixture over ℓ ~ N(a, w): given ℓ, y ~ N(m + c (ℓ − a)/w, v − c²/w + e^ℓ).
fn by_input(
    graph: &mut Graph,
    [m, v, a, w]: [&Value; 4],
    covariance: Option<&Value>,
    leverage: Option<&Value>,
) -> Vec<(f64, Value, Value)> {
    // The shift is divided by the root of it.
    let w = graph.max(w, 1e-30);
    let sd = graph.apply("Sqrt", &[&w]);
    let (shift, left) = match covariance {
        Some(c) => {
            let shift = graph.div(c, &sd);
            let square = graph.square(&shift);
            let left = graph.sub(v, &square);
            (Some(shift), graph.max(&left, 0.0))
        }
        None => (None, v.clone()),
    };
    let (nodes, most) = noise_nodes();
    let most = graph.number(most);
    let mut noises = Vec::new();
    for (z, _) in &nodes {
        let apart = graph.times(&sd, *z);
        let l = graph.add(a, &apart);
        let noise = graph.apply("Exp", &[&l]);
        noises.push(graph.apply("Min", &[&noise, &most]));
    }
    let left = match leverage {
        Some(leverage) => {
            let terms: Vec<Value> = noises
                .iter()
                .zip(&nodes)
                .map(|(noise, (_, share))| graph.times(noise, *share))
                .collect();
            let mean = graph.apply("Sum", &terms.iter().collect::<Vec<_>>());
            let more = graph.mul(leverage, &mean);
            graph.add(&left, &more)
        }
        None => left,
    };
    let mut parts = Vec::new();
    for ((z, share), noise) in nodes.into_iter().zip(&noises) {
        let mean = match &shift {
            Some(shift) => {
                let shift = graph.times(shift, z);
                graph.add(m, &shift)
            }
            None => m.clone(),
        };
        parts.push((share, mean, graph.add(&left, noise)));
    }
    parts
}

/// Writes the outputs of all members together, for standardised inputs `x` in double precision.
pub(super) fn write(graph: &mut Graph, members: &[Member], targets: &TargetScale, x: &Value) {
    let share = 1.0 / members.len() as f64;
    match targets {
        TargetScale::Real(units) => {
            let (mut means, mut variances) = (Vec::new(), Vec::new());
            for (j, unit) in units.iter().enumerate() {
                let mut parts = Vec::new();
                for member in members {
                    if let Member::Real(all) | Member::Counts(all) = member {
                        parts.extend(
                            all[j].iter().map(|(w, m, v)| (share * w, m.clone(), v.clone())),
                        );
                    }
                }
                let counts = members.iter().any(|m| matches!(m, Member::Counts(_)));
                let (mean, variance) = match counts {
                    true => of_counts(graph, &parts),
                    false => {
                        let parts = with_trend(graph, parts, unit, x);
                        in_units(graph, &parts, unit)
                    }
                };
                means.push(mean);
                variances.push(variance);
            }
            for (name, columns) in [("mean", means), ("variance", variances)] {
                let columns: Vec<&Value> = columns.iter().collect();
                let joined = graph.concat(&columns, 1);
                graph.output(name, &joined, units.len());
            }
        }
        TargetScale::Classes(names) => {
            let mut sums: Vec<Value> = Vec::new();
            for member in members {
                let p = match member {
                    Member::Probit(m, v) => probit(graph, m, v),
                    Member::Logistic(m, v) => logistic(graph, m, v),
                    Member::Softmax(m, v) => softmax(graph, m, v),
                    Member::Real(_) | Member::Counts(_) => continue,
                };
                let p = graph.times(&p, share);
                sums.push(p);
            }
            let sums: Vec<&Value> = sums.iter().collect();
            let mean = graph.apply("Sum", &sums);
            graph.output("probabilities", &mean, names.len());
        }
    }
}

/// Mean and variance of counts whose log rate is N(m, v): with r = e^(m + v/2), E y = Σ w r and E y² = Σ w (r + r² eᵛ).
fn of_counts(graph: &mut Graph, parts: &[(f64, Value, Value)]) -> (Value, Value) {
    let (mut means, mut squares) = (Vec::new(), Vec::new());
    for (w, m, v) in parts {
        // In single precision the square of a rate above 10¹⁹ is infinite.
        let [m, v] = [m, v].map(|t| graph.cast(t, Element::Double));
        let [half, w] = [0.5, *w].map(|v| graph.doubles(&[v], &[]));
        let more = graph.mul(&v, &half);
        let log = graph.add(&m, &more);
        let rate = graph.apply("Exp", &[&log]);
        let square = graph.square(&rate);
        let spread = graph.apply("Exp", &[&v]);
        let square = graph.mul(&square, &spread);
        let second = graph.add(&rate, &square);
        means.push(graph.mul(&rate, &w));
        squares.push(graph.mul(&second, &w));
    }
    let mean = graph.apply("Sum", &means.iter().collect::<Vec<_>>());
    let second = graph.apply("Sum", &squares.iter().collect::<Vec<_>>());
    let square = graph.square(&mean);
    let variance = graph.sub(&second, &square);
    (mean, variance)
}

/// The leverage of the trend of target `j`, in the precision of the graph; none if it has no trend.
fn leverage(graph: &mut Graph, targets: &TargetScale, j: usize, x: &Value) -> Option<Value> {
    let TargetScale::Real(units) = targets else { return None };
    let trend = units.get(j)?.trend.as_ref()?;
    let along = affine(graph, x, &trend.factor, trend.inputs + 1);
    let squares = graph.square(&along);
    let sum = graph.over_columns(&squares);
    let element = graph.element;
    Some(graph.cast(&sum, element))
}

/// Normals in double precision, their means with the trend.
fn with_trend(
    graph: &mut Graph,
    parts: Vec<(f64, Value, Value)>,
    unit: &TargetUnit,
    x: &Value,
) -> Vec<(f64, Value, Value)> {
    let more = unit.trend.as_ref().map(|trend| {
        let scaled: Vec<f64> = trend.weights.iter().map(|b| b / unit.scale.sd).collect();
        affine(graph, x, &scaled, 1)
    });
    let of = |(w, m, v): (f64, Value, Value)| {
        let [m, v] = [m, v].map(|value| graph.cast(&value, Element::Double));
        (w, more.as_ref().map_or(m.clone(), |more| graph.add(&m, more)), v)
    };
    parts.into_iter().map(of).collect()
}

/// (x, 1)ᵀ A in double precision, A by rows of so many columns.
fn affine(graph: &mut Graph, x: &Value, values: &[f64], columns: usize) -> Value {
    let inputs = values.len() / columns - 1;
    let (rows, last) = values.split_at(inputs * columns);
    let rows = graph.doubles(rows, &[inputs, columns]);
    let last = graph.doubles(last, &[1, columns]);
    let product = graph.matmul(x, &rows);
    graph.add(&product, &last)
}

/// Mean and variance of a mixture of Normals in double precision, seen through the unit of the target.
fn in_units(graph: &mut Graph, parts: &[(f64, Value, Value)], unit: &TargetUnit) -> (Value, Value) {
    let number = |graph: &mut Graph, v: f64| graph.doubles(&[v], &[]);
    // Shares and numbers, whose weighted mean and variance are asked for; then variances within.
    let mut numbers: Vec<(f64, Value)> = Vec::new();
    let mut within: Vec<Value> = Vec::new();
    for (w, m, v) in parts {
        if unit.transform.is_none() {
            let (sd, mean) = (number(graph, unit.scale.sd), number(graph, unit.scale.mean));
            let scaled = graph.mul(m, &sd);
            numbers.push((*w, graph.add(&scaled, &mean)));
            let factor = number(graph, w * unit.scale.sd.powi(2));
            within.push(graph.mul(v, &factor));
            continue;
        }
        let sd = graph.apply("Sqrt", &[v]);
        // The trapezoidal rule for a standard Normal.
        for i in -15..=15 {
            let z = 0.6 * f64::from(i);
            let z_value = number(graph, z);
            let apart = graph.mul(&sd, &z_value);
            let at = graph.add(m, &apart);
            let y = inverted(graph, &at, unit);
            numbers.push((w * 0.6 * (-0.5 * z * z).exp() / TAU.sqrt(), y));
        }
    }
    let weighted = |graph: &mut Graph, all: &[(f64, Value)]| {
        let terms: Vec<Value> = all
            .iter()
            .map(|(w, y)| {
                let w = graph.doubles(&[*w], &[]);
                graph.mul(y, &w)
            })
            .collect();
        graph.apply("Sum", &terms.iter().collect::<Vec<_>>())
    };
    let mean = weighted(graph, &numbers);
    let squares: Vec<(f64, Value)> = numbers
        .iter()
        .map(|(w, y)| {
            let apart = graph.sub(y, &mean);
            (*w, graph.square(&apart))
        })
        .collect();
    within.push(weighted(graph, &squares));
    let variance = graph.apply("Sum", &within.iter().collect::<Vec<_>>());
    (mean, variance)
}

/// y of standardised numbers.
fn inverted(graph: &mut Graph, standardised: &Value, unit: &TargetUnit) -> Value {
    let number = |graph: &mut Graph, v: f64| graph.doubles(&[v], &[]);
    let linear = |graph: &mut Graph, x: &Value, factor: f64, offset: f64| {
        let (factor, offset) = (number(graph, factor), number(graph, offset));
        let scaled = graph.mul(x, &factor);
        graph.add(&scaled, &offset)
    };
    let u = linear(graph, standardised, unit.scale.sd, unit.scale.mean);
    match &unit.transform {
        Transform::None => u,
        Transform::Log { top } => {
            let edge = number(graph, *top);
            let capped = graph.apply("Min", &[&u, &edge]);
            let exp = graph.apply("Exp", &[&capped]);
            let zero = number(graph, 0.0);
            let beyond = graph.sub(&u, &edge);
            let beyond = graph.apply("Max", &[&beyond, &zero]);
            let rest = linear(graph, &beyond, top.exp(), 0.0);
            graph.add(&exp, &rest)
        }
        Transform::Asinh { center, width, reach } => {
            let [low, high] = [-reach, *reach].map(|v| number(graph, v));
            let inner = graph.apply("Max", &[&u, &low]);
            let inner = graph.apply("Min", &[&inner, &high]);
            // sinh, of which runtimes have no double precision.
            let up = graph.apply("Exp", &[&inner]);
            let minus = graph.apply("Neg", &[&inner]);
            let down = graph.apply("Exp", &[&minus]);
            let twice = graph.sub(&up, &down);
            let half = linear(graph, &twice, 0.5 * width, *center);
            let beyond = graph.sub(&u, &inner);
            let rest = linear(graph, &beyond, width * reach.cosh(), 0.0);
            graph.add(&half, &rest)
        }
        Transform::Quantile { y, u: knots } => {
            let mut terms = vec![number(graph, y[0])];
            let last = knots.len() - 2;
            for i in 0..=last {
                let slope = (y[i + 1] - y[i]) / (knots[i + 1] - knots[i]);
                let mut part = linear(graph, &u, 1.0, -knots[i]);
                if i > 0 {
                    let zero = number(graph, 0.0);
                    part = graph.apply("Max", &[&part, &zero]);
                }
                if i < last {
                    let width = number(graph, knots[i + 1] - knots[i]);
                    part = graph.apply("Min", &[&part, &width]);
                }
                terms.push(linear(graph, &part, slope, 0.0));
            }
            graph.apply("Sum", &terms.iter().collect::<Vec<_>>())
        }
    }
}

/// Standard deviations from which on a Normal number is integrated by its distribution function, which is smooth then, instead of
/// nodes, which are far apart.
const WIDE: f64 = 2.0;

/// Nodes `step` apart from `from` to `to`, with the shares that this density gives them.
fn rule(step: f64, [from, to]: [f64; 2], density: fn(f64) -> f64) -> [Vec<f64>; 2] {
    let count = ((to - from) / step).round() as i32;
    let nodes: Vec<f64> = (0..=count).map(|i| from + step * f64::from(i)).collect();
    let weights: Vec<f64> = nodes.iter().map(|x| density(*x)).collect();
    let sum: f64 = weights.iter().sum();
    [nodes, weights.iter().map(|w| w / sum).collect()]
}

/// The rule for a standard Normal number.
fn normal_rule() -> [Vec<f64>; 2] {
    rule(0.25, [-6.0, 6.0], |z| (-0.5 * z * z).exp())
}

/// E\[σ(d)\] of a Normal number d, and what is left to 1. A narrow d has nodes z: Σ w σ(m + s z). A wide one has nodes l of a
/// logistic number: P(d + l > 0) = Σ w Φ((m + l)/s).
fn logistic(graph: &mut Graph, m: &Value, variance: &Value) -> Value {
    let s = graph.apply("Sqrt", &[variance]);
    let [nodes, shares] = normal_rule().map(|v| graph.numbers(&v, &[1, v.len()]));
    let apart = graph.mul(&s, &nodes);
    let d = graph.add(m, &apart);
    let narrow = graph.apply("Sigmoid", &[&d]);
    let narrow = graph.mul(&narrow, &shares);
    let narrow = graph.over_columns(&narrow);
    let logistic = rule(0.5, [-20.0, 20.0], |l| 1.0 / (1.0 + l.cosh()));
    let [nodes, shares] = logistic.map(|v| graph.numbers(&v, &[1, v.len()]));
    let beyond = graph.add(m, &nodes);
    // A graph computes both ways: the one that is not taken must not divide by 0.
    let width = graph.max(&s, WIDE);
    let x = graph.div(&beyond, &width);
    let wide = normal_distribution(graph, &x);
    let wide = graph.mul(&wide, &shares);
    let wide = graph.over_columns(&wide);
    let is_wide = is_wide(graph, &s);
    let one = graph.choose(&is_wide, &wide, &narrow);
    with_other(graph, &one)
}

/// 1 − p and p, for a probability p.
fn with_other(graph: &mut Graph, one: &Value) -> Value {
    let minus = graph.times(one, -1.0);
    let other = graph.plus(&minus, 1.0);
    graph.concat(&[&other, one], 1)
}

/// E\[softmax\] of independent Normal logits by the Gumbel integral: with G standard Gumbel, F the distribution function of
/// z + G and f its density, p_k = ∫ f_k Π_{j≠k} F_j dt. F and f are means over nodes of z where z is narrow, and over nodes of G
/// where it is wide; the integral is a trapezoidal rule over all that holds a share of it.
fn softmax(graph: &mut Graph, mean: &Value, variance: &Value) -> Value {
    const STEPS: usize = 240;
    let floor = graph.max(variance, 1e-12);
    let sd = graph.apply("Sqrt", &[&floor]);
    let six = graph.times(&sd, 6.0);
    let axes = [("axes", Attribute::Numbers(vec![1])), ("keepdims", Attribute::Number(1))];
    let low = graph.sub(mean, &six);
    let high = graph.add(mean, &six);
    // The largest of z + G lies above the largest low end.
    let low = graph.with("ReduceMax", &[&low], &axes);
    let low = graph.plus(&low, -4.0);
    let high = graph.with("ReduceMax", &[&high], &axes);
    let high = graph.plus(&high, 24.0);
    let range = graph.sub(&high, &low);
    let step = graph.times(&range, 1.0 / STEPS as f64);
    let places: Vec<f64> = (0..=STEPS).map(|i| i as f64).collect();
    let places = graph.numbers(&places, &[1, STEPS + 1]);
    let along = graph.mul(&step, &places);
    let t = graph.add(&low, &along);
    // Shapes \[rows, 1, places, 1\] and \[rows, classes, 1, nodes\].
    let t = graph.deep(&t);
    let t = {
        let axis = graph.whole(&[1]);
        graph.apply("Unsqueeze", &[&t, &axis])
    };
    let is_wide = {
        let once = graph.deep(&sd);
        is_wide(graph, &once)
    };
    let [mean, sd] = [mean, &sd].map(|v| {
        let once = graph.deep(v);
        graph.deep(&once)
    });
    let narrow = over_normal_nodes(graph, &t, &mean, &sd);
    let wide = over_gumbel_nodes(graph, &t, &mean, &sd);
    let [f_value, f_density] = [0, 1].map(|i| graph.choose(&is_wide, &wide[i], &narrow[i]));
    // Π_{j≠k} F_j = exp(Σ log F_j) / F_k.
    // F may underflow, and is divided by.
    let floor = graph.max(&f_value, 1e-30);
    let log = graph.apply("Log", &[&floor]);
    let all = graph.over_columns(&log);
    let product = graph.apply("Exp", &[&all]);
    let ratio = graph.div(&f_density, &floor);
    let integrand = graph.mul(&ratio, &product);
    let sum = graph.sum(&integrand, 1);
    // Divided by their sum, which takes the step with it.
    let total = graph.over_columns(&sum);
    graph.div(&sum, &total)
}

/// F and f at the places t by nodes of the Normal number: means of e^{−e^{−(t − z)}} and its slope.
fn over_normal_nodes(graph: &mut Graph, t: &Value, mean: &Value, sd: &Value) -> [Value; 2] {
    let [nodes, shares] = normal_rule().map(|v| graph.numbers(&v, &[v.len()]));
    let apart = graph.mul(sd, &nodes);
    let z = graph.add(mean, &apart);
    // e^{−(t − z)} is capped, where F is 0 to all digits.
    let power = graph.sub(&z, t);
    let most = graph.number(80.0);
    let power = graph.apply("Min", &[&power, &most]);
    let e = graph.apply("Exp", &[&power]);
    let minus = graph.apply("Neg", &[&e]);
    let gumbel = graph.apply("Exp", &[&minus]);
    let value = graph.mul(&gumbel, &shares);
    let density = graph.mul(&value, &e);
    [graph.sum(&value, 1), graph.sum(&density, 1)]
}

/// F and f at the places t by nodes of the Gumbel number: means of Φ((t − G − m)/s) and its slope.
fn over_gumbel_nodes(graph: &mut Graph, t: &Value, mean: &Value, sd: &Value) -> [Value; 2] {
    let gumbel = rule(0.5, [-4.0, 20.0], |g| (-g - (-g).exp()).exp());
    let [nodes, shares] = gumbel.map(|v| graph.numbers(&v, &[v.len()]));
    let sd = graph.max(sd, WIDE);
    let middle = graph.add(mean, &nodes);
    let apart = graph.sub(t, &middle);
    let x = graph.div(&apart, &sd);
    let value = normal_distribution(graph, &x);
    let value = graph.mul(&value, &shares);
    let bell = graph.bell(&x);
    let density = graph.mul(&bell, &shares);
    let density = graph.div(&density, &sd);
    let density = graph.times(&density, 1.0 / TAU.sqrt());
    [graph.sum(&value, 1), graph.sum(&density, 1)]
}

fn is_wide(graph: &mut Graph, sd: &Value) -> Value {
    let wide = graph.number(WIDE);
    graph.apply("Greater", &[sd, &wide])
}

/// Φ(x) = ½ + ½ erf(x/√2), of which runtimes have single precision alone.
fn normal_distribution(graph: &mut Graph, x: &Value) -> Value {
    let x = graph.times(x, std::f64::consts::FRAC_1_SQRT_2);
    let x = graph.cast(&x, Element::Single);
    let erf = graph.apply("Erf", &[&x]);
    let element = graph.element;
    let erf = graph.cast(&erf, element);
    let half = graph.times(&erf, 0.5);
    graph.plus(&half, 0.5)
}

/// Φ(m/√(1 + v)) and what is left to 1.
fn probit(graph: &mut Graph, mean: &Value, variance: &Value) -> Value {
    let more = graph.plus(variance, 1.0);
    let root = graph.apply("Sqrt", &[&more]);
    let s = graph.div(mean, &root);
    let one = normal_distribution(graph, &s);
    with_other(graph, &one)
}
