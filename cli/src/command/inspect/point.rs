//! Limits as the command line gives them, `symbol=point`.

use gaussform_symbolic::Parameter;
use gaussform_symbolic::moment::Point;
use gaussform_symbolic::polynomial::Symbol;

use super::question::symbol;
use crate::number::exact;
use crate::report::{Blamed as _, Complaint, Document, Failure};

/// A limit that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// The limit in γ or in a parameter.
    At(Symbol, Point),
    /// The limit ξ² → 0, wherever γ is.
    Noiseless,
}

impl Limit {
    pub(super) fn read(text: &str, known: &[Parameter]) -> Result<Self, Failure> {
        let document = Document::new("--limit", text);
        let Some((name, point)) = text.split_once('=') else {
            let message = "a limit is given as `symbol=point`";
            let complaint = Complaint::new(message, "write it as `--limit gamma=inf`");
            return Err(document.whole(complaint));
        };
        let place = name.len() + 1..text.len();
        let symbol = symbol(name.trim(), known, false)
            .map_err(|complaint| document.at(0..name.len(), complaint))?;
        Self::of(symbol, point.trim(), known).map_err(|complaint| document.at(place, complaint))
    }

    fn of(symbol: Symbol, text: &str, known: &[Parameter]) -> Result<Self, Complaint> {
        let infinity = infinite(text);
        match &symbol {
            Symbol::Parameter(name) => {
                let parameter = known.iter().find(|parameter| parameter.name == *name);
                let point = point(parameter.expect("a symbol that was found"), text)?;
                Ok(Self::At(symbol, point))
            }
            Symbol::Xi2 if matches!(text, "0" | "0+") => Ok(Self::Noiseless),
            Symbol::Xi2 => {
                let message = format!("no limit for ξ² at `{text}`");
                Err(Complaint::new(message, "ξ² has one at 0: write `--limit xi2=0`"))
            }
            _ => match infinity {
                Some(point) => Ok(Self::At(symbol, point)),
                None => {
                    let message = format!("no limit for γ at `{text}`");
                    let help = "γ has limits at `inf` and `-inf`; `gaussform eval` has values";
                    Err(Complaint::new(message, help))
                }
            },
        }
    }
}

fn infinite(text: &str) -> Option<Point> {
    match text {
        "inf" | "+inf" | "∞" | "+∞" => Some(Point::Infinity),
        "-inf" | "-∞" | "−∞" => Some(Point::NegativeInfinity),
        _ => None,
    }
}

/// A point from inside the domain: from above where that is possible and nothing else is said.
fn point(parameter: &Parameter, text: &str) -> Result<Point, Complaint> {
    let (lower, upper) = (parameter.lower.as_ref(), parameter.upper.as_ref());
    let outside = || {
        let message = format!("the domain of `{}` does not reach to {text}", parameter.name);
        Complaint::new(message, format!("it is declared as `{parameter}`"))
    };
    let inside = |point, possible: bool| possible.then_some(point).ok_or_else(outside);
    match infinite(text) {
        Some(Point::Infinity) => return inside(Point::Infinity, upper.is_none()),
        Some(other) => return inside(other, lower.is_none()),
        None => {}
    }
    let number = text.strip_suffix(['+', '-']).unwrap_or(text);
    let Some(value) = exact(number) else {
        let message = format!("`{text}` is no place for `{}` to go to", parameter.name);
        let help = "write `inf`, `-inf` or a number; `0+` is from above, `0-` from below";
        return Err(Complaint::new(message, help));
    };
    let within =
        lower.is_none_or(|end| end.value <= value) && upper.is_none_or(|end| end.value >= value);
    let above = within && upper.is_none_or(|end| end.value > value);
    let below = within && lower.is_none_or(|end| end.value < value);
    match (text.strip_prefix(number), above) {
        (Some("+"), _) | (Some(""), true) => inside(Point::Above(value), above),
        _ => inside(Point::Below(value), below),
    }
}
