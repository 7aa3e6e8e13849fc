//! By how many nats the forms of the likelihood of classes are off, beside the exact value.
//!
//! The true class has a logit of mean 2, all others of mean 0, and all logits the same standard deviation.
//!     cargo run --release -p gaussform-bnn --example class_forms

use std::error::Error;
use std::io::{self, Write};

use burn::tensor::{DType, Device, Tensor, TensorData};
use gaussform_bnn::layer::LinearOutput;
use gaussform_bnn::{Categorical, CategoricalForm, Pass};

/// Rows over which forms that sample are averaged.
const ROWS: usize = 2000;
const SAMPLES: usize = 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| classes | sd of logits | exact | delta | taylor2 | jensen | tilted | control variate |"
    )?;
    writeln!(out, "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")?;
    for classes in [2, 10, 100] {
        for sd in [0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0] {
            let at = |form, rows| expected(form, classes, sd, rows);
            let exact = at(CategoricalForm::Exact, 1)?;
            let mut cells = vec![classes.to_string(), sd.to_string(), format!("{exact:.4}")];
            for (form, rows) in [
                (CategoricalForm::Delta, 1),
                (CategoricalForm::Taylor2, 1),
                (CategoricalForm::Jensen, 1),
                (CategoricalForm::Tilted, 1),
                (CategoricalForm::ControlVariate { samples: SAMPLES }, ROWS),
            ] {
                cells.push(format!("{:+.4}", at(form, rows)? - exact));
            }
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
    }
    Ok(())
}

/// E log softmax of the true class by a form, the mean of so many rows that are alike.
fn expected(
    form: CategoricalForm,
    classes: usize,
    sd: f64,
    rows: usize,
) -> Result<f64, Box<dyn Error>> {
    let first = |first: f64, others: f64| {
        let row = |i: usize| if i.is_multiple_of(classes) { first } else { others };
        let values: Vec<f64> = (0..rows * classes).map(row).collect();
        let data = TensorData::new(values, [rows, classes]);
        Tensor::<2>::from_data(data, (&Device::flex(), DType::F64))
    };
    let below = Some(first(sd * sd, sd * sd));
    let output = LinearOutput { mean: first(2.0, 0.0), below, own: None, covariance: None };
    let likelihood = Categorical::new(form, false);
    let values = likelihood.expected(&output, first(1.0, 0.0), &mut Pass::drawn(0))?;
    Ok(values.mean().into_scalar())
}
