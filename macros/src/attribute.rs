//! The attribute's arguments: domains of parameters, and the path to the facade.

use gaussform_symbolic::grammar::{Comparison, Endpoint};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Path, Token, token};

use crate::number;
use crate::place::{Place, Report};

/// What the attribute says.
#[derive(Default)]
pub(crate) struct Attribute {
    /// The declared domains.
    pub(crate) domains: Vec<Domain>,
    /// `crate = path`.
    pub(crate) facade: Option<Path>,
}

/// `name`, `name in (lower, upper)`, `name > lower` or `lower < name < upper`.
pub(crate) struct Domain {
    /// The parameter.
    pub(crate) name: Ident,
    /// Its lower end, if it has one.
    pub(crate) lower: Option<Endpoint>,
    /// Its upper end, if it has one.
    pub(crate) upper: Option<Endpoint>,
    /// The whole of it.
    pub(crate) place: Place,
}

impl Attribute {
    /// Reads what stands between the attribute's parentheses. After an error it goes on with the
    /// next argument, so that a path to the facade is found in any case.
    pub(crate) fn parse(tokens: proc_macro2::TokenStream, report: &mut Report) -> Self {
        let mut attribute = Self::default();
        let parsed = (|input: ParseStream<'_>| {
            while !input.is_empty() {
                if let Err(error) = attribute.argument(input).and_then(|()| separator(input)) {
                    report.push(error);
                    while !input.is_empty() && !input.peek(Token![,]) {
                        input.parse::<proc_macro2::TokenTree>()?;
                    }
                    input.parse::<Option<Token![,]>>()?;
                }
            }
            Ok(())
        })
        .parse2(tokens);
        if let Err(error) = parsed {
            report.push(error);
        }
        attribute
    }

    fn argument(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            self.facade = Some(input.call(Path::parse_mod_style)?);
            return Ok(());
        }
        let domain = Domain::parse(input)?;
        if self.domains.iter().any(|other| other.name == domain.name) {
            let name = domain.name.unraw();
            return Err(domain.place.advise(
                format_args!("`{name}` has a domain already"),
                format_args!("state both ends at once, as in `0 < {name} < 1`"),
            ));
        }
        self.domains.push(domain);
        Ok(())
    }
}

fn separator(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    Err(input.error("expected `,`, `in`, `<`, `<=`, `>` or `>=`"))
}

impl Domain {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !is_name(input) {
            return Self::between(input);
        }
        let name: Ident = input.call(Ident::parse_any)?;
        let start = Place::from(name.span());
        let mut domain = Self { name, lower: None, upper: None, place: start };
        if input.parse::<Option<Token![in]>>()?.is_some() {
            domain.interval(input)?;
        } else if let Some(relation) = comparison(input)? {
            let (value, end) = endpoint(input)?;
            domain.bound(relation, value);
            domain.place = start.to(end);
        }
        Ok(domain)
    }

    /// `(lower, upper)` or `[lower, upper]`.
    fn interval(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let content;
        let (closed, end) = if input.peek(token::Bracket) {
            (true, syn::bracketed!(content in input).span.close())
        } else if input.peek(token::Paren) {
            (false, syn::parenthesized!(content in input).span.close())
        } else {
            return Err(input.error("expected an interval such as `(0, 1)` or `[0, 1]`"));
        };
        let (lower, _) = endpoint(&content)?;
        content.parse::<Token![,]>()?;
        let (upper, _) = endpoint(&content)?;
        if !content.is_empty() {
            return Err(content.error("expected the end of the interval"));
        }
        self.lower = lower.map(|value| Endpoint { value, closed });
        self.upper = upper.map(|value| Endpoint { value, closed });
        self.place = self.place.to(end);
        Ok(())
    }

    /// `0 < name`, `0 < name <= 1`.
    fn between(input: ParseStream<'_>) -> syn::Result<Self> {
        let (first, start) = endpoint(input)?;
        let Some(left) = comparison(input)? else {
            return Err(input.error("expected `<`, `<=`, `>` or `>=`"));
        };
        if !is_name(input) {
            return Err(input.error("expected a parameter's name"));
        }
        let name: Ident = input.call(Ident::parse_any)?;
        let place = start.to(name.span());
        let mut domain = Self { name, lower: None, upper: None, place };
        domain.bound(mirrored(left), first);
        if let Some(right) = comparison(input)? {
            let (second, end) = endpoint(input)?;
            domain.place = start.to(end);
            if left.holds(1) != right.holds(1) {
                let message = "the two comparisons point in different directions";
                return Err(domain.place.advise(message, "write `0 < name < 1`"));
            }
            domain.bound(right, second);
        }
        Ok(domain)
    }

    /// Adds `name ∘ value`.
    fn bound(&mut self, relation: Comparison, value: Option<number::Rational>) {
        let closed = relation.holds(0);
        let end = value.map(|value| Endpoint { value, closed });
        *(if relation.holds(1) { &mut self.lower } else { &mut self.upper }) = end;
    }
}

fn is_name(input: ParseStream<'_>) -> bool {
    input.peek(Ident::peek_any)
        && !input.peek(Token![in])
        && input.fork().call(Ident::parse_any).is_ok_and(|name| name != "inf")
}

fn comparison(input: ParseStream<'_>) -> syn::Result<Option<Comparison>> {
    Ok(Some(if input.parse::<Option<Token![<=]>>()?.is_some() {
        Comparison::LessEqual
    } else if input.parse::<Option<Token![>=]>>()?.is_some() {
        Comparison::GreaterEqual
    } else if input.parse::<Option<Token![<]>>()?.is_some() {
        Comparison::Less
    } else if input.parse::<Option<Token![>]>>()?.is_some() {
        Comparison::Greater
    } else {
        return Ok(None);
    }))
}

/// The relation with its sides exchanged.
fn mirrored(relation: Comparison) -> Comparison {
    match relation {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterEqual => Comparison::LessEqual,
    }
}

/// A number, or `None` for `inf` and `-inf`.
fn endpoint(input: ParseStream<'_>) -> syn::Result<(Option<number::Rational>, Place)> {
    let minus = input.parse::<Option<Token![-]>>()?;
    if is_name(input) {
        let name: Ident = input.call(Ident::parse_any)?;
        let message = "relations between parameters are not supported";
        return Err(Place::from(name.span()).advise(message, "compare with a number or `inf`"));
    }
    if input.peek(syn::Lit) {
        let literal: syn::Lit = input.parse()?;
        let end = Place::from(literal.span());
        let place = minus.map_or(end, |minus| Place::from(minus.span).to(end));
        let value = number::any(&literal)?;
        return Ok((Some(if minus.is_some() { -value } else { value }), place));
    }
    if input.peek(syn::Ident) {
        let infinity: Ident = input.parse()?;
        return Ok((None, infinity.span().into()));
    }
    Err(input.error("expected a number or `inf`"))
}
