//! The part of a base that the other bases need: its results, and the factors of its products over bounded pieces.
//!
//! Which products are integrated over a narrow piece depends on the base; their coefficients are selected
//! first, so that each piece is integrated once for all bases.

use gaussform_symbolic::Difference;
use gaussform_symbolic::exact::integer;

use super::{Lowering, inverse_factorial, order};
use crate::builder::Builder;
use crate::ir::{Operand, Product};
use crate::quantity::{Moment, Quantity, Variable};
use crate::tail::Factor;
use crate::xi_term::XiTerm;

/// The results around one base, less the integrals of products over narrow pieces.
pub(super) struct Around {
    pub(super) results: Vec<Operand>,
    /// The products of each bounded piece, as many as [`Lowering::slots`] says.
    pub(super) products: Vec<Product>,
}

impl Around {
    pub(super) fn flatten(self) -> Vec<Operand> {
        let products = self.products.into_iter();
        let products = products
            .flat_map(|product| [product.first, product.second, vec![product.less]].concat());
        self.results.into_iter().chain(products).collect()
    }
}

impl Lowering<'_> {
    /// How many products are integrated over each bounded piece: one for the variance; for a
    /// parameter those of T with the derivative of q and of g − m with that of T.
    fn slots(&self) -> usize {
        match self.parameters().len() {
            0 => 1,
            parameters => 2 * parameters,
        }
    }

    /// The products on the bounded pieces; none on `without`.
    pub(super) fn bounded<'f>(
        &self,
        b: &mut Builder,
        differences: &[Difference],
        without: Option<usize>,
        products: impl Fn(&Difference) -> Vec<([Factor<'f>; 2], Operand)>,
    ) -> Vec<Product> {
        let mut all = Vec::new();
        for piece in 1..self.activation().function.pieces().len() - 1 {
            let differs = |place: &&Difference| place.piece == piece && without != Some(piece);
            match differences.iter().find(differs) {
                Some(place) => all.extend(products(place).iter().map(|(factors, less)| {
                    self.contributions.product(b, place, factors, less.clone())
                })),
                None => all.extend((0..self.slots()).map(|_| self.contributions.no_product())),
            }
        }
        all
    }

    /// The results and the coefficients of all products as one list; what it returns are the results
    /// with the integrals.
    pub(super) fn integrate(&self, b: &mut Builder, values: &[Operand]) -> Vec<Operand> {
        // Where pieces may be narrow there are three at least.
        let bounded = self.activation().function.pieces().len() - 2;
        let products = bounded * self.slots();
        let size = self.contributions.no_product().first.len();
        let (results, values) = values.split_at(values.len() - products * (2 * size + 1));
        let mut results = results.to_vec();
        for (i, values) in values.chunks(2 * size + 1).enumerate() {
            let product = Product {
                first: values[..size].to_vec(),
                second: values[size..2 * size].to_vec(),
                less: values[2 * size].clone(),
            };
            let (piece, slot) = (1 + i / self.slots(), i % self.slots());
            let sums = b.integrate(piece, product, self.orders());
            let mut add = |b: &mut Builder, quantity: Quantity, sum: Operand| {
                if let Some(place) = self.place(quantity) {
                    results[place] = b.add(results[place].clone(), sum);
                }
            };
            // Each parameter has two slots, one behind the other. Without parameters there is the
            // variance alone.
            if let Some(parameter) = self.parameters().get(slot / 2) {
                let twice = XiTerm::dense(sums[0].clone(), 0).scale(b, &integer(2)).finish(b);
                for moment in [Moment::Second, Moment::Variance] {
                    let variable = Variable::Parameter(*parameter);
                    add(b, Quantity::Derivative(moment, variable), twice.clone());
                }
                continue;
            }
            for (k, sum) in sums.into_iter().enumerate() {
                let sum = XiTerm::dense(sum, -order(k)).scale(b, &inverse_factorial(k));
                let sum = sum.finish(b);
                add(b, Quantity::of_order(Moment::Variance, k), sum);
            }
        }
        results
    }
}
