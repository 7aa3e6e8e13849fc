//! `gaussform eval`: numbers.

use std::io::{self, IsTerminal};
use std::path::Path;

use gaussform_codegen::{Dynamic, Fixed, Kernel};
use gaussform_runtime::conditional::ConditionalMoments;
use gaussform_runtime::hessian::MomentsHessian;
use gaussform_symbolic::Activation;

use crate::args::{Eval, Order, Precision};
use crate::higher::{Higher, Orders};
use crate::number::{self, Number, digits};
use crate::output::io_error;
use crate::parameters::{self, Given, dynamic};
use crate::points::{Assignment, Input, PointRows};
use crate::progress::{Progress, Unit};
use crate::report::{Complaint, Failure, Outcome};
use crate::{output, source};

/// The columns of every point, in this order.
const NAMES: [&str; 9] = [
    "mean",
    "second",
    "variance",
    "dmean_dgamma",
    "dmean_dxi2",
    "dvariance_dgamma",
    "dvariance_dxi2",
    "log_mean",
    "log_variance",
];

pub(crate) fn run(args: &Eval, quiet: bool) -> Result<Outcome, Failure> {
    if let Some(joint) = &args.joint {
        super::joint::run(args, joint, quiet)?;
        return Ok(Outcome::Done);
    }
    let raw = args.moments.iter().map(|order| match order {
        Order::Single(n) => Ok(*n),
        Order::Joint(_) => {
            let message = format!("`--moment {order}` is of two functions");
            Err(Complaint::new(message, "name the second one by `--joint`, or give one order"))
        }
    });
    let raw = raw.collect::<Result<Vec<_>, _>>()?;
    let orders = Orders { raw: &raw, central: &args.central };
    orders.check()?;
    let (activation, condition) = match &args.given {
        Some(given) => {
            let [activation, condition] = source::conditioned(&args.subject, given)?;
            (activation, Some(condition))
        }
        None => (source::activation(&args.subject)?, None),
    };
    let kernel = Kernel::new(&activation)?;
    let condition = condition.as_ref();
    let task =
        EvalTask { args, quiet, orders, activation: &activation, condition, kernel: &kernel };
    match args.precision {
        Precision::F64 => task.run::<f64>()?,
        Precision::F32 => task.run::<f32>()?,
    }
    Ok(Outcome::Done)
}

struct EvalTask<'a> {
    args: &'a Eval,
    quiet: bool,
    orders: Orders<'a>,
    activation: &'a Activation,
    /// The function that is 1 where the condition of `--given` holds.
    condition: Option<&'a Activation>,
    kernel: &'a Kernel,
}

impl EvalTask<'_> {
    fn run<T: Number>(&self) -> Result<(), Failure> {
        match &self.args.csv {
            Some(path) => self.table::<T>(path),
            None => self.point::<T>(),
        }
    }

    /// The names of the columns of every point.
    fn names(&self) -> Vec<String> {
        if self.condition.is_some() {
            return ConditionalMoments::<f64>::NAMES.map(str::to_owned).into();
        }
        let gradients = self.activation.parameters.iter().flat_map(|parameter| {
            ["mean", "second", "variance"].map(|moment| format!("d{moment}_d{}", parameter.name))
        });
        let hessian = self.args.hessian.then_some(MomentsHessian::<f64>::NAMES);
        let names = NAMES.into_iter().chain(hessian.into_iter().flatten()).map(str::to_owned);
        names.chain(self.orders.names()).chain(gradients).collect()
    }

    fn point<T: Number>(&self) -> Result<(), Failure> {
        let given = parameters::complete(self.activation, &self.args.parameters)?;
        let Eval { gamma, xi2, xi, .. } = self.args;
        let (gamma, xi2) = number::point::<T>(gamma.as_deref(), xi2.as_deref(), xi.as_deref())?;
        let values = Computed::new(self, &given)?.values(gamma, xi2)?;
        let lines = self.names().into_iter().zip(values);
        let text: String =
            lines.map(|(name, value)| format!("{name} {}\n", digits(value))).collect();
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
        let mut rows = PointRows::new(&input, &[self.activation])?;
        rows.check_names(&self.names())?;
        let assignment = Assignment::new(self.activation, &self.args.parameters, &rows, &[])?;
        let mut checked = progress("checking");
        let mut computed = ForRows::new(self, &assignment);
        while let Some((gamma, xi2)) = rows.point::<T>()? {
            let given = assignment.values(&rows)?;
            if let Some(higher) = &computed.at(&given)?.higher {
                higher.check(gamma, xi2).map_err(|complaint| rows.refusal(complaint))?;
            }
            checked.at(rows.position());
        }
        // Both passes read the same open file, so the first ends before the second rewinds it.
        drop((rows, checked));
        output::deliver_with(out, |writer| {
            let (mut rows, mut done) =
                (PointRows::new(&input, &[self.activation])?, progress("computing"));
            let mut writer = csv::Writer::from_writer(writer);
            let names = self.names();
            let names = names.iter().map(String::as_bytes);
            writer.write_record(rows.header().iter().chain(names)).map_err(io_error)?;
            while let Some((gamma, xi2)) = rows.point::<T>()? {
                let given = assignment.values(&rows)?;
                let values = computed.at(&given)?.values(gamma, xi2)?;
                let values: Vec<String> = values.into_iter().map(digits).collect();
                let record = rows.row().iter().chain(values.iter().map(String::as_bytes));
                writer.write_record(record).map_err(io_error)?;
                done.at(rows.position());
            }
            Ok(writer.flush()?)
        })
    }
}

/// The kernels and formulas for values of the parameters.
struct Computed<'a> {
    kernel: Fixed<'a>,
    higher: Option<Higher>,
    /// The activation and the condition, for conditional moments.
    given: Option<[Dynamic; 2]>,
    /// The activation, for second derivatives.
    curved: Option<Dynamic>,
}

impl<'a> Computed<'a> {
    fn new(task: &EvalTask<'a>, given: &[Given<'_>]) -> Result<Self, Failure> {
        let own = || dynamic(task.activation, given);
        let pair = |condition| -> Result<_, Failure> { Ok([own()?, dynamic(condition, given)?]) };
        Ok(Self {
            kernel: task.kernel.fixed(&numbers(given)),
            higher: task.orders.of(task.activation, given)?,
            given: task.condition.map(pair).transpose()?,
            curved: task.args.hessian.then(own).transpose()?,
        })
    }

    fn values<T: Number>(&self, gamma: T, xi2: T) -> Result<Vec<T>, Failure> {
        if let Some([activation, condition]) = &self.given {
            return Ok(activation.given(condition).moments(gamma, xi2).to_array().into());
        }
        let mut values = self.kernel.moments_grad(gamma, xi2).to_array().to_vec();
        let logarithms = self.kernel.log_moments_grad(gamma, xi2);
        values.extend([logarithms.log_mean, logarithms.log_variance]);
        if let Some(curved) = &self.curved {
            values.extend(curved.moments_hessian(gamma, xi2).to_array());
        }
        if let Some(higher) = &self.higher {
            values.extend(higher.values(gamma, xi2)?);
        }
        let gradients = self.kernel.parameter_grad(gamma, xi2).into_iter();
        values.extend(gradients.flat_map(|g| [g.dmean, g.dsecond, g.dvariance]));
        Ok(values)
    }
}

/// The kernels and formulas for the rows of a table: made once, or again where parameters change.
struct ForRows<'a> {
    task: &'a EvalTask<'a>,
    varies: bool,
    computed: Option<Computed<'a>>,
}

impl<'a> ForRows<'a> {
    fn new(task: &'a EvalTask<'_>, assignment: &Assignment<'_>) -> Self {
        Self { task, varies: assignment.varies(), computed: None }
    }

    fn at(&mut self, given: &[Given<'_>]) -> Result<&Computed<'a>, Failure> {
        let known = self.computed.take().filter(|_| !self.varies);
        let computed = match known {
            Some(computed) => computed,
            None => Computed::new(self.task, given)?,
        };
        Ok(self.computed.insert(computed))
    }
}

fn numbers(given: &[Given<'_>]) -> Vec<f64> {
    given.iter().map(|given| given.value).collect()
}
