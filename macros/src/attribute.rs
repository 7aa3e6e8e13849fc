//! The attribute's arguments: domains of parameters, relations between them, and the path to the
//! facade.

use gaussform_symbolic::grammar::RelationSyntax;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Ident, Path, Token};

use crate::domain::Domain;
use crate::place::{Place, Places, Report};
use crate::relation::{self, Sides, is_name};

/// The contents of the attribute: domains and relations of parameters.
#[derive(Default)]
pub(crate) struct Attribute {
    /// The declared domains.
    pub(crate) domains: Vec<Domain>,
    /// The declared relations.
    pub(crate) relations: Vec<RelationSyntax>,
    /// The names that occur, each once.
    pub(crate) names: Vec<Ident>,
    /// Where the relations stand.
    pub(crate) places: Places,
    /// `crate = path`.
    pub(crate) facade: Option<Path>,
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
                    // A token tree may be a whole group, so a comma in parentheses does not end
                    // the argument.
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
        if is_name(input) && input.peek2(Token![in]) {
            let name: Ident = input.call(Ident::parse_any)?;
            input.parse::<Token![in]>()?;
            self.mention(&name);
            let domain = Domain::interval(name, input)?;
            return self.explicit(domain);
        }
        self.comparisons(input)
    }

    /// `name`, `name > 0`, `0 < a < b`, `alpha > 2 * beta`.
    fn comparisons(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let mut names = Vec::new();
        let chain = Sides::new(&mut self.places, &mut names).chain(input)?;
        for name in &names {
            self.mention(name);
        }
        if let ([], Some(name)) = (chain.rest.as_slice(), &chain.first.name) {
            return self.explicit(Domain::of(name.clone()));
        }
        let place = chain.place();
        let mut left = chain.first;
        for (comparison, right) in chain.rest {
            match relation::bound(&left, comparison, &right) {
                Some(bound) => self.domain(&bound.name).narrow(bound, place),
                None => self.relations.extend(relation::between(&left, comparison, &right)),
            }
            left = right;
        }
        Ok(())
    }

    fn mention(&mut self, name: &Ident) {
        if !self.names.contains(name) {
            self.names.push(name.clone());
        }
    }

    /// Adds a domain that is stated as such: once for each parameter.
    fn explicit(&mut self, domain: Domain) -> syn::Result<()> {
        let known = self.domain(&domain.name);
        if known.explicit {
            let name = domain.name.unraw();
            return Err(domain.place.advise(
                format_args!("`{name}` has a domain already"),
                format_args!("state both ends at once, as in `0 < {name} < 1`"),
            ));
        }
        known.meet(domain);
        Ok(())
    }

    fn domain(&mut self, name: &Ident) -> &mut Domain {
        let known = self.domains.iter().position(|domain| domain.name == *name);
        let index = known.unwrap_or_else(|| {
            self.domains.push(Domain { explicit: false, ..Domain::of(name.clone()) });
            self.domains.len() - 1
        });
        &mut self.domains[index]
    }
}

fn separator(input: ParseStream<'_>) -> syn::Result<()> {
    if input.is_empty() || input.parse::<Option<Token![,]>>()?.is_some() {
        return Ok(());
    }
    if input.peek(Token![.]) || input.peek(Token![^]) {
        return Err(Place::from(input.span()).advise(
            "a relation is made of parameters, numbers, `+`, `-`, `*` and `/`",
            "write a power as a product: `a * a`",
        ));
    }
    Err(input.error("expected `,`, `in`, `<`, `<=`, `>` or `>=`"))
}
