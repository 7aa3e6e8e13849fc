//! Results: moments, and polynomials in moments.
//!
//! A variance is E\[g²\] − E\[g\]² and stays so: expanded, it has as many terms as the square of
//! the mean.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use num_traits::{One, Zero};

use crate::domain::Domain;
use crate::error::Limit;
use crate::exact::{Rational, integer};
use crate::moment::{Form, LimitError, Point};
use crate::polynomial::Symbol;

/// Steps of a derivation that take as long as a product of two terms of forms, which is sorted in by its functions.
const PRODUCT: usize = 12;

/// The quantity that a derivation results in.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// E\[g(u)ⁿ h(u)ᵐ\]
    Moment(u32, u32),
    /// Var g(u)
    Variance,
    /// E\[(g(u) − E\[g(u)\])ⁿ\]
    Central(u32),
    /// Cov(g(u), h(u))
    Covariance,
    /// E\[g(u)ⁿ h(w)ᵐ\] for two pre-activations.
    Joint(u32, u32),
    /// Cov(g(u), h(w))
    CrossCovariance,
    /// A partial derivative.
    Derivative(Box<Quantity>, Symbol),
    /// A limit.
    Limit(Box<Quantity>, Symbol, Point),
}

/// A polynomial in quantities whose forms are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The coefficient of each product of quantities, which may repeat.
    terms: BTreeMap<Vec<Quantity>, Rational>,
    forms: BTreeMap<Quantity, Arc<Form>>,
}

impl Value {
    /// A quantity by its form.
    #[must_use]
    pub fn of(quantity: Quantity, form: Form) -> Self {
        Self {
            terms: [(vec![quantity.clone()], Rational::one())].into(),
            forms: [(quantity, Arc::new(form))].into(),
        }
    }

    /// 1
    #[must_use]
    pub fn one() -> Self {
        Self { terms: [(Vec::new(), Rational::one())].into(), forms: BTreeMap::new() }
    }

    /// The products of quantities with their coefficients.
    pub fn terms(&self) -> impl Iterator<Item = (&[Quantity], &Rational)> {
        self.terms.iter().map(|(product, coefficient)| (product.as_slice(), coefficient))
    }

    /// The form of a quantity that occurs.
    #[must_use]
    pub fn form_of(&self, quantity: &Quantity) -> Option<&Form> {
        self.forms.get(quantity).map(Arc::as_ref)
    }

    /// The form, if this is a quantity on its own.
    #[must_use]
    pub fn as_form(&self) -> Option<&Form> {
        let mut terms = self.terms.iter();
        match (terms.next()?, terms.next()) {
            ((product, coefficient), None) if coefficient.is_one() => match product.as_slice() {
                [quantity] => self.form_of(quantity),
                _ => None,
            },
            _ => None,
        }
    }

    /// One form for all of it.
    #[must_use]
    pub fn expand(&self) -> Form {
        if let Some(form) = self.as_form() {
            return form.clone();
        }
        let mut sum = Form::zero();
        for (product, coefficient) in &self.terms {
            let one = Form::from(crate::polynomial::Polynomial::constant(coefficient.clone()));
            sum = &sum + &product.iter().fold(one, |form, factor| &form * &self.forms[factor]);
        }
        sum
    }

    /// The limit as one form: that of each quantity by itself, or where one of them has none, of
    /// what they are together.
    pub(crate) fn limit(
        &self,
        symbol: &Symbol,
        point: &Point,
        domain: &Domain,
    ) -> Result<Form, LimitError> {
        let each = self.forms.iter().map(|(quantity, form)| {
            Ok((quantity.clone(), Arc::new(form.limit(symbol, point, domain)?)))
        });
        match each.collect::<Result<BTreeMap<_, _>, LimitError>>() {
            Ok(forms) => Ok(Self { terms: self.terms.clone(), forms }.expand()),
            Err(LimitError::Divergent(_))
                if self.expanded_size() > Limit::Work.maximum() / PRODUCT =>
            {
                Err(LimitError::TooLarge)
            }
            // What grows in one quantity may cancel against another.
            Err(LimitError::Divergent(_)) => self.expand().limit(symbol, point, domain),
            Err(other) => Err(other),
        }
    }

    /// How many products of terms expanding it takes.
    #[must_use]
    pub fn expanded_size(&self) -> usize {
        let size = |product: &Vec<Quantity>| {
            let sizes = product.iter().map(|factor| self.forms[factor].size());
            sizes.fold(1, usize::saturating_mul)
        };
        self.terms.keys().map(size).fold(0, usize::saturating_add)
    }

    /// How many different functions occur in the forms.
    #[must_use]
    pub fn functions(&self) -> usize {
        let products = self.forms.values().flat_map(|form| form.terms());
        let functions = products.flat_map(|(product, _)| product.factors());
        functions.map(|(function, _)| function).collect::<BTreeSet<_>>().len()
    }

    /// The terms of all the forms.
    #[must_use]
    pub fn size(&self) -> usize {
        self.forms.values().map(|form| form.size()).sum()
    }

    /// Multiplied by a rational.
    #[must_use]
    pub fn scale(&self, factor: &Rational) -> Self {
        let terms = self.terms.iter().map(|(product, c)| (product.clone(), c * factor));
        Self { terms: terms.collect(), forms: self.forms.clone() }.tidy()
    }

    /// The sum.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        let mut sum = self.clone();
        sum.forms.extend(other.forms.clone());
        for (product, coefficient) in &other.terms {
            *sum.terms.entry(product.clone()).or_default() += coefficient;
        }
        sum.tidy()
    }

    /// The difference.
    #[must_use]
    pub fn minus(&self, other: &Self) -> Self {
        self.plus(&other.scale(&integer(-1)))
    }

    /// The product.
    #[must_use]
    pub fn times(&self, other: &Self) -> Self {
        let mut product = Self { terms: BTreeMap::new(), forms: self.forms.clone() };
        product.forms.extend(other.forms.clone());
        for (p, c) in &self.terms {
            for (q, d) in &other.terms {
                let mut factors: Vec<Quantity> = p.iter().chain(q).cloned().collect();
                // Products are keys of a map, so equal ones must be written alike.
                factors.sort();
                *product.terms.entry(factors).or_default() += c * d;
            }
        }
        product.tidy()
    }

    /// The partial derivative, by the product rule.
    #[must_use]
    pub fn derivative(&self, symbol: &Symbol) -> Self {
        let mut sum = Self::default();
        let mut slopes: BTreeMap<&Quantity, Self> = BTreeMap::new();
        for (product, coefficient) in &self.terms {
            for (i, factor) in product.iter().enumerate() {
                let slope = slopes.entry(factor).or_insert_with(|| {
                    let quantity = Quantity::Derivative(Box::new(factor.clone()), symbol.clone());
                    Self::of(quantity, self.forms[factor].derivative(symbol))
                });
                let rest = product.iter().enumerate().filter(|(j, _)| *j != i);
                let rest: Vec<Quantity> = rest.map(|(_, factor)| factor.clone()).collect();
                let forms = rest.iter().map(|q| (q.clone(), self.forms[q].clone())).collect();
                let rest = Self { terms: [(rest, coefficient.clone())].into(), forms };
                sum = sum.plus(&rest.times(slope));
            }
        }
        sum
    }

    /// Without terms that vanish, and without forms that do not occur.
    fn tidy(mut self) -> Self {
        let forms = &self.forms;
        let vanishes = |product: &Vec<Quantity>| product.iter().any(|f| forms[f].is_zero());
        self.terms.retain(|product, coefficient| !coefficient.is_zero() && !vanishes(product));
        let used: BTreeSet<&Quantity> = self.terms.keys().flatten().collect();
        let unused: Vec<Quantity> =
            self.forms.keys().filter(|quantity| !used.contains(quantity)).cloned().collect();
        for quantity in unused {
            self.forms.remove(&quantity);
        }
        self
    }
}
