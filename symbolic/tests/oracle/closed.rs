//! One side: the value of a closed form at rational γ and ξ.

use std::collections::BTreeMap;

use gaussform_symbolic::Knot;
use gaussform_symbolic::moment::Function;
use gaussform_symbolic::polynomial::{Polynomial, Symbol};

use super::Normal;
use super::forms::Forms;
use super::real::{PRECISION, Real, bell, erf, pi, real, whole};

/// The place of a knot.
fn knot(knot: &Knot) -> Real {
    real(&knot.enclosure(PRECISION as u32).expect("a number").0)
}

/// Whether a knot is no rational number, for the statistics.
pub(crate) fn is_irrational(knot: &Knot) -> bool {
    knot.rational().is_none()
}

/// A point at which forms are evaluated, with what was needed there so far.
pub(crate) struct Point {
    gamma: Real,
    xi: Real,
    places: BTreeMap<Knot, Real>,
    functions: BTreeMap<Function, Real>,
    powers: BTreeMap<(Symbol, i32), Real>,
}

impl Point {
    pub(crate) fn new(normal: &Normal) -> Self {
        Self {
            gamma: real(&normal.gamma),
            xi: real(&normal.xi),
            places: BTreeMap::new(),
            functions: BTreeMap::new(),
            powers: BTreeMap::new(),
        }
    }

    fn symbol(&mut self, symbol: &Symbol) -> Real {
        match symbol {
            Symbol::Gamma => self.gamma.clone(),
            Symbol::Xi2 => &self.xi * &self.xi,
            Symbol::Root(root) => self.place(&Knot::Algebraic(root.clone())),
            other => panic!("{other:?} in a moment"),
        }
    }

    fn power(&mut self, symbol: &Symbol, exponent: i32) -> Real {
        let key = (symbol.clone(), exponent);
        if let Some(known) = self.powers.get(&key) {
            return known.clone();
        }
        let power = match exponent {
            1 => self.symbol(symbol),
            2.. => &self.power(symbol, exponent - 1) * &self.power(symbol, 1),
            _ => &whole(1) / &self.power(symbol, -exponent),
        };
        self.powers.insert(key, power.clone());
        power
    }

    fn place(&mut self, place: &Knot) -> Real {
        self.places.entry(place.clone()).or_insert_with(|| knot(place)).clone()
    }
}

impl Forms for Point {
    fn polynomial(&mut self, polynomial: &Polynomial) -> Real {
        let mut sum = whole(0);
        for (monomial, coefficient) in polynomial.terms() {
            let mut term = real(coefficient);
            for (symbol, exponent) in monomial.powers() {
                term = &term * &self.power(symbol, *exponent);
            }
            sum = &sum + &term;
        }
        sum
    }

    fn function(&mut self, function: &Function) -> Real {
        if let Some(known) = self.functions.get(function) {
            return known.clone();
        }
        let place = self.place(function.in_u().expect("a function of u"));
        let z = &(&self.gamma - &place) / &self.xi;
        let value = match function {
            Function::Erf(_) => erf(&(&z / &whole(2).sqrt())),
            _ => &(&(&whole(2) / &pi()).sqrt() * &self.xi) * &bell(&z),
        };
        self.functions.insert(function.clone(), value.clone());
        value
    }
}
