//! MathML Core, for a page in a browser.

use num_traits::One;

use super::math::{Math, Name, Named, signed};
use super::text;
use crate::derivation::Derivation;
use crate::exact::Rational;
use crate::moment::Form;
use crate::piecewise::Piecewise;

/// So many columns of text stand for a formula that fits on a page.
const WIDTH: usize = 84;
/// An equation of a knot that is longer stands below the knot's digits,
const SHORT: usize = 24;
/// in lines of so many columns.
const LEGEND: usize = 44;

/// A form, as one row.
#[must_use]
pub fn form(form: &Form) -> String {
    math(&super::steps::form(form))
}

/// An equation in a block, broken between terms where it is long.
#[must_use]
pub fn equation(derivation: &Derivation) -> String {
    let (quantity, value) = derivation.result();
    let left = math(&super::steps::quantity(quantity));
    block(&aligned(&left, &super::steps::value(derivation, value)))
}

/// Two sides of an equation in a block, broken between terms where they are long.
#[must_use]
pub fn equated(left: &Math, right: &Math) -> String {
    block(&aligned(&math(left), right))
}

/// Functions of the same u, and what their numbered irrational knots are, each in a block.
#[must_use]
pub fn definitions(functions: &[(&str, &Piecewise)]) -> String {
    in_variables(functions, &["u"; 2])
}

/// A function of u and one of w, as [`definitions`] shows them, and what else the formulas of two
/// pre-activations refer to.
#[must_use]
pub fn pair_definitions(g: (&str, &Piecewise), h: (&str, &Piecewise)) -> String {
    let determinant = format!(
        "{}<mo>=</mo><msup><mi>ξ</mi><mn>2</mn></msup><msup><mi>ξ′</mi><mn>2</mn></msup><mo>−</mo>\
         <msup><mi>σ</mi><mn>2</mn></msup>",
        symbol(&Name::Determinant)
    );
    let mut displays = vec![in_variables(&[g, h], &["u", "w"]), block(&determinant)];
    if super::steps::has_quadrants(g.1, h.1) {
        displays.push(block(QUADRANT));
    }
    displays.join("\n")
}

/// Q(a, b) = 4 Φ₂(a/ξ, b/ξ′; σ/(ξξ′)) − 2 Φ(a/ξ) − 2 Φ(b/ξ′) + 1
const QUADRANT: &str = "\
    <mi>Q</mi><mrow><mo>(</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo>)</mo></mrow><mo>=</mo><mn>4</mn>\
    <msub><mi>Φ</mi><mn>2</mn></msub><mrow><mo>(</mo><mfrac><mi>a</mi><mi>ξ</mi></mfrac><mo>,</mo>\
    <mfrac><mi>b</mi><mi>ξ′</mi></mfrac><mo>;</mo><mfrac><mi>σ</mi><mrow><mi>ξ</mi><mi>ξ′</mi></mrow>\
    </mfrac><mo>)</mo></mrow><mo>−</mo><mn>2</mn><mi>Φ</mi><mrow><mo>(</mo><mfrac><mi>a</mi><mi>ξ</mi>\
    </mfrac><mo>)</mo></mrow><mo>−</mo><mn>2</mn><mi>Φ</mi><mrow><mo>(</mo><mfrac><mi>b</mi>\
    <mi>ξ′</mi></mfrac><mo>)</mo></mrow><mo>+</mo><mn>1</mn>";

fn in_variables(functions: &[(&str, &Piecewise)], variables: &[&str]) -> String {
    let all: Vec<&Piecewise> = functions.iter().map(|(_, function)| *function).collect();
    let (definitions, roots) = super::steps::definitions(&all);
    let named =
        functions.iter().zip(variables).zip(definitions).map(|(((name, _), variable), right)| {
            let right = if *variable == "w" { right.in_other() } else { right };
            let variable = parenthesised(&format!("<mi>{variable}</mi>"));
            block(&format!("{}{variable}<mo>=</mo>{}", identifier(name), math(&right)))
        });
    let legend = super::steps::legend(&roots).into_iter().map(|(name, digits, equation)| {
        let digits = digits.replace('-', "−");
        let number = format!("{}<mo>≈</mo><mn>{digits}</mn>", math(&name));
        let zero = "<mo>=</mo><mn>0</mn>";
        match &equation {
            Math::Sum(parts) if text::math(&equation).chars().count() > SHORT => {
                let terms = terms(parts);
                let width = |(_, part): &(bool, Math)| text::math(part).chars().count() + 2;
                let lines = super::fold::filled(parts, width, LEGEND);
                let lines = lines.into_iter().enumerate().map(|(i, line)| {
                    let end = if line.end == terms.len() { zero } else { "" };
                    let line = terms[line].concat() + end;
                    block(&if i == 0 {
                        line
                    } else {
                        line.replacen("<mo>", "<mo form=\"infix\">", 1)
                    })
                });
                block(&format!("{number}<mo>,</mo>")) + "\n" + &lines.collect::<Vec<_>>().join("\n")
            }
            _ => block(&format!(
                "{number}<mo>,</mo><mspace width=\"1em\"/>{}{zero}",
                math(&equation)
            )),
        }
    });
    named.chain(legend).collect::<Vec<_>>().join("\n")
}

/// The limit of a result for ξ → 0 in a block.
#[must_use]
pub fn noiseless(derivation: &Derivation) -> String {
    let (left, right, apart) = super::steps::noiseless(derivation);
    let apart = apart.iter().map(|knots| knots.each_ref().map(math).join("<mo>&lt;</mo>"));
    let apart = apart.collect::<Vec<_>>().join("<mtext> and </mtext>");
    let note = match apart.as_str() {
        "" => String::new(),
        apart => format!("<mtext> {} </mtext>{apart}", text::APART),
    };
    block(&format!("{}<mo>=</mo>{}{note}", math(&left), math(&right)))
}

/// The derivation as a table: number, equation, reason.
#[must_use]
pub fn steps(derivation: &Derivation) -> String {
    let rows = super::steps::lines(derivation).into_iter().enumerate().map(|(i, line)| {
        let reason = format!("<mtext>{}</mtext>", line.reason());
        let equation = match super::shared::shared(line.right.clone()).definitions.is_empty() {
            true => format!("{}<mo>=</mo>{}", math(&line.left), math(&line.right)),
            false => aligned(&math(&line.left), &line.right),
        };
        let number = format!("<mtext>({})</mtext>", i + 1);
        row(&[("right", number), ("left", equation), ("left", reason)])
    });
    block(&format!("<mtable displaystyle=\"true\">{}</mtable>", rows.collect::<String>()))
}

fn block(inside: &str) -> String {
    format!("<math xmlns=\"http://www.w3.org/1998/Math/MathML\" display=\"block\">{inside}</math>")
}

fn aligned(left: &str, right: &Math) -> String {
    let shared = super::shared::shared(right.clone());
    let is_long = text::math(&shared.formula).chars().count() > WIDTH;
    if !is_long && shared.definitions.is_empty() {
        return format!("{left}<mo>=</mo>{}", math(right));
    }
    let mut all = rows(left, &shared.formula);
    for (i, (name, value)) in shared.definitions.iter().enumerate() {
        let word = if i == 0 { "where" } else { "and" };
        all += &rows(&format!("<mtext>{word}&#xa0;</mtext>{}", math(name)), value);
    }
    format!("<mtable displaystyle=\"true\">{all}</mtable>")
}

/// An equation as rows of a table, with as many terms in each as a page has room for.
fn rows(left: &str, right: &Math) -> String {
    let equals = "<mo>=</mo>";
    let Math::Sum(parts) = right else {
        return row(&[("right", left.to_owned()), ("left", format!("{equals}{}", math(right)))]);
    };
    let terms = terms(parts);
    let width = |(_, part): &(bool, Math)| text::math(part).chars().count() + 2;
    let lines = super::fold::filled(parts, width, WIDTH).into_iter().enumerate();
    let rows = lines.map(|(i, line)| match i {
        0 => row(&[
            ("right", left.to_owned()),
            ("left", format!("{equals}{}", terms[line].concat())),
        ]),
        // At the start of a cell, a sign would be taken for that of a number.
        _ => {
            let terms = terms[line].concat().replacen("<mo>", "<mo form=\"infix\">", 1);
            row(&[("right", String::new()), ("left", terms)])
        }
    });
    rows.collect()
}

/// A row of a table: MathML Core leaves the alignment to style sheets.
fn row(cells: &[(&str, String)]) -> String {
    let cells = cells
        .iter()
        .map(|(align, cell)| format!("<mtd style=\"text-align: {align}\">{cell}</mtd>"));
    format!("<mtr>{}</mtr>", cells.collect::<String>())
}

/// A formula, as one element.
#[must_use]
pub fn math(formula: &Math) -> String {
    match formula {
        Math::Number(value) => number(value),
        Math::Name(name) => symbol(name),
        Math::Sum(parts) => grouped(&terms(parts).concat()),
        Math::Product(factors) => {
            let factors = factors.iter().map(|factor| match factor {
                Math::Sum(_) => parenthesised(&math(factor)),
                _ => math(factor),
            });
            // Invisible times.
            grouped(&factors.collect::<Vec<_>>().join("<mo>\u{2062}</mo>"))
        }
        Math::Power(base, exponent) => match base.as_ref() {
            Math::Apply(named @ (Named::Function | Named::Other), inner) => {
                let power = format!("<msup>{}<mn>{exponent}</mn></msup>", function(*named));
                grouped(&format!("{power}{}", parenthesised(&math(inner))))
            }
            _ => format!("<msup>{}<mn>{exponent}</mn></msup>", atom(base)),
        },
        Math::Quotient(above, below) => {
            format!("<mfrac>{}{}</mfrac>", math(above), math(below))
        }
        Math::Root(inner) => format!("<msqrt>{}</msqrt>", math(inner)),
        Math::Modulus(inner) => fenced("|", &math(inner), "|"),
        Math::Apply(Named::Variance, inner) => {
            let space = "<mspace width=\"0.17em\"/>";
            grouped(&format!("{}{space}{}", function(Named::Variance), math(inner)))
        }
        // Function application.
        Math::Apply(named, inner) => grouped(&format!(
            "{}<mo>\u{2061}</mo>{}",
            function(*named),
            parenthesised(&math(inner))
        )),
        Math::Cases(variable, cases) => {
            let rows = cases.iter().map(|(value, lower, upper)| {
                let range = range(&symbol(variable), lower.as_ref(), upper.as_ref());
                row(&[("left", math(value)), ("left; padding-left: 1em", range)])
            });
            let table = format!("<mtable>{}</mtable>", rows.collect::<String>());
            grouped(&format!("<mo stretchy=\"true\">{{</mo>{table}"))
        }
        Math::Expectation(inner) => {
            grouped(&format!("<mi>𝔼</mi>{}", fenced("[", &math(inner), "]")))
        }
        Math::Partial(inner, name) => {
            let operator =
                format!("<mfrac><mo>∂</mo><mrow><mo>∂</mo>{}</mrow></mfrac>", symbol(name));
            grouped(&(operator + &math(inner)))
        }
        Math::OneSided(inner, side) => {
            let side = if *side == '+' { "+" } else { "−" };
            format!("<msup>{}<mo>{side}</mo></msup>", atom(inner))
        }
        Math::Pair(first, second) => grouped(&format!("{}<mo>,</mo>{}", math(first), math(second))),
        Math::Limit(inner, name, point) => {
            let to = grouped(&format!("{}<mo>→</mo>{}", symbol(name), math(point)));
            grouped(&format!("<munder><mo>lim</mo>{to}</munder>{}", math(inner)))
        }
    }
}

fn range(variable: &str, lower: Option<&Math>, upper: Option<&Math>) -> String {
    match (lower, upper) {
        (Some(a), Some(b)) if a == b => format!("{variable}<mo>=</mo>{}", math(a)),
        (Some(a), Some(b)) => {
            format!("{}<mo>&lt;</mo>{variable}<mo>&lt;</mo>{}", math(a), math(b))
        }
        (Some(a), None) => format!("{variable}<mo>&gt;</mo>{}", math(a)),
        (None, Some(b)) => format!("{variable}<mo>&lt;</mo>{}", math(b)),
        (None, None) => format!("<mtext>all </mtext>{variable}"),
    }
}

/// The terms of a sum, each with its sign.
fn terms(parts: &[(bool, Math)]) -> Vec<String> {
    signed(parts, math, ["<mo>−</mo>", "<mo>+</mo>", "<mo>−</mo>"])
}

fn grouped(inside: &str) -> String {
    format!("<mrow>{inside}</mrow>")
}

fn fenced(open: &str, inside: &str, close: &str) -> String {
    format!(
        "<mrow><mo stretchy=\"true\">{open}</mo>{inside}<mo stretchy=\"true\">{close}</mo></mrow>"
    )
}

fn parenthesised(inside: &str) -> String {
    fenced("(", inside, ")")
}

/// The formula as the base of a power, in parentheses unless it is a name, an integer or an expectation.
fn atom(formula: &Math) -> String {
    match formula {
        Math::Name(_) | Math::Expectation(_) => math(formula),
        Math::Number(value) if value.denom().is_one() => math(formula),
        _ => parenthesised(&math(formula)),
    }
}

fn number(value: &Rational) -> String {
    if value.denom().is_one() {
        format!("<mn>{}</mn>", value.numer())
    } else {
        format!("<mfrac><mn>{}</mn><mn>{}</mn></mfrac>", value.numer(), value.denom())
    }
}

fn function(named: Named) -> &'static str {
    match named {
        Named::Erf => "<mi>erf</mi>",
        Named::Exp => "<mi>exp</mi>",
        Named::Sign => "<mi>sgn</mi>",
        Named::Variance => "<mi>Var</mi>",
        Named::Covariance => "<mi>Cov</mi>",
        Named::Function => "<mi>g</mi>",
        Named::Other => "<mi>h</mi>",
        Named::Quadrant => "<mi>Q</mi>",
    }
}

/// A name from a declaration: letters, digits and underscores.
fn identifier(name: &str) -> String {
    format!("<mi>{name}</mi>")
}

fn symbol(name: &Name) -> String {
    match name {
        Name::Variable => "<mi>u</mi>".to_owned(),
        Name::Gamma => "<mi>γ</mi>".to_owned(),
        Name::Xi => "<mi>ξ</mi>".to_owned(),
        Name::Xi2 => "<msup><mi>ξ</mi><mn>2</mn></msup>".to_owned(),
        Name::OtherVariable => "<mi>w</mi>".to_owned(),
        Name::GammaOther => "<mi>γ′</mi>".to_owned(),
        Name::XiOther => "<mi>ξ′</mi>".to_owned(),
        Name::Xi2Other => "<msup><mi>ξ′</mi><mn>2</mn></msup>".to_owned(),
        Name::Determinant => "<mi>Δ</mi>".to_owned(),
        Name::Covariance => "<mi>σ</mi>".to_owned(),
        Name::Pi => "<mi>π</mi>".to_owned(),
        Name::Infinity => "<mi>∞</mi>".to_owned(),
        Name::Parameter(name) => identifier(super::line::greek(name).map_or(name, |(c, _)| c)),
        Name::Root(_) => "<mi>t</mi>".to_owned(),
        Name::Knot(0) => "<mi>t</mi>".to_owned(),
        Name::Shared(letter, arguments) => {
            let arguments: Vec<String> = arguments.iter().map(symbol).collect();
            let arguments = parenthesised(&arguments.join("<mo>,</mo>"));
            format!("<mrow><mi>{letter}</mi><mo>⁡</mo>{arguments}</mrow>")
        }
        Name::Knot(index) => format!("<msub><mi>t</mi><mn>{index}</mn></msub>"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Activation;
    use crate::polynomial::Symbol;

    /// Every element that is opened is closed, in order.
    fn assert_balanced(text: &str) {
        let mut open: Vec<&str> = Vec::new();
        for tag in text.split('<').skip(1) {
            let (tag, _) = tag.split_once('>').expect("a tag ends");
            let name = tag.split_whitespace().next().expect("a name");
            if let Some(name) = name.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{text}");
            } else if !tag.ends_with('/') {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{text}");
    }

    #[test]
    fn elements_are_balanced() {
        for text in [
            "max(0, x)",
            "|x^3 - x - 1| + step(x^2 - 2)",
            "hard(x; alpha > 0) = (|x + alpha| - |x - alpha|)/(2*alpha)",
        ] {
            let activation = Activation::parse(text).expect("in the language");
            assert_balanced(&definitions(&[("g", &activation.function)]));
            let variance = activation.variance().expect("within limits");
            let slope = variance.clone().differentiate(&Symbol::Xi2).expect("within limits");
            for derivation in [&variance, &slope] {
                assert_balanced(&equation(derivation));
                assert_balanced(&steps(derivation));
                assert_balanced(&noiseless(derivation));
            }
        }
    }

    #[test]
    fn the_mean_of_a_relu() {
        let mean = Activation::parse("max(0, x)").expect("valid").moment(1).expect("a low order");
        let start = "<mrow><mrow><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>\u{2062}</mo><mi>γ</mi></mrow>\
                     <mo>+</mo>";
        assert!(form(&mean.form()).starts_with(start), "{}", form(&mean.form()));
    }
}
