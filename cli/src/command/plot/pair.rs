//! `gaussform plot --joint`: the covariance of two pre-activations' activations.

use gaussform_report::plot::{self, Pair, Picture, Subject};

use super::{COLUMNS, deviations};
use crate::args::{Figure, Plot};
use crate::number::finite;
use crate::progress::Waiting;
use crate::report::{Blamed as _, Complaint, Document, Failure};
use crate::{parameters, source};

/// The picture for one choice of means and standard deviations.
pub(super) fn picture(args: &Plot, joint: &str, quiet: bool) -> Result<Picture, Failure> {
    let [g, h] = source::pair(&args.subject, joint)?;
    let values = parameters::exact_values_of_both([&g, &h], &args.parameters)?;
    let gamma = [mean("--gamma", &args.gamma)?, mean("--gamma-h", &args.gamma_h)?];
    let xi_h: Vec<String> = args.xi_h.iter().cloned().collect();
    let xi = [deviation("--xi", &args.xi)?, deviation("--xi-h", &xi_h)?];
    let _waiting = Waiting::new("drawing", !quiet);
    let subjects = [Subject::new(&g, &values[0])?, Subject::new(&h, &values[1])?];
    let xi = [0, 1].map(|i| xi[i].unwrap_or_else(|| subjects[i].deviation()));
    // In the middle, symmetric functions show nothing but a straight line.
    let gamma = [0, 1].map(|i| gamma[i].unwrap_or_else(|| subjects[i].middle() - xi[i]));
    let [first, second] = &subjects;
    let pair = Pair::new([first, second], gamma, xi)?;
    let is_wanted = |other| args.figure == Figure::All || args.figure == other;
    let mut panels = Vec::new();
    if is_wanted(Figure::Function) {
        panels.extend(plot::functions(&pair));
    }
    if is_wanted(Figure::Moments) {
        panels.push(plot::covariance(&pair));
    }
    if is_wanted(Figure::Errors) {
        panels.extend(plot::covariance_errors(&pair)?);
    }
    let title = format!("The covariance of {}", source::names([&g, &h]).join(" and "));
    Ok(Picture::sheet(&panels, COLUMNS, &title))
}

/// A mean from an option of this name.
fn mean(option: &str, given: &Option<String>) -> Result<Option<f64>, Failure> {
    let Some(text) = given else { return Ok(None) };
    let complaint = |complaint| Document::new(option, text).whole(complaint);
    if text.contains(':') {
        let message = "with `--joint` the axis is that of the correlation, from −1 to 1";
        let help = format!("give the mean of the pre-activation: `{option} 0.5`");
        return Err(complaint(Complaint::new(message, help)));
    }
    let name = option.trim_start_matches('-').replace('-', "_");
    finite(&name, text).map(Some).map_err(complaint)
}

/// At most one standard deviation.
fn deviation(option: &str, given: &[String]) -> Result<Option<f64>, Failure> {
    if given.len() > 1 {
        let message = "with `--joint` a picture is drawn for one standard deviation";
        let complaint = Complaint::new(message, format!("give one: `{option} {}`", given[0]));
        return Err(Document::new(option, given.join(",")).whole(complaint));
    }
    Ok(deviations(option, given)?.pop())
}
