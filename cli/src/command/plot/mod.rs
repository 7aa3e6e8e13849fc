//! `gaussform plot`: pictures.

mod pair;

use std::ops::Range;
use std::path::Path;

use gaussform_report::plot::{self, Picture, Subject};

use crate::args::{Figure, Plot};
use crate::number::finite;
use crate::progress::Waiting;
use crate::report::{Blamed as _, Complaint, Document, Failure, Outcome};
use crate::{output, parameters, source};

/// Panels side by side.
const COLUMNS: usize = 3;
/// The most panels of moments.
const MAX_DEVIATIONS: usize = 12;

/// How a picture is written.
#[derive(Clone, Copy)]
enum Format {
    Svg,
    Png,
}

pub(crate) fn run(args: &Plot, quiet: bool) -> Result<Outcome, Failure> {
    let format = format(&args.out)?;
    check_drawn(args)?;
    let picture = match &args.joint {
        Some(joint) => pair::picture(args, joint, quiet)?,
        None => picture(args, quiet)?,
    };
    match format {
        Format::Svg => output::deliver(&picture.to_svg(), Some(&args.out))?,
        Format::Png => output::deliver_bytes(&picture.to_png(), &args.out)?,
    }
    Ok(Outcome::Done)
}

/// Refuses what the figure does not show: a function is drawn without its pre-activation, and both functions of a pair
/// around their own knots.
fn check_drawn(args: &Plot) -> Result<(), Failure> {
    if args.figure != Figure::Function {
        return Ok(());
    }
    let one = |option: &Option<String>| option.iter().cloned().collect();
    let (axis, own): (Vec<String>, _) = (one(&args.gamma), args.xi.clone());
    let [axis, gamma_h, xi_h] = match args.joint {
        Some(_) => [axis, one(&args.gamma_h), one(&args.xi_h)],
        None => Default::default(),
    };
    let given = [("--xi", own), ("--gamma", axis), ("--gamma-h", gamma_h), ("--xi-h", xi_h)];
    match given.into_iter().find(|(_, texts)| !texts.is_empty()) {
        None => Ok(()),
        Some((option, texts)) => {
            let message = "a figure of the function alone does not depend on the pre-activation";
            let help = format!("leave `{option}` out, or choose another `--figure`");
            Err(Document::new(option, texts.join(",")).whole(Complaint::new(message, help)))
        }
    }
}

/// One activation.
fn picture(args: &Plot, quiet: bool) -> Result<Picture, Failure> {
    let activation = source::activation(&args.subject)?;
    let values = parameters::exact_values(&activation, &args.parameters)?;
    let gamma = args.gamma.as_deref().map(range).transpose()?;
    let xi = deviations("--xi", &args.xi)?;
    let _waiting = Waiting::new("drawing", !quiet);
    let subject = Subject::new(&activation, &values)?;
    let title = format!("{} and its moments", activation.name);
    Ok(Picture::sheet(&panels(&subject, args.figure, gamma, xi)?, COLUMNS, &title))
}

fn panels(
    subject: &Subject,
    figure: Figure,
    gamma: Option<Range<f64>>,
    xi: Vec<f64>,
) -> Result<Vec<Picture>, Failure> {
    let xi = if xi.is_empty() { subject.deviations() } else { xi };
    let middle = xi[xi.len() / 2];
    let near = gamma.clone().unwrap_or_else(|| subject.around());
    let is_wanted = |other| figure == Figure::All || figure == other;
    let mut panels = Vec::new();
    if is_wanted(Figure::Function) {
        panels.push(plot::function(subject, &near));
    }
    if is_wanted(Figure::Moments) {
        panels.extend(plot::moments(subject, &near, &xi));
    }
    let has_errors = match figure {
        Figure::All => subject.has_short_formulas(),
        other => other == Figure::Errors,
    };
    if has_errors {
        let range = gamma.unwrap_or_else(|| subject.far(middle));
        panels.extend(plot::errors(subject, &range, middle)?);
    }
    Ok(panels)
}

fn format(path: &Path) -> Result<Format, Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    match ending.as_deref() {
        Some("svg") => Ok(Format::Svg),
        Some("png") => Ok(Format::Png),
        _ => {
            let message = "the ending of the file says no format that is known";
            let complaint = Complaint::new(message, "write `--out FILE.svg` or `--out FILE.png`");
            Err(Document::new("--out", path.display().to_string()).whole(complaint))
        }
    }
}

/// Standard deviations from an option of this name.
fn deviations(option: &str, given: &[String]) -> Result<Vec<f64>, Failure> {
    let document = Document::new(option, given.join(","));
    if given.len() > MAX_DEVIATIONS {
        let message = format!("at most {MAX_DEVIATIONS} values of ξ are drawn");
        return Err(document.whole(Complaint::new(message, "leave some out")));
    }
    let read = |text: &String| {
        let name = option.trim_start_matches('-').replace('-', "_");
        let value: f64 = finite(&name, text)?;
        // The square of the number is a variance.
        if value > 0.0 && (value * value).is_normal() {
            return Ok(value);
        }
        let is = format!("`{name}` is `{}`", text.trim());
        Err(if value > 0.0 {
            let message = format!("{is}, whose square is no number of double precision");
            Complaint::new(message, "give a ξ from 1e-153 to 1e154")
        } else {
            let message = format!("{is}, but a standard deviation is positive");
            Complaint::new(message, format!("give ξ > 0, as in `{option} 0.5`"))
        })
    };
    given.iter().map(|text| read(text).map_err(|complaint| document.whole(complaint))).collect()
}

fn range(text: &str) -> Result<Range<f64>, Failure> {
    let wrong = |complaint| Document::new("--gamma", text).whole(complaint);
    let remedy = "write the ends of the axis as `--gamma -4:4`";
    let Some((from, to)) = text.split_once(':') else {
        return Err(wrong(Complaint::new("a range is given as `from:to`", remedy)));
    };
    let (from, to) = (finite("gamma", from).map_err(wrong)?, finite("gamma", to).map_err(wrong)?);
    let width: f64 = to - from;
    let size = f64::max(f64::abs(from), f64::abs(to));
    if width > 1e-9 * size && width.is_finite() && width.is_normal() {
        return Ok(from..to);
    }
    Err(wrong(Complaint::new("the range is empty, or too narrow or wide for a picture", remedy)))
}
