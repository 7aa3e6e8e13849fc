//! Every case of a declaration whose knots have no order that follows from what is declared.

use std::cell::Cell;
use std::fmt;

use crate::activation::{Activation, Header};
use crate::assumption::{Assumption, Assumptions};
use crate::domain::Domain;
use crate::error::{Error, ErrorKind, Limit};
use crate::exact::Rational;
use crate::grammar::{Declaration, Input, parse_input};
use crate::lower::{self, Library};
use crate::parameter::Relation;
use crate::polynomial::{Polynomial, Symbol};
use crate::render::source;

/// One case of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The conditions on the parameters, beside the declared ones, that hold in this case; empty if there is one case
    /// only.
    pub conditions: Vec<Condition>,
    /// The activation in this case.
    pub activation: Activation,
}

/// A condition on the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// A polynomial in the parameters.
    pub value: Polynomial,
    /// How it compares with 0.
    pub relation: Sign,
}

impl Case {
    /// The conditions of this case and of the case `other` of another activation together. Parameters of the same
    /// name are the same. `None` if no values of the parameters are in both cases.
    ///
    /// # Errors
    ///
    /// If parameters of the same name differ.
    pub fn beside(&self, other: &Self) -> Result<Option<Vec<Condition>>, Error> {
        let mut all: Vec<Condition> = Vec::new();
        for condition in self.conditions.iter().chain(&other.conditions) {
            if !all.iter().any(|known| known.to_string() == condition.to_string()) {
                all.push(condition.clone());
            }
        }
        let header = self.activation.shared(&other.activation)?;
        // Inequalities are relations of both activations.
        let (mut known, mut path) = (header.assumptions(), Path::default());
        for condition in all.iter().filter(|condition| condition.relation == Sign::Zero) {
            let value = condition.value.substitute_all(&path.solved).numerator();
            known = equal(&known, &value);
            path = path.with(Condition { value, relation: Sign::Zero });
        }
        // What contradicts itself without a condition is for the derivation to refuse.
        let exists = all.is_empty()
            || !known.contradictory()
                && Domain::new(&header.symbols(), known, &path.solved).is_some();
        Ok(exists.then_some(all))
    }
}

/// Where a value is 0, too.
fn equal(known: &Assumptions, value: &Polynomial) -> Assumptions {
    let of = |polynomial| Assumption { polynomial, strict: false };
    known.with(of(value.clone())).with(of(-value))
}

impl Condition {
    /// The condition as a relation, if it is an inequality. A parameter stands alone on one side where that can be.
    #[must_use]
    pub fn relation(&self) -> Option<Relation> {
        let (left, right, falling) = match self.value.solved() {
            Some((symbol, value, slope)) => {
                (Polynomial::symbol(symbol), value, slope < Rational::default())
            }
            None => (self.value.clone(), Polynomial::zero(), false),
        };
        let strict = matches!(self.relation, Sign::Negative | Sign::Positive);
        let below = match self.relation {
            Sign::Zero => return None,
            Sign::Negative | Sign::NotPositive => !falling,
            Sign::Positive | Sign::NotNegative => falling,
        };
        let (lesser, greater) = if below { (left, right) } else { (right, left) };
        Some(Relation { lesser, greater, strict })
    }
}

/// How a value compares with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// < 0
    Negative,
    /// ≤ 0
    NotPositive,
    /// = 0
    Zero,
    /// ≥ 0
    NotNegative,
    /// > 0
    Positive,
}

impl Sign {
    fn with_zero(self) -> Self {
        match self {
            Self::Negative => Self::NotPositive,
            Self::Positive => Self::NotNegative,
            other => other,
        }
    }

    fn without_zero(self) -> Self {
        match self {
            Self::NotPositive => Self::Negative,
            Self::NotNegative => Self::Positive,
            other => other,
        }
    }
}

/// In the language, solved for a parameter: `a < b`.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right, falling) = source::sides(&self.value);
        let [less, not_more, more, not_less] =
            if falling { [">", ">=", "<", "<="] } else { ["<", "<=", ">", ">="] };
        let sign = match self.relation {
            Sign::Negative => less,
            Sign::NotPositive => not_more,
            Sign::Zero => "=",
            Sign::NotNegative => not_less,
            Sign::Positive => more,
        };
        write!(f, "{left} {sign} {right}")
    }
}

impl Activation {
    /// Reads a declaration or a bare expression, and splits it into cases where its knots or
    /// signs depend on the parameters in a way that the declaration leaves open. No two cases
    /// overlap, and they cover all that is declared but where the function does not exist (the
    /// bounds of a clamp are exchanged), and but for equations in which no parameter stands alone
    /// with a number: these are only borders between cases.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`parse_with`](Self::parse_with), except for signs and orders that the declaration
    /// leaves open; and if there are more cases than [`Limit::Cases`].
    pub fn cases(text: &str, library: &Library) -> Result<Vec<Case>, Error> {
        match parse_input(text)? {
            Input::Declaration(declaration) => Self::declared_cases(&declaration, library),
            Input::Expression(_) => {
                let activation = Self::parse_with(text, library)?;
                Ok(vec![Case { conditions: Vec::new(), activation }])
            }
        }
    }

    /// Splits the declaration of a syntax tree into its [`cases`](Self::cases).
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`cases`](Self::cases).
    pub fn declared_cases(
        declaration: &Declaration,
        library: &Library,
    ) -> Result<Vec<Case>, Error> {
        let header = lower::header(declaration, library)?;
        let domain = lower::domain(declaration, &header)?;
        let explorer = Explorer { declaration, library, header, work: Cell::new(0) };
        let mut found = Vec::new();
        explorer.explore(&domain, &Path::default(), &mut found)?;
        for case in &mut found {
            let relations = case.conditions.iter().filter_map(Condition::relation);
            case.activation.relations.extend(relations);
        }
        Ok(found)
    }
}

struct Explorer<'a> {
    declaration: &'a Declaration,
    library: &'a Library,
    header: Header,
    /// The work of all cases together.
    work: Cell<usize>,
}

/// How a case is reached: its conditions, and what they say some parameters are.
#[derive(Clone, Default)]
struct Path {
    conditions: Vec<Condition>,
    solved: Vec<(Symbol, Polynomial)>,
}

impl Path {
    fn with(&self, condition: Condition) -> Self {
        let mut path = self.clone();
        if condition.relation == Sign::Zero
            && let Some((symbol, value, _)) = condition.value.solved()
        {
            // What was solved for before may hold this parameter.
            let here = [(symbol.clone(), value.clone())];
            for (_, earlier) in &mut path.solved {
                *earlier = earlier.substitute_all(&here);
            }
            path.solved.push((symbol, value));
        }
        path.conditions.push(condition);
        path
    }
}

impl Explorer<'_> {
    fn explore(&self, domain: &Domain, path: &Path, found: &mut Vec<Case>) -> Result<(), Error> {
        let lowered = lower::body(self.declaration, &self.header, domain, self.library, &self.work);
        let error = match lowered {
            Ok(function) => {
                if found.len() == Limit::Cases.maximum() {
                    let span = self.declaration.name.span;
                    return Err(Error::limit(Limit::Cases, None, span));
                }
                let function = function.substitute(&path.solved, domain);
                let (header, domain) = (self.header.clone(), domain.clone());
                let activation = Activation::declared(self.declaration, header, domain, function);
                found.push(Case { conditions: path.conditions.clone(), activation });
                return Ok(());
            }
            Err(error) => error,
        };
        let Some(undecided) = error.undecided.clone() else {
            // The function does not exist in this case: the bounds of a clamp are exchanged, or
            // a divisor is zero.
            let excluded = matches!(error.kind, ErrorKind::Domain(_) | ErrorKind::Division(_));
            return if excluded && !path.conditions.is_empty() { Ok(()) } else { Err(error) };
        };
        // The sign of a denominator is known, so that of the numerator decides.
        let value = undecided.numerator().substitute_all(&path.solved).numerator();
        let start = found.len();
        let mut counts = [0; 3];
        // In this order the case of equality stands between those that it may belong to.
        for (count, relation) in counts.iter_mut().zip([Sign::Negative, Sign::Zero, Sign::Positive])
        {
            let before = found.len();
            let condition = Condition { value: value.clone(), relation };
            let path = path.with(condition.clone());
            if let Some(domain) = narrowed(domain, &self.header, &condition, &path) {
                self.explore(&domain, &path, found)?;
            }
            *count = found.len() - before;
        }
        if found.len() == start {
            return Err(error);
        }
        // The case of equality is often the end of one of the others.
        if counts[1] == 1 {
            let middle = start + counts[0];
            // An index without a case is not looked at, as its count is 0.
            let neighbours = [(counts[0], middle.wrapping_sub(1)), (counts[2], middle + 1)];
            let whole = neighbours.into_iter().find(|(count, neighbour)| {
                *count == 1 && continues(&found[*neighbour], &found[middle], &value)
            });
            if let Some((_, neighbour)) = whole {
                let depth = path.conditions.len();
                let condition = &mut found[neighbour].conditions[depth];
                condition.relation = condition.relation.with_zero();
                found.remove(middle);
            }
        }
        Ok(())
    }
}

/// With one more condition; `None` if nothing is left.
fn narrowed(
    domain: &Domain,
    header: &Header,
    condition: &Condition,
    path: &Path,
) -> Option<Domain> {
    let of = |polynomial| Assumption { polynomial, strict: true };
    let known = domain.assumptions();
    let narrowed = match condition.relation {
        Sign::Negative => known.with(of(-&condition.value)),
        Sign::Positive => known.with(of(condition.value.clone())),
        _ => equal(known, &condition.value),
    };
    if narrowed.contradictory() {
        return None;
    }
    Domain::new(&header.symbols(), narrowed, &path.solved)
}

/// The domain of the parameters in a case of these conditions; `None` if no values satisfy all of them.
pub(crate) fn domain(header: &Header, conditions: &[Condition]) -> Option<Domain> {
    let mut path = Path::default();
    let mut domain = Domain::new(&header.symbols(), header.assumptions(), &[])?;
    for condition in conditions {
        // Where the border belongs to a case, the case was found without it.
        let value = condition.value.clone();
        let condition = Condition { value, relation: condition.relation.without_zero() };
        path = path.with(condition.clone());
        domain = narrowed(&domain, header, &condition, &path)?;
    }
    Some(domain)
}

/// Whether the function of a case is right on its border, where `value` is 0, too.
fn continues(case: &Case, border: &Case, value: &Polynomial) -> bool {
    let Some((symbol, solved, _)) = value.solved() else { return false };
    let function = &case.activation.function;
    let values = [(symbol, solved)];
    // Towards the border a knot may go to infinity, as −1/a does.
    if function.has_pole(&values) {
        return false;
    }
    let there = function.substitute(&values, &border.activation.domain).normal_form();
    there == border.activation.function
}
