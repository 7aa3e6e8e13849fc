//! `gaussform eval --joint`: numbers of two correlated pre-activations.

use std::io::{self, IsTerminal};
use std::path::Path;

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{Inputs, InvalidLaw, MixedMoment, PairMoments};
use gaussform_symbolic::Activation;

use crate::args::{Eval, Order, Precision};
use crate::number::{self, Number, digits};
use crate::output::io_error;
use crate::parameters::{self, Given, complete, dynamic};
use crate::points::{Assignment, Input, PointRows};
use crate::progress::{Progress, Unit};
use crate::report::{Blamed as _, Complaint, Document, Failure};
use crate::{output, source};

/// The task: two activations at a point, or at every row of a table.
struct JointTask<'a> {
    args: &'a Eval,
    quiet: bool,
    both: &'a [Activation; 2],
    orders: &'a [[u32; 2]],
}

pub(super) fn run(args: &Eval, joint: &str, quiet: bool) -> Result<(), Failure> {
    let both = source::pair(&args.subject, joint)?;
    let orders = args.moments.iter().map(|order| match order {
        Order::Joint(orders) => Ok(*orders),
        Order::Single(n) => {
            let message = format!("`--moment {n}` with `--joint` needs two orders");
            Err(Complaint::new(message, "give both, as in `--moment 2,1` for E[g(u)² h(w)]"))
        }
    });
    let orders = orders.collect::<Result<Vec<_>, _>>()?;
    if let Some(twice) = (1..orders.len()).find(|i| orders[..*i].contains(&orders[*i])) {
        let message = format!("`--moment {}` is given twice", args.moments[twice]);
        return Err(Complaint::new(message, "give it once").into());
    }
    let task = JointTask { args, quiet, both: &both, orders: &orders };
    match args.precision {
        Precision::F64 => task.run::<f64>(),
        Precision::F32 => task.run::<f32>(),
    }
}

impl JointTask<'_> {
    fn run<T: Number>(&self) -> Result<(), Failure> {
        match &self.args.csv {
            Some(path) => self.table::<T>(path),
            None => self.point::<T>(),
        }
    }

    /// The names of the results.
    fn names(&self) -> Vec<String> {
        let is_log = self.args.log;
        let logarithms = MixedMoment::NAMES.iter().skip(1).filter(|_| is_log);
        let own = PairMoments::NAMES.iter().chain(logarithms).map(|name| (*name).to_owned());
        let moment = |[m, n]: &[u32; 2]| {
            let name = format!("moment{m}_{n}");
            if is_log { vec![name.clone(), format!("log_{name}")] } else { vec![name] }
        };
        own.chain(self.orders.iter().flat_map(moment)).collect()
    }

    /// The options for the parameters of each activation.
    fn options(&self) -> [Vec<String>; 2] {
        let [g, h] = self.both;
        parameters::of_both([g, h], &self.args.parameters)
    }

    fn point<T: Number>(&self) -> Result<(), Failure> {
        let args = self.args;
        let second = [("--gamma-h", &args.gamma_h), ("--xi2-h", &args.xi2_h), ("--cov", &args.cov)];
        if let Some((option, _)) = second.iter().find(|(_, given)| given.is_none()) {
            let help = "give `--gamma-h`, `--xi2-h` and `--cov`, or a table by `--csv`";
            return Err(Complaint::new(format!("`--joint` needs `{option}`"), help).into());
        }
        let options = self.options();
        let [g, h] = self.both;
        let given = [complete(g, &options[0])?, complete(h, &options[1])?];
        let pair = NumericPair::new(self, [&given[0], &given[1]])?;
        let text = |option: &Option<String>| option.clone().unwrap_or_default();
        let (gamma, xi2) =
            number::point::<T>(args.gamma.as_deref(), args.xi2.as_deref(), args.xi.as_deref())?;
        let given = |option: &str, text: &str, parse: fn(&str) -> Result<T, Complaint>| {
            parse(text).map_err(|complaint| Document::new(option, text).whole(complaint))
        };
        let gamma_h = given("--gamma-h", &text(&args.gamma_h), |t| number::finite("gamma_h", t))?;
        let xi2_h = given("--xi2-h", &text(&args.xi2_h), |t| number::variance("xi2_h", t))?;
        let cov_text = text(&args.cov);
        let cov = given("--cov", &cov_text, |t| number::finite("cov", t))?;
        let values = pair.values([gamma, xi2, gamma_h, xi2_h, cov]);
        let values =
            values.map_err(|complaint| Document::new("--cov", &cov_text).whole(complaint))?;
        let lines = self.names().into_iter().zip(values);
        let lines: String = lines.map(|(n, value)| format!("{n} {}\n", digits(value))).collect();
        output::deliver(&lines, args.out.as_deref())
    }

    fn table<T: Number>(&self, path: &Path) -> Result<(), Failure> {
        if self.args.subject.reads_stdin() && path == Path::new("-") {
            return Err(source::stdin_twice());
        }
        let input = Input::open(path)?;
        let out = self.args.out.as_deref();
        // Rows on a terminal show how far it is.
        let shown = !self.quiet && (out.is_some() || !io::stdout().is_terminal());
        let progress = |what| Progress::new(what, input.size(), Unit::Bytes, shown);
        let names = self.names();
        let [g, h] = self.both;
        let mut rows = PointRows::new(&input, &[g, h])?;
        rows.check_names(&names)?;
        let columns = columns(&rows)?;
        let options = self.options();
        let assignments = [
            Assignment::new(g, &options[0], &rows, &columns)?,
            Assignment::new(h, &options[1], &rows, &columns)?,
        ];
        let mut checked = progress("checking");
        let mut pairs = Pairs::new(self, &assignments);
        while let Some(point) = read::<T>(&mut rows, columns)? {
            let pair = pairs.at(&rows)?;
            pair.check(point).map_err(|complaint| rows.refusal(complaint))?;
            checked.at(rows.position());
        }
        // Both passes read the same open file, so the first ends before the second rewinds it.
        drop((rows, checked));
        output::deliver_with(out, |writer| {
            let (mut rows, mut computed) =
                (PointRows::new(&input, &[g, h])?, progress("computing"));
            let mut writer = csv::Writer::from_writer(writer);
            let header = rows.header().iter().chain(names.iter().map(String::as_bytes));
            writer.write_record(header).map_err(io_error)?;
            while let Some(point) = read::<T>(&mut rows, columns)? {
                let values = pairs.at(&rows)?.values(point);
                let values = values.map_err(|complaint| rows.refusal(complaint))?;
                let values: Vec<String> = values.into_iter().map(digits).collect();
                let record = rows.row().iter().chain(values.iter().map(String::as_bytes));
                writer.write_record(record).map_err(io_error)?;
                computed.at(rows.position());
            }
            Ok(writer.flush()?)
        })
    }
}

/// The two functions, their parameters being numbers.
struct NumericPair {
    both: [Dynamic; 2],
    /// Powers of them, whose moments are wanted too.
    powers: Vec<[Dynamic; 2]>,
    /// Whether E[g h] is wanted relative to itself, with its logarithm and the derivatives of both.
    is_log: bool,
}

impl NumericPair {
    fn new(task: &JointTask<'_>, given: [&[Given<'_>]; 2]) -> Result<Self, Failure> {
        let [g, h] = task.both;
        let raised = |[m, n]: [u32; 2]| {
            Ok::<_, Failure>([dynamic(&g.power(m)?, given[0])?, dynamic(&h.power(n)?, given[1])?])
        };
        let powers = task.orders.iter().map(|orders| raised(*orders)).collect::<Result<_, _>>()?;
        Ok(Self { both: raised([1, 1])?, powers, is_log: task.args.log })
    }

    /// Whether there is such a law.
    fn check<T: Number>(&self, point: [T; 5]) -> Result<(), Complaint> {
        let at = law(point);
        at.check().map_err(|error| complaint(error, at))
    }

    fn values<T: Number>(&self, point: [T; 5]) -> Result<Vec<T>, Complaint> {
        let at = law(point);
        let moments =
            |[g, h]: &[Dynamic; 2]| g.pair_moments(h, at).map_err(|error| complaint(error, at));
        let mixed =
            |[g, h]: &[Dynamic; 2]| g.mixed_moment(h, at).map_err(|error| complaint(error, at));
        let mut values = moments(&self.both)?.to_array().to_vec();
        if self.is_log {
            let [mixed, rest @ ..] = mixed(&self.both)?.to_array();
            values[0] = mixed;
            values.extend(rest);
        }
        for powers in &self.powers {
            if self.is_log {
                let moment = mixed(powers)?;
                values.extend([moment.mixed, moment.log_mixed]);
            } else {
                values.push(moments(powers)?.mixed);
            }
        }
        Ok(values.into_iter().map(T::from_f64).collect())
    }
}

/// The pair for the rows of a table: made once, or again where parameters change.
struct Pairs<'a> {
    task: &'a JointTask<'a>,
    assignments: &'a [Assignment<'a>; 2],
    /// The values of the parameters, and the pair with them.
    last: Option<(Vec<f64>, NumericPair)>,
}

impl<'a> Pairs<'a> {
    fn new(task: &'a JointTask<'a>, assignments: &'a [Assignment<'a>; 2]) -> Self {
        Self { task, assignments, last: None }
    }

    fn at(&mut self, rows: &PointRows<'_>) -> Result<&NumericPair, Failure> {
        let [g, h] = self.assignments;
        let given = [g.values(rows)?, h.values(rows)?];
        let values: Vec<f64> = given.iter().flatten().map(|given| given.value).collect();
        let last = match self.last.take() {
            Some((known, pair)) if known == values => (known, pair),
            _ => (values, NumericPair::new(self.task, [&given[0], &given[1]])?),
        };
        Ok(&self.last.insert(last).1)
    }
}

fn law<T: Number>(point: [T; 5]) -> Inputs {
    let [gamma, xi2, gamma_h, xi2_h, cov] = point.map(T::to_f64);
    let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov };
    // Single precision rounds √(ξ² ξ′²) by more than double does.
    if T::NAME == "f32" { at.pulled(f64::from(f32::EPSILON)) } else { at }
}

/// Where a table has what belongs to the second pre-activation.
fn columns(rows: &PointRows<'_>) -> Result<[usize; 3], Failure> {
    Ok([rows.column("gamma_h")?, rows.column("xi2_h")?, rows.column("cov")?])
}

fn read<T: Number>(
    rows: &mut PointRows<'_>,
    columns: [usize; 3],
) -> Result<Option<[T; 5]>, Failure> {
    let Some((gamma, xi2)) = rows.point::<T>()? else { return Ok(None) };
    let gamma_h = rows.field(columns[0], "gamma_h", |text| number::finite("gamma_h", text))?;
    let xi2_h = rows.field(columns[1], "xi2_h", |text| number::variance("xi2_h", text))?;
    let cov = rows.field(columns[2], "cov", |text| number::finite("cov", text))?;
    Ok(Some([gamma, xi2, gamma_h, xi2_h, cov]))
}

fn complaint(error: InvalidLaw, at: Inputs) -> Complaint {
    let help = match error {
        InvalidLaw::Covariance => {
            let most = at.xi2.sqrt() * at.xi2_h.sqrt();
            format!("Cauchy–Schwarz: c² ≤ ξ² ξ′², so that |c| is at most {most} here")
        }
        _ => "give variances ξ², ξ′² ≥ 0 and a covariance c with c² ≤ ξ² ξ′²".to_owned(),
    };
    Complaint::new(error.to_string(), help)
}
