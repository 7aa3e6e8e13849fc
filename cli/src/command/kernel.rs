//! `gaussform kernel`: the covariance and the tangent kernel of infinitely wide networks at the rows of a table.

use std::path::Path;

use gaussform_codegen::Dynamic;
use gaussform_runtime::Activation as _;
use gaussform_runtime::infinite::{Layer, Values};

use crate::args::{Kernel, KernelKind};
use crate::number::{digits, variance_of};
use crate::points::{Input, matrix};
use crate::progress::{Progress, Unit};
use crate::report::{Blamed as _, Complaint, Document, Failure, Outcome};
use crate::{output, parameters, source};

pub(crate) fn run(args: &Kernel, quiet: bool) -> Result<Outcome, Failure> {
    let subject = args.subject();
    if subject.reads_stdin() && args.csv == Path::new("-") {
        return Err(source::stdin_twice());
    }
    let activation = source::activation(&subject)?;
    let given = parameters::complete(&activation, &args.parameters)?;
    let fixed = activation.with_values(&parameters::exactly(&activation, &given))?;
    let g = Dynamic::new(&fixed, &[])
        .map_err(|error| Failure::plain(format!("`{}`: {error}", activation.name)))?;
    let option = |name: &str, text: &str| {
        let value =
            variance_of::<f64>(&format!("a number ≥ 0, the variance of the {name}"), name, text);
        value.map_err(|complaint| Document::new(format!("--{name}"), text).whole(complaint))
    };
    let bias = option("bias", &args.bias)?;
    let weight = args.weight.as_deref().map(|text| option("weight", text)).transpose()?;
    let second = g.moments(0.0, 1.0).second;
    let layer = |weight: f64| Layer { weight, bias, mean: 0.0 };
    let first = layer(weight.unwrap_or(1.0));
    let others = layer(match weight {
        Some(weight) => weight,
        None if second > 0.0 => 1.0 / second,
        None => {
            let message = format!("`{}` is 0 almost everywhere", activation.name);
            let help = "give `--weight`, the variance of the weights: there is none that keeps a variance of 1";
            return Err(Complaint::new(message, help).into());
        }
    });
    let input = Input::open(&args.csv)?;
    let points = matrix(&input)?;
    let count = points.len();
    let (g, depth) = (&g, args.depth as usize);
    // The outputs of every layer at two points.
    let layers = |i: usize, j: usize, [first, others]: [Layer; 2]| {
        let lowest = Values::first(&points[i], &points[j], first);
        std::iter::successors(Some(lowest), move |below| Some(below.then(g, others)))
            .take(depth + 1)
    };
    let laws = [first, others];
    let is_continuous = fixed.function.is_continuous();
    let all = (count * (count + 1) / 2) as u64;
    let mut progress = Progress::new("computing", all, Unit::Pairs, !quiet && args.out.is_some());
    let mut kernel = vec![0.0; count * count];
    for i in 0..count {
        let variances: Vec<f64> = layers(i, i, laws).map(|values| values.variances[0]).collect();
        let is_zero = first.weight == 0.0 || points[i].iter().all(|x| *x == 0.0);
        // Correlations are quotients by the roots of variances.
        let lacks_digits = |variance: &f64| *variance > 0.0 && *variance < f64::MIN_POSITIVE;
        if variances.iter().any(lacks_digits) || (variances[0] == 0.0 && !is_zero) {
            return Err(underflow(&input, i));
        }
        // No covariance is larger than both variances.
        if !variances.iter().all(|variance| variance.is_finite()) {
            let unbiased = laws.map(|law| Layer { bias: 0.0, ..law });
            let mut others = layers(i, i, unbiased).map(|values| values.variances[0]);
            let option = if others.all(f64::is_finite) { "--bias" } else { "--weight" };
            return Err(overflow(&input, i, "variance of the outputs", option));
        }
        for j in 0..=i {
            let values = layers(i, j, laws).last().expect("a layer");
            if values.nngp.is_nan() {
                let [at_i, at_j] = values.variances;
                return Err(underflow(&input, if at_j < at_i { j } else { i }));
            }
            // Where g jumps, the tangent kernel of equal inputs is infinite.
            if args.kind == KernelKind::Ntk && !values.ntk.is_finite() && is_continuous {
                return Err(overflow(&input, i, "tangent kernel", "--weight"));
            }
            let value = match args.kind {
                KernelKind::Nngp => values.nngp,
                KernelKind::Ntk => values.ntk,
            };
            (kernel[i * count + j], kernel[j * count + i]) = (value, value);
        }
        progress.at(((i + 1) * (i + 2) / 2) as u64);
    }
    drop(progress);
    output::deliver_with(args.out.as_deref(), |writer| {
        for row in kernel.chunks(count) {
            let row: Vec<String> = row.iter().map(|value| digits(*value)).collect();
            writeln!(writer, "{}", row.join(","))?;
        }
        Ok(())
    })?;
    Ok(Outcome::Done)
}

/// The error for a point at which this quantity is beyond the largest number.
fn overflow(input: &Input, point: usize, quantity: &str, option: &str) -> Failure {
    let message = format!("{}: the {quantity} is beyond the largest number", place(input, point));
    let help = match option {
        "--bias" => "give a smaller `--bias`".to_owned(),
        option => format!("scale the columns down, or give a smaller `{option}`"),
    };
    Complaint::new(message, help).into()
}

/// The error for a point at which a variance is below the numbers that have all digits.
fn underflow(input: &Input, point: usize) -> Failure {
    let place = place(input, point);
    let message = format!("{place}: a variance is below the smallest number with all digits");
    Complaint::new(message, "scale the columns up, or give a larger `--weight`").into()
}

fn place(input: &Input, point: usize) -> String {
    format!("{}, row {} below the header", input.name(), point + 1)
}
