//! What a routine sees from γ: the knots, the tails there, and the narrow pieces.
//!
//! No closure computes with lanes here: it would be compiled without the machine's instructions.

use alloc::vec::Vec;

use smallvec::{SmallVec, smallvec};

use super::{Choice, Code, Product, Program, Register};
use crate::Float;
use crate::kernel::{self, Curved, Deviation, Edge, Lanes, Linear, Mask, Pair, Rule, Strip};

/// The knots and pieces from γ.
pub(super) struct Scene<V: Lanes> {
    pub(super) gamma: V,
    pub(super) edges: SmallVec<[Edge<V>; 2]>,
    seen: V::Mask,
    /// Where each piece is narrow.
    pub(super) narrow: SmallVec<[V::Mask; 4]>,
    /// The density on each bounded piece where it is narrow, by the rule of the function.
    straight: SmallVec<[<Linear as Rule>::Strip<V>; 1]>,
    curved: SmallVec<[<Curved as Rule>::Strip<V>; 1]>,
    /// The integrals of the basis over each of these.
    pub(super) integrals: SmallVec<[V; 4]>,
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
            straight: SmallVec::new(),
            curved: SmallVec::new(),
            integrals: SmallVec::new(),
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
            by_count!(0 1 2 3 4 5 6 7 8 9 10 11);
        }
        match &self.edges[..] {
            [] => {}
            [only] => self.seen = kernel::is_seen(&[only]),
            [left, right] => self.seen = kernel::is_seen(&[left, right]),
            edges => self.seen = kernel::is_seen(&edges.iter().collect::<Vec<_>>()),
        }
    }

    /// Which pieces are narrow, with the density on these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn find_narrow(&mut self, program: &Program, deviation: &Deviation<V>) {
        let zero = V::splat(V::Scalar::ZERO);
        self.narrow.push(zero.lt(zero));
        let basis = program.degree as usize + 1;
        self.integrals.resize(basis * program.widths.len(), zero);
        for (i, &width) in program.widths.iter().enumerate() {
            let edges = [&self.edges[i], &self.edges[i + 1]];
            let sums = &mut self.integrals[i * basis..][..basis];
            self.narrow.push(if program.degree <= 1 {
                fill::<V, Linear>(&mut self.straight, edges, width, deviation, sums)
            } else {
                fill::<V, Curved>(&mut self.curved, edges, width, deviation, sums)
            });
        }
    }

    /// The integrals of a product, from registers to registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn integrate(&self, product: &Product, numbers: &mut [V]) {
        let (mut a, mut b) = (read(numbers, &product.first), read(numbers, &product.second));
        let less = numbers[usize::from(product.less)];
        let zero = V::splat(V::Scalar::ZERO);
        let mut sums: SmallVec<[V; 4]> = smallvec![zero; product.outputs.len()];
        let piece = product.piece - 1;
        if self.straight.is_empty() {
            self.curved[piece].integrate_product(&mut a, &mut b, less, &mut sums);
        } else {
            self.straight[piece].integrate_product(&mut a, &mut b, less, &mut sums);
        }
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
            Choice::Nearer([near, far]) => {
                let near = self.edges[usize::from(near)].z.abs();
                near.le(self.edges[usize::from(far)].z.abs())
            }
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

fn read<V: Copy>(numbers: &[V], registers: &[Register]) -> SmallVec<[V; 4]> {
    registers.iter().map(|register| numbers[usize::from(*register)]).collect()
}

/// Where the piece between two edges is narrow; the density there, and its integrals.
#[cfg_attr(not(debug_assertions), inline(always))]
fn fill<V: Lanes, R: Rule>(
    strips: &mut SmallVec<[R::Strip<V>; 1]>,
    [left, right]: [&Edge<V>; 2],
    width: [f64; 2],
    deviation: &Deviation<V>,
    sums: &mut [V],
) -> V::Mask {
    let narrow = kernel::is_narrow::<V, R>(left, right);
    strips.push(Strip::empty());
    if narrow.any()
        && let Some(strip) = strips.last_mut()
    {
        kernel::fill::<V, R>(strip, narrow, left, right, width, deviation);
        strip.integrate(sums);
    }
    narrow
}
