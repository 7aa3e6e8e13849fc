//! `gaussform eval`: numbers.

use std::io::{self, IsTerminal};
use std::path::Path;

use gaussform_codegen::Kernel;
use gaussform_symbolic::Activation;

use crate::args::{Eval, Precision};
use crate::number::{self, Number, digits};
use crate::points::{Input, Rows};
use crate::progress::{Progress, Unit};
use crate::report::Failure;
use crate::{Outcome, output, parameters, source};

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

pub(crate) fn run(args: &Eval, quiet: bool) -> Result<Outcome, Failure> {
    let activation = source::activation(&args.subject)?;
    let parameters = parameters::values(&activation, &args.parameters)?;
    let kernel = Kernel::new(&activation)?;
    let (activation, kernel, parameters) = (&activation, &kernel, &parameters);
    let task = Task { args, quiet, activation, kernel, parameters };
    match args.precision {
        Precision::F64 => task.run::<f64>()?,
        Precision::F32 => task.run::<f32>()?,
    }
    Ok(Outcome::Done)
}

struct Task<'a> {
    args: &'a Eval,
    quiet: bool,
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
        let input = Input::open(path)?;
        let out = self.args.out.as_deref();
        // Rows on a terminal show how far it is.
        let shown = !self.quiet && (out.is_some() || !io::stdout().is_terminal());
        let progress = |what| Progress::new(what, input.size(), Unit::Bytes, shown);
        let (mut rows, mut checked) = (Rows::new(&input)?, progress("checking"));
        while rows.point::<T>()?.is_some() {
            checked.at(rows.position());
        }
        drop((rows, checked));
        output::deliver_with(out, |writer| {
            let (mut rows, mut computed) = (Rows::new(&input)?, progress("computing"));
            let mut writer = csv::Writer::from_writer(writer);
            let names = NAMES.iter().map(|name| name.as_bytes());
            writer.write_record(rows.header().iter().chain(names)).map_err(io_error)?;
            while let Some((gamma, xi2)) = rows.point::<T>()? {
                let values = self.values(gamma, xi2).map(digits);
                let record = rows.row().iter().chain(values.iter().map(String::as_bytes));
                writer.write_record(record).map_err(io_error)?;
                computed.at(rows.position());
            }
            Ok(writer.flush()?)
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
