//! Symbols as the command line gives them, and limits in them, `symbol=point`.

use gaussform_symbolic::moment::Point;
use gaussform_symbolic::polynomial::Symbol;
use gaussform_symbolic::{Parameter, similar};

use crate::number::exact;
use crate::report::{Blamed as _, Complaint, Document, Failure};

/// γ, ξ² or a parameter from its name; for a pair γ′, ξ′² and σ too.
pub(super) fn symbol(
    name: &str,
    parameters: &[Parameter],
    pair: bool,
) -> Result<Symbol, Complaint> {
    if let Some(parameter) = parameters.iter().find(|p| *p.name == *name) {
        return Ok(Symbol::Parameter(parameter.name.clone()));
    }
    let symbol = match name {
        "gamma" | "γ" => return Ok(Symbol::Gamma),
        "xi2" | "ξ²" | "ξ2" => return Ok(Symbol::Xi2),
        "gamma_h" | "γ′" => Some(Symbol::GammaOther),
        "xi2_h" | "ξ′²" => Some(Symbol::Xi2Other),
        "cov" | "σ" => Some(Symbol::Covariance),
        _ => None,
    };
    match symbol {
        Some(symbol) if pair => return Ok(symbol),
        Some(_) => {
            let message = format!("`{name}` belongs to two pre-activations");
            return Err(Complaint::new(message, "give the second activation with `--joint`"));
        }
        None => {}
    }
    let mut known = vec!["gamma", "xi2"];
    if pair {
        known.extend(["gamma_h", "xi2_h", "cov"]);
    }
    known.extend(parameters.iter().map(|p| &*p.name));
    let message = format!("`{name}` is no symbol of the formulas");
    if let Some(meant) = similar(name, known.iter().copied()) {
        return Err(Complaint::new(message, format!("did you mean `{meant}`?")));
    }
    let (last, start) = known.split_last().expect("γ is known");
    Err(Complaint::new(message, format!("name {} or {last}", start.join(", "))))
}

/// A limit that can be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    /// The limit in γ or in a parameter, at the first of these points that declarations let it come near.
    At(Symbol, Vec<Point>),
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
                let points = points(parameter.expect("a symbol that was found"), text)?;
                Ok(Self::At(symbol, points))
            }
            Symbol::Xi2 if matches!(text, "0" | "0+") => Ok(Self::Noiseless),
            Symbol::Xi2 => {
                let message = format!("no limit for ξ² at `{text}`");
                Err(Complaint::new(message, "ξ² has one at 0: write `--limit xi2=0`"))
            }
            _ => match infinity {
                Some(point) => Ok(Self::At(symbol, vec![point])),
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

/// A point from inside the domain of the parameter alone; where no side is given, from above and then from below.
fn points(parameter: &Parameter, text: &str) -> Result<Vec<Point>, Complaint> {
    let (lower, upper) = (parameter.lower.as_ref(), parameter.upper.as_ref());
    let outside = || {
        let message = format!("the domain of `{}` does not reach to {text}", parameter.name);
        Complaint::new(message, format!("it is declared as `{parameter}`"))
    };
    let inside = |points: &[(Point, bool)]| {
        let inside = points.iter().filter(|(_, is_possible)| *is_possible);
        let inside: Vec<Point> = inside.map(|(point, _)| point.clone()).collect();
        if inside.is_empty() { Err(outside()) } else { Ok(inside) }
    };
    match infinite(text) {
        Some(Point::Infinity) => return inside(&[(Point::Infinity, upper.is_none())]),
        Some(other) => return inside(&[(other, lower.is_none())]),
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
    let sides = [(Point::Above(value.clone()), above), (Point::Below(value), below)];
    match text.strip_prefix(number) {
        Some("+") => inside(&sides[..1]),
        Some("-") => inside(&sides[1..]),
        _ => inside(&sides),
    }
}
