//! `gaussform eval`: numbers.

use std::io;
use std::path::Path;

use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation;

use crate::args::{Eval, Precision};
use crate::number::{self, Number, digits};
use crate::report::Failure;
use crate::{Outcome, output, parameters, points, source};

/// What every point gets, in this order.
const NAMES: [&str; 7] = [
    "mean",
    "second",
    "variance",
    "dmean_dgamma",
    "dmean_dxi2",
    "dvariance_dgamma",
    "dvariance_dxi2",
];

pub(crate) fn run(args: &Eval) -> Result<Outcome, Failure> {
    let activation = source::activation(&args.subject)?;
    let parameters = parameters::values(&activation, &args.parameters)?;
    let kernel = Kernel::new(&activation)?;
    let task = Task { args, activation: &activation, kernel: &kernel, parameters: &parameters };
    match args.precision {
        Precision::F64 => task.run::<f64>()?,
        Precision::F32 => task.run::<f32>()?,
    }
    Ok(Outcome::Done)
}

struct Task<'a> {
    args: &'a Eval,
    activation: &'a Activation,
    kernel: &'a Kernel,
    parameters: &'a [f64],
}

impl Task<'_> {
    fn run<T: Number>(&self) -> Result<(), Failure> {
        match &self.args.csv {
            Some(path) => self.table::<T>(path),
            None => self.point::<T>(),
        }
    }

    fn point<T: Number>(&self) -> Result<(), Failure> {
        let (gamma, xi2) = (self.args.gamma.as_deref(), self.args.xi2.as_deref());
        let (gamma, xi2) = number::point::<T>(gamma.unwrap_or(""), xi2.unwrap_or(""))?;
        let names = NAMES.map(str::to_owned).into_iter();
        let values = self.values(gamma, xi2);
        let mut lines: Vec<(String, T)> = names.zip(values).collect();
        let gradients = self.kernel.parameter_grad(self.parameters, gamma, xi2);
        for (parameter, gradient) in self.activation.parameters.iter().zip(gradients) {
            lines.push((format!("dmean_d{}", parameter.name), gradient.dmean));
            lines.push((format!("dsecond_d{}", parameter.name), gradient.dsecond));
            lines.push((format!("dvariance_d{}", parameter.name), gradient.dvariance));
        }
        let text: String =
            lines.into_iter().map(|(name, value)| format!("{name} {}\n", digits(value))).collect();
        output::deliver(&text, self.args.out.as_deref())
    }

    fn table<T: Number>(&self, path: &Path) -> Result<(), Failure> {
        let both = self.args.subject.reads_stdin() && path == Path::new("-");
        if both {
            return Err(source::stdin_twice());
        }
        let document = source::read_text(path, usize::MAX)?;
        let table = points::read::<T>(&document)?;
        output::deliver_with(self.args.out.as_deref(), |writer| {
            let mut writer = csv::Writer::from_writer(writer);
            writer.write_record(table.header.iter().chain(NAMES)).map_err(io_error)?;
            for (row, (gamma, xi2)) in table.rows.iter().zip(&table.points) {
                let values = self.values(*gamma, *xi2).map(digits);
                let record = row.iter().chain(values.iter().map(String::as_str));
                writer.write_record(record).map_err(io_error)?;
            }
            writer.flush()
        })
    }

    fn values<T: Number>(&self, gamma: T, xi2: T) -> [T; 7] {
        self.kernel.moments_grad(self.parameters, gamma, xi2).to_array()
    }
}

/// The error of the stream, whose kind the usual conversion hides.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}
