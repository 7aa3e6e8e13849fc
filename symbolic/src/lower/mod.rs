//! Syntax tree to piecewise polynomial: where names, domains and limits are checked.

mod bounds;
mod call;
mod obstacle;
mod scope;

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::activation::{Activation, Header};
use crate::domain::Domain;
use crate::error::{Error, ErrorKind, Span};
use crate::grammar::{
    Declaration, Expression, ExpressionKind, Name, ParameterSyntax, RelationSyntax,
};
use crate::parameter::{Parameter, Relation};
use crate::piecewise::Piecewise;
use crate::polynomial::{Polynomial, Symbol};

use scope::Scope;

/// The mean, the variance and the pre-activation itself, as they are written in text.
const RESERVED: [&str; 3] = ["gamma", "xi2", "u"];

/// The activations that an expression may call, by name.
pub type Library = BTreeMap<String, Activation>;

/// The parameters of a declaration and the relations between them.
pub(crate) fn header(declaration: &Declaration, library: &Library) -> Result<Header, Error> {
    let variable = &declaration.variable;
    for side in declaration.relations.iter().flat_map(|r| [&r.left, &r.right]) {
        if matches!(&side.kind, ExpressionKind::Name(name) if *name == variable.text) {
            return Err(not_constant(side.span));
        }
    }
    let parameters = parameters(&declaration.parameters, variable)?;
    let header = Header { parameters, relations: Vec::new() };
    if declaration.relations.is_empty() {
        return Ok(header);
    }
    let bounds = Domain::declared(&header.parameters, &[]);
    // Bounds that no values satisfy are reported by `domain`, once the header is complete.
    let domain = Domain::new(&header.symbols(), bounds, &[]).unwrap_or_default();
    let variable = &declaration.variable.text;
    let (parameters, work) = (&header.parameters, Cell::new(0));
    let scope = Scope { variable, parameters, domain: &domain, library, work: &work };
    let relations = declaration.relations.iter().map(|syntax| relation(syntax, &scope));
    let relations = relations.collect::<Result<_, _>>()?;
    Ok(Header { relations, ..header })
}

/// The domain of the parameters of a declaration; an error if no values satisfy it.
pub(crate) fn domain(declaration: &Declaration, header: &Header) -> Result<Domain, Error> {
    Domain::new(&header.symbols(), header.assumptions(), &[]).ok_or_else(|| {
        let span = declaration.parameters.first().map_or(declaration.name.span, |p| p.span);
        let message = "no values of the parameters satisfy all that is declared".to_owned();
        Error::new(ErrorKind::Domain(message), span).help("take a relation or a bound away")
    })
}

/// Lowers the body of a declaration; it may call the activations in `library`. The work is added to
/// what was done before.
pub(crate) fn body(
    declaration: &Declaration,
    header: &Header,
    domain: &Domain,
    library: &Library,
    work: &Cell<usize>,
) -> Result<Piecewise, Error> {
    let variable = &declaration.variable.text;
    let parameters = &header.parameters;
    Scope { variable, parameters, domain, library, work }.expression(&declaration.body)
}

/// Lowers a bare expression in `x`.
pub(crate) fn expression(
    expression: &Expression,
    library: &Library,
) -> Result<(Domain, Piecewise), Error> {
    let domain = Domain::default();
    let (variable, work) = ("x", Cell::new(0));
    let scope = Scope { variable, parameters: &[], domain: &domain, library, work: &work };
    let function = scope.expression(expression)?;
    Ok((domain, function))
}

/// Two functions with the same witness for their parameters.
pub(crate) fn beside(
    header: &Header,
    first: &Piecewise,
    second: &Piecewise,
) -> Result<(Domain, Piecewise, Piecewise), Error> {
    let span = Span::default();
    let Some(domain) = Domain::new(&header.symbols(), header.assumptions(), &[]) else {
        let message = "no values of the parameters satisfy what both activations declare";
        return Err(Error::new(ErrorKind::Domain(message.to_owned()), span));
    };
    // Nothing is replaced, but every knot gets its witness from the common domain.
    let [first, second] = [first, second].map(|function| function.substitute(&[], &domain));
    Ok((domain, first, second))
}

/// Two functions with the same witness for their parameters, once the order of all their knots is known.
pub(crate) fn together(
    header: &Header,
    first: &Piecewise,
    second: &Piecewise,
) -> Result<(Domain, Piecewise, Piecewise), Error> {
    let (domain, first, second) = beside(header, first, second)?;
    let span = Span::default();
    let library = Library::new();
    let (variable, parameters) = ("u", header.parameters.as_slice());
    let work = Cell::new(0);
    let scope = Scope { variable, parameters, domain: &domain, library: &library, work: &work };
    // The sum is not needed, but to form it all knots are brought into order, or it fails.
    scope.join(&first, &second, span, Piecewise::plus)?;
    Ok((domain, first, second))
}

fn not_constant(span: Span) -> Error {
    Error::new(ErrorKind::NotConstant("a relation between parameters".to_owned()), span)
        .help("the function is declared for every value of the variable")
}

/// A relation, whose sides must not depend on the variable.
fn relation(syntax: &RelationSyntax, scope: &Scope<'_>) -> Result<Relation, Error> {
    let side = |expression: &Expression| -> Result<Polynomial, Error> {
        let value = scope.expression(expression).map_err(|error| match &error.kind {
            ErrorKind::UnknownName(name) => {
                let help = format!("a parameter is declared by its name on its own: `{name}, …`");
                error.help(help)
            }
            _ => error,
        })?;
        match value.as_polynomial().filter(|side| !side.contains(&Symbol::Variable)) {
            // A quotient would need its denominator's sign before all relations are known.
            Some(side) if side.denominator().is_none() => Ok(side.clone()),
            Some(_) => {
                let message = "a relation between quotients of parameters".to_owned();
                Err(Error::new(ErrorKind::Domain(message), expression.span)
                    .help("multiply by the denominators"))
            }
            None => Err(not_constant(expression.span)),
        }
    };
    let (left, right) = (side(&syntax.left)?, side(&syntax.right)?);
    let strict = !syntax.comparison.holds(0);
    let (lesser, greater) = if syntax.comparison.holds(-1) { (left, right) } else { (right, left) };
    let span = syntax.left.span.to(syntax.right.span);
    if let Some(difference) = (&greater - &lesser).as_constant() {
        let relation = Relation { lesser, greater, strict };
        let message = if relation.holds(&difference) {
            "this holds without any declaration"
        } else {
            "this holds for no values of the parameters"
        };
        return Err(Error::new(ErrorKind::Domain(message.to_owned()), span)
            .help("a relation is between parameters, as in `a < b`"));
    }
    Ok(Relation { lesser, greater, strict })
}

fn parameters(syntax: &[ParameterSyntax], variable: &Name) -> Result<Vec<Parameter>, Error> {
    let mut parameters: Vec<Parameter> = Vec::new();
    for declared in syntax {
        let parameter = Parameter::from_syntax(declared);
        if RESERVED.contains(&&*parameter.name) {
            let message = format!("`{}` cannot be the name of a parameter", parameter.name);
            return Err(Error::new(ErrorKind::Domain(message), declared.name.span)
                .help("formulas write the pre-activation and its law by it; choose another name"));
        }
        if *parameter.name == *variable.text
            || parameters.iter().any(|other| other.name == parameter.name)
        {
            let kind = ErrorKind::Duplicate(declared.name.text.clone());
            return Err(Error::new(kind, declared.name.span).help("choose another name"));
        }
        if parameter.is_empty() {
            let message = format!("no number lies in the domain of `{}`", parameter.name);
            return Err(Error::new(ErrorKind::Domain(message), declared.span)
                .help("a domain reads `a in (0, 1)`, the lower end first"));
        }
        parameters.push(parameter);
    }
    Ok(parameters)
}
