//! An activation: a name, declared parameters and a piecewise polynomial.

use std::cell::Cell;

use num_traits::Signed;

use crate::derivation::{Derivation, Subject};
use crate::domain::{Domain, Knot};
use crate::error::{Error, ErrorKind, Span};
use crate::grammar::{Declaration, Entry, Input, Name, parse_input, read_file};
use crate::lower::{self, Header, Library};
use crate::parameter::{Parameter, Relation};
use crate::piecewise::{Piecewise, Purpose};
use crate::polynomial::Polynomial;

/// A piecewise-polynomial function of one variable, with its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The name; `g` for a bare expression.
    pub name: String,
    /// The lines of its documentation, in Markdown.
    pub docs: Vec<String>,
    /// The declared parameters.
    pub parameters: Vec<Parameter>,
    /// The declared relations between them.
    pub relations: Vec<Relation>,
    /// The function, in normal form.
    pub function: Piecewise,
    /// The function with its values at single points, for calls by other activations.
    pub(crate) pointwise: Piecewise,
    /// The declared domains and relations of the parameters.
    pub(crate) domain: Domain,
}

impl Activation {
    /// Reads a declaration, `relu(x) = max(0, x)`, or a bare expression in `x`.
    ///
    /// ```
    /// # use gaussform_symbolic::Activation;
    /// let hat = Activation::parse("max(0, 1 - |x|)")?;
    /// assert_eq!(hat.function.knots().len(), 3);
    /// # Ok::<(), gaussform_symbolic::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not in the language, or the function not in the class.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, &Library::new())
    }

    /// Reads a declaration or a bare expression in `x`, in which the activations of `library` may be called.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`parse`](Self::parse).
    pub fn parse_with(text: &str, library: &Library) -> Result<Self, Error> {
        match parse_input(text)? {
            Input::Declaration(declaration) => Self::from_declaration(&declaration, library),
            Input::Expression(expression) => {
                let header = Header::default();
                let (domain, pointwise) = lower::expression(&expression, library)?;
                Ok(Self::new("g".to_owned(), header, domain, pointwise))
            }
        }
    }

    /// Reads a file of declarations; each may call those before it, and those of `library`.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`parse`](Self::parse), and if a name is declared twice. Only the first error is
    /// told; [`parse_all`](Self::parse_all) tells every one.
    pub fn parse_file(text: &str, library: &Library) -> Result<Vec<Self>, Error> {
        let pairs = Self::parse_all(text, library).map_err(|errors| {
            errors.into_iter().next().expect("a file that could not be read has an error")
        })?;
        Ok(pairs.into_iter().map(|(_, activation)| activation).collect())
    }

    /// Reads a file of declarations; each may call those before it, and those of `library`. Every activation comes
    /// with its declaration, in the order of the text.
    ///
    /// # Errors
    ///
    /// Every error in the file, in the order of the text. A declaration that only fails because it
    /// calls one that has failed is passed over.
    pub fn parse_all(
        text: &str,
        library: &Library,
    ) -> Result<Vec<(Declaration, Self)>, Vec<Error>> {
        let mut known = library.clone();
        let mut failed: Vec<String> = Vec::new();
        let mut pairs: Vec<(Declaration, Self)> = Vec::new();
        let mut errors = Vec::new();
        for entry in read_file(text) {
            let declaration = match entry {
                Entry::Read(declaration) => declaration,
                Entry::Broken { name, error } => {
                    failed.extend(name.map(|name| name.text));
                    errors.push(error);
                    continue;
                }
            };
            let Name { text: name, span } = declaration.name.clone();
            if pairs.iter().any(|(_, other)| other.name == name) {
                errors
                    .push(Error::new(ErrorKind::Duplicate(name), span).help("choose another name"));
                continue;
            }
            match Self::from_declaration(&declaration, &known) {
                Ok(activation) => {
                    known.insert(name, activation.clone());
                    pairs.push((declaration, activation));
                }
                Err(error) => {
                    let follows = matches!(&error.kind, ErrorKind::UnknownName(called) if failed.contains(called));
                    failed.push(name);
                    if !follows {
                        errors.push(error);
                    }
                }
            }
        }
        if errors.is_empty() { Ok(pairs) } else { Err(errors) }
    }

    /// Lowers a syntax tree.
    ///
    /// # Errors
    ///
    /// If the function is not in the class.
    pub fn from_declaration(declaration: &Declaration, library: &Library) -> Result<Self, Error> {
        let header = Header::new(declaration, library)?;
        let domain = lower::domain(declaration, &header)?;
        let pointwise = lower::body(declaration, &header, &domain, library, &Cell::new(0))?;
        Ok(Self::declared(declaration, header, domain, pointwise))
    }

    pub(crate) fn declared(
        declaration: &Declaration,
        header: Header,
        domain: Domain,
        pointwise: Piecewise,
    ) -> Self {
        let name = declaration.name.text.clone();
        let docs = declaration.docs.clone();
        Self { docs, ..Self::new(name, header, domain, pointwise) }
    }

    pub(crate) fn new(name: String, header: Header, domain: Domain, pointwise: Piecewise) -> Self {
        let Header { parameters, relations } = header;
        let function = pointwise.normal_form();
        Self { name, docs: Vec::new(), parameters, relations, function, pointwise, domain }
    }

    /// Whether the function is proved to be ≥ 0 everywhere, for all values of the parameters that are declared.
    ///
    /// For a function without parameters this is exact: false if it is negative anywhere.
    #[must_use]
    pub fn is_nonnegative(&self) -> bool {
        let is_sign =
            |value: &Polynomial| value.as_constant().is_some_and(|sign| !sign.is_negative());
        self.function
            .sign(&self.domain, Purpose::Modulus)
            .is_ok_and(|signs| signs.pieces().iter().chain(signs.at_knots()).all(is_sign))
    }

    /// Whether the formulas of its moments are short enough to stand in a comment, and are derived at once: one more than
    /// the knots, times the square of the degree, is at most 4096. About as many terms are in them. An irrational knot
    /// counts as often as its minimal polynomial has degrees.
    #[must_use]
    pub fn has_short_formulas(&self) -> bool {
        const MOST_TERMS: usize = 4_096;
        let degree = usize::try_from(self.function.degree()).unwrap_or(0);
        let weight = |knot: &Knot| match knot {
            Knot::Algebraic(root) => root.minimal().degree(),
            _ => 1,
        };
        let knots: usize = self.function.knots().iter().map(weight).sum();
        (knots + 1) * degree * degree <= MOST_TERMS
    }

    /// Derives E\[g(u)ⁿ\] for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If `n` exceeds [`Limit::Order`](crate::Limit::Order), or the derivation
    /// [`Limit::Work`](crate::Limit::Work).
    pub fn moment(&self, n: u32) -> Result<Derivation, Error> {
        Derivation::of_moment(self.subject(), (n, 0))
    }

    /// Derives Var g(u) for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If the derivation takes too much work.
    pub fn variance(&self) -> Result<Derivation, Error> {
        Derivation::variance(self.subject())
    }

    /// Derives the central moment E\[(g(u) − E\[g(u)\])ⁿ\] for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment), and if `n` is less than 2.
    pub fn central(&self, n: u32) -> Result<Derivation, Error> {
        Derivation::central(self.subject(), n)
    }

    /// Derives E\[g(u)ⁿ h(u)ᵐ\] for two activations of the same u ~ N(γ, ξ²). Parameters of the
    /// same name are the same.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment), and if the order of the knots of both does not follow from
    /// what the two declare.
    pub fn joint_moment(&self, n: u32, other: &Self, m: u32) -> Result<Derivation, Error> {
        Derivation::of_moment(self.with(other)?, (n, m))
    }

    /// Derives Cov(g(u), h(u)) for two activations of the same u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`joint_moment`](Self::joint_moment).
    pub fn covariance(&self, other: &Self) -> Result<Derivation, Error> {
        Derivation::covariance(self.with(other)?)
    }

    /// Derives E\[g(u)ⁿ h(w)ᵐ\] for jointly Normal pre-activations u and w with means γ and γ′,
    /// variances ξ² and ξ′² and covariance σ. Parameters of the same name are the same.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`moment`](Self::moment), and if parameters of the same name differ.
    pub fn pair_moment(&self, n: u32, other: &Self, m: u32) -> Result<Derivation, Error> {
        Derivation::pair_moment(self.pair(other)?, (n, m))
    }

    /// Derives Cov(g(u), h(w)) for jointly Normal pre-activations u and w.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`pair_moment`](Self::pair_moment).
    pub fn pair_covariance(&self, other: &Self) -> Result<Derivation, Error> {
        Derivation::pair_covariance(self.pair(other)?)
    }

    /// The activation as the subject of a derivation.
    #[must_use]
    pub fn subject(&self) -> Subject {
        let (first, domain) = (self.function.clone(), self.domain.clone());
        Subject { first, second: None, pair: false, domain }
    }

    /// Both as functions of the same parameters, whose knots have a known order: the subject of
    /// [`joint_moment`](Self::joint_moment) and [`covariance`](Self::covariance).
    ///
    /// # Errors
    ///
    /// If parameters of the same name differ, or the order of the knots does not follow from what
    /// the two declare.
    pub fn with(&self, other: &Self) -> Result<Subject, Error> {
        let header = self.shared(other)?;
        let (domain, first, second) = lower::together(&header, &self.function, &other.function)?;
        Ok(Subject { first, second: Some(second), pair: false, domain })
    }

    /// Both as functions of the same parameters, of one pre-activation each: the subject of
    /// [`pair_moment`](Self::pair_moment) and [`pair_covariance`](Self::pair_covariance). Knots of
    /// one have no order with those of the other.
    ///
    /// # Errors
    ///
    /// If parameters of the same name differ, or no values satisfy what the two declare.
    pub fn pair(&self, other: &Self) -> Result<Subject, Error> {
        let header = self.shared(other)?;
        let (domain, first, second) = lower::beside(&header, &self.function, &other.function)?;
        Ok(Subject { first, second: Some(second), pair: true, domain })
    }

    /// The parameters and relations that both activations declare together.
    pub(crate) fn shared(&self, other: &Self) -> Result<Header, Error> {
        let mut parameters = self.parameters.clone();
        for parameter in &other.parameters {
            match parameters.iter().find(|known| known.name == parameter.name) {
                Some(known) if known == parameter => {}
                Some(known) => {
                    let kind = ErrorKind::Conflict(known.name.to_string());
                    return Err(Error::new(kind, Span::default())
                        .help(format!("`{known}` in one, `{parameter}` in the other")));
                }
                None => parameters.push(parameter.clone()),
            }
        }
        let relations = [self.relations.as_slice(), &other.relations].concat();
        Ok(Header { parameters, relations })
    }
}
