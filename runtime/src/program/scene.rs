//! What a routine sees from γ: the knots, the tails there, and the narrow pieces.
//!
//! No closure computes with lanes here: it would be compiled without the machine's instructions.

use alloc::vec::Vec;

use smallvec::SmallVec;

use super::{Choice, Code, Product, Program, Register};
use crate::Float;
use crate::kernel::{self, Deviation, Edge, Lanes, Mask, Pair, Powers};

/// The knots and pieces from γ.
pub(super) struct Scene<V: Lanes> {
    pub(super) gamma: V,
    pub(super) edges: SmallVec<[Edge<V>; 2]>,
    seen: V::Mask,
    /// Where each piece is narrow.
    pub(super) narrow: SmallVec<[V::Mask; 4]>,
    /// The integrals on each bounded piece where it is narrow.
    powers: SmallVec<[Powers<V>; 1]>,
}

impl<V: Lanes> Scene<V> {
    /// γ alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn of(gamma: V) -> Self {
        let zero = V::splat(V::Scalar::ZERO);
        Self {
            gamma,
            edges: SmallVec::new(),
            seen: zero.lt(zero),
            narrow: SmallVec::new(),
            powers: SmallVec::new(),
        }
    }

    /// The knots, with the tails in their registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn look(
        &mut self,
        program: &Program,
        code: &Code,
        deviation: &Deviation<V>,
        numbers: &mut [V],
        pairs: &mut [Pair<V>],
    ) {
        let pair_tails = code.pair_constants.len() + code.pair_inputs.len();
        let tails = code.constants.len() + code.inputs.len();
        for (i, &knot) in program.knots.iter().enumerate() {
            macro_rules! by_count {
                ($($n:literal)*) => {
                    match code.tails {
                        $($n if program.is_precise => {
                            let sight = kernel::precise_sight::<V, $n>(self.gamma, knot, deviation);
                            self.edges.push(sight.edge);
                            let registers = &mut pairs[pair_tails + i * $n..][..$n];
                            registers.copy_from_slice(&sight.tails);
                        })*
                        $($n => {
                            let sight = kernel::sight::<V, $n>(self.gamma, knot, deviation);
                            self.edges.push(sight.edge);
                            let registers = &mut numbers[tails + i * $n..][..$n];
                            registers.copy_from_slice(&sight.tails);
                        })*
                        _ => unreachable!("the degree of a kernel is limited"),
                    }
                };
            }
            by_count!(0 1 2 3 4 5 6 7 8 9);
        }
        match &self.edges[..] {
            [] => {}
            [only] => self.seen = kernel::is_seen(&[only]),
            [left, right] => self.seen = kernel::is_seen(&[left, right]),
            edges => self.seen = kernel::is_seen(&edges.iter().collect::<Vec<_>>()),
        }
    }

    /// Which pieces are narrow, with the integrals on these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn find_narrow(&mut self, program: &Program, deviation: &Deviation<V>) {
        let zero = V::splat(V::Scalar::ZERO);
        self.narrow.push(zero.lt(zero));
        for (i, &width) in program.widths.iter().enumerate() {
            let [left, right] = [&self.edges[i], &self.edges[i + 1]];
            let narrow = kernel::is_narrow(left, right);
            self.narrow.push(narrow);
            self.powers.push(Powers::on(narrow, left, right, width, deviation));
        }
    }

    /// The integral of a function of the basis.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn integral(&self, piece: usize, j: usize) -> V {
        self.powers[piece - 1].integrals()[j]
    }

    /// The integrals of a product, from registers to registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn integrate(&self, product: &Product, numbers: &mut [V]) {
        let powers = &self.powers[product.piece - 1];
        let line = |registers: &[Register]| -> [V; 2] {
            let [middle, rise] = registers else { unreachable!("a straight line") };
            [numbers[usize::from(*middle)], numbers[usize::from(*rise)]]
        };
        let (a, less) = (line(&product.first), numbers[usize::from(product.less)]);
        let sums: [V; 3] = match product.second[..] {
            [number] => powers.products(a, [numbers[usize::from(number)]], less),
            _ => powers.products(a, line(&product.second), less),
        };
        for (register, sum) in product.outputs.iter().zip(sums) {
            numbers[usize::from(*register)] = sum;
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn choose(&self, choice: Choice, masks: &[V]) -> V::Mask {
        match choice {
            Choice::Mask(mask) => V::splat(V::Scalar::ZERO).lt(masks[usize::from(mask)]),
            Choice::Narrow(piece) => self.narrow[usize::from(piece)],
            Choice::Seen => self.seen,
            Choice::Left(knot) => self.edges[usize::from(knot)].is_right(),
        }
    }

    /// Where γ lies on a piece, which may have to be narrow or not.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn case(&self, piece: usize, narrow: Option<bool>) -> V::Mask {
        let left = if piece == 0 { None } else { self.edges.get(piece - 1) };
        let on = kernel::between(left, self.edges.get(piece));
        match narrow {
            None => on,
            Some(true) => on.and(self.narrow[piece]),
            Some(false) => on.and(self.narrow[piece].not()),
        }
    }
}
