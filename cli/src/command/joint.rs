//! `gaussform eval --joint`: numbers of two correlated pre-activations.

use std::path::Path;

use gaussform_codegen::Dynamic;
use gaussform_runtime::pair::{Inputs, InvalidLaw};
use gaussform_symbolic::Activation;

use crate::args::{Eval, Precision};
use crate::number::{self, Number, digits};
use crate::points::{Input, Rows};
use crate::report::{Complaint, Document, Failure};
use crate::{output, parameters, source};

use super::eval::io_error;

/// What every point gets, in this order.
const NAMES: [&str; 7] = [
    "mixed",
    "covariance",
    "dcovariance_dgamma",
    "dcovariance_dxi2",
    "dcovariance_dgamma_h",
    "dcovariance_dxi2_h",
    "dcovariance_dcov",
];

/// The two functions, their parameters being numbers.
struct Pair {
    g: Dynamic,
    h: Dynamic,
}

pub(super) fn run(args: &Eval, joint: &str) -> Result<(), Failure> {
    let [g, h] = source::pair(&args.subject, joint)?;
    let [own, others] = parameters::of_both([&g, &h], &args.parameters);
    let pair = Pair { g: dynamic(&g, &own)?, h: dynamic(&h, &others)? };
    match args.precision {
        Precision::F64 => pair.run::<f64>(args),
        Precision::F32 => pair.run::<f32>(args),
    }
}

fn dynamic(activation: &Activation, given: &[String]) -> Result<Dynamic, Failure> {
    let values = parameters::values(activation, given)?;
    Dynamic::new(activation, &values)
        .map_err(|error| Failure::plain(format!("`{}`: {error}", activation.name)))
}

impl Pair {
    fn run<T: Number>(&self, args: &Eval) -> Result<(), Failure> {
        match &args.csv {
            Some(path) => self.table::<T>(args, path),
            None => self.point::<T>(args),
        }
    }

    fn point<T: Number>(&self, args: &Eval) -> Result<(), Failure> {
        let second = [("--gamma-h", &args.gamma_h), ("--xi2-h", &args.xi2_h), ("--cov", &args.cov)];
        if let Some((option, _)) = second.iter().find(|(_, given)| given.is_none()) {
            let help = "give `--gamma-h`, `--xi2-h` and `--cov`, or a table by `--csv`";
            return Err(Complaint::new(format!("`--joint` needs `{option}`"), help).into());
        }
        let text = |option: &Option<String>| option.clone().unwrap_or_default();
        let (gamma, xi2) = number::point::<T>(&text(&args.gamma), &text(&args.xi2))?;
        let given = |option: &str, text: &str, parse: fn(&str) -> Result<T, Complaint>| {
            parse(text).map_err(|complaint| Document::new(option, text).whole(complaint))
        };
        let gamma_h = given("--gamma-h", &text(&args.gamma_h), |t| number::finite("gamma_h", t))?;
        let xi2_h = given("--xi2-h", &text(&args.xi2_h), |t| number::variance("xi2_h", t))?;
        let cov_text = text(&args.cov);
        let cov = given("--cov", &cov_text, |t| number::finite("cov", t))?;
        let values = self.values([gamma, xi2, gamma_h, xi2_h, cov]);
        let values =
            values.map_err(|error| Document::new("--cov", &cov_text).whole(complaint(error)))?;
        let lines = NAMES.iter().zip(values);
        let lines: String = lines.map(|(n, value)| format!("{n} {}\n", digits(value))).collect();
        output::deliver(&lines, args.out.as_deref())
    }

    fn table<T: Number>(&self, args: &Eval, path: &Path) -> Result<(), Failure> {
        if args.subject.reads_stdin() && path == Path::new("-") {
            return Err(source::stdin_twice());
        }
        let input = Input::open(path)?;
        let names = NAMES.map(str::to_owned);
        let mut rows = Rows::new(&input)?;
        rows.check_names(&names)?;
        let columns = columns(&rows)?;
        while let Some(point) = read::<T>(&mut rows, columns)? {
            self.values(point).map_err(|error| rows.refusal(complaint(error)))?;
        }
        output::deliver_with(args.out.as_deref(), |writer| {
            let mut rows = Rows::new(&input)?;
            let mut writer = csv::Writer::from_writer(writer);
            let header = rows.header().iter().chain(names.iter().map(String::as_bytes));
            writer.write_record(header).map_err(io_error)?;
            while let Some(point) = read::<T>(&mut rows, columns)? {
                let values = self.values(point);
                let values = values.map_err(|error| rows.refusal(complaint(error)))?;
                let values = values.map(digits);
                let record = rows.row().iter().chain(values.iter().map(String::as_bytes));
                writer.write_record(record).map_err(io_error)?;
            }
            Ok(writer.flush()?)
        })
    }

    fn values<T: Number>(&self, point: [T; 5]) -> Result<[T; 7], InvalidLaw> {
        let [gamma, xi2, gamma_h, xi2_h, cov] = point.map(T::to_f64);
        let at = Inputs { gamma, xi2, gamma_h, xi2_h, cov };
        // Single precision rounds √(ξ² ξ′²) by more than double does.
        let at = if T::NAME == "f32" { at.pulled(f64::from(f32::EPSILON)) } else { at };
        Ok(self.g.pair_moments(&self.h, at)?.to_array().map(T::from_f64))
    }
}

/// Where a table has what belongs to the second pre-activation.
fn columns(rows: &Rows<'_>) -> Result<[usize; 3], Failure> {
    Ok([rows.column("gamma_h")?, rows.column("xi2_h")?, rows.column("cov")?])
}

fn read<T: Number>(rows: &mut Rows<'_>, columns: [usize; 3]) -> Result<Option<[T; 5]>, Failure> {
    let Some((gamma, xi2)) = rows.point::<T>()? else { return Ok(None) };
    let gamma_h = rows.field(columns[0], "gamma_h", |text| number::finite("gamma_h", text))?;
    let xi2_h = rows.field(columns[1], "xi2_h", |text| number::variance("xi2_h", text))?;
    let cov = rows.field(columns[2], "cov", |text| number::finite("cov", text))?;
    Ok(Some([gamma, xi2, gamma_h, xi2_h, cov]))
}

fn complaint(error: InvalidLaw) -> Complaint {
    let help = "give variances ξ², ξ′² ≥ 0 and a covariance c with c² ≤ ξ² ξ′² (Cauchy–Schwarz)";
    Complaint::new(error.to_string(), help)
}
