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
    let outputs = |i: usize, j: usize| {
        let values = Values::first(&points[i], &points[j], first);
        (0..args.depth).fold(values, |values, _| values.then(&g, others))
    };
    let all = (count * (count + 1) / 2) as u64;
    let mut progress = Progress::new("computing", all, Unit::Pairs, !quiet && args.out.is_some());
    let mut kernel = vec![0.0; count * count];
    for i in 0..count {
        // No covariance is larger than both variances.
        if !outputs(i, i).nngp.is_finite() {
            return Err(overflow(&input, i));
        }
        for j in 0..=i {
            let values = outputs(i, j);
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

/// The error for a point at which the variance of the outputs is beyond the largest number.
fn overflow(input: &Input, point: usize) -> Failure {
    let place = format!("{}, row {} below the header", input.name(), point + 1);
    let message = format!("{place}: the variance of the outputs is beyond the largest number");
    Complaint::new(message, "scale the columns down, or give a smaller `--weight`").into()
}
