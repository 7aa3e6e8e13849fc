//! Kernels over slices. Where a kernel has several regimes, elements are computed in the order of their regimes.
//!
//! A vector computes the elements that are far from overflow and underflow. The elements of other lanes (ξ² = 0 or
//! subnormal, inputs that overflow when they are squared, infinities, NaN) do not disturb their neighbours. They
//! are computed one by one afterwards, in double precision. So a result depends neither on the
//! position of an element nor on the length of the slice.

use core::marker::PhantomData;

use crate::Float;
use crate::kernel::plan::Plan;
use crate::kernel::quantities::{Quantities, WithDerivatives};
use crate::kernel::{Kernel, Lanes, Mask, is_safe};
use crate::lanes::Work;
use crate::lanes::dispatch::Task;
use crate::lanes::twice::Twice;
use crate::order::{BLOCK, Order};
use crate::tabulated::Single;

/// The widest vector, in numbers.
const WIDEST: usize = 64;
/// Whether a vector is a register of AVX-512, which some machines compute in halves.
const fn is_large<V>() -> bool {
    size_of::<V>() == 64
}
/// The number of elements from which on a slice is put into the order of their regimes.
const SORTED_FROM: usize = 128;

/// A computation for each element of a batch, from `IN` inputs to `OUT` results. Each input and each result has a
/// slice of its own; γ and ξ² are the first inputs.
pub(crate) trait BatchWork<const IN: usize, const OUT: usize> {
    /// Results for inputs in the safe range, a vector of elements at a time.
    fn vector<K: Kernel, V: Lanes>(kernel: &K, input: [V; IN]) -> [V; OUT];
    /// Results for one element of any size.
    fn single<K: Kernel>(kernel: &K, input: [f64; IN]) -> [f64; OUT];
}

impl<Q: Single<N>, const N: usize> BatchWork<2, N> for Q {
    #[inline(always)]
    fn vector<K: Kernel, V: Lanes>(kernel: &K, [gamma, xi2]: [V; 2]) -> [V; N] {
        Q::compute(kernel, gamma, xi2)
    }
    fn single<K: Kernel>(kernel: &K, [gamma, xi2]: [f64; 2]) -> [f64; N] {
        Q::of(kernel, gamma, xi2)
    }
}

/// The cotangents of γ and ξ² from those of mean and variance.
pub(crate) struct Pullback;

impl BatchWork<4, 2> for Pullback {
    #[inline(always)]
    fn vector<K: Kernel, V: Lanes>(kernel: &K, input: [V; 4]) -> [V; 2] {
        let [gamma, xi2, d_mean, d_variance] = input;
        let [_, _, a, b, c, d] = WithDerivatives::compute(kernel, gamma, xi2);
        [d_mean.mul_add(a, d_variance * c), d_mean.mul_add(b, d_variance * d)]
    }
    fn single<K: Kernel>(kernel: &K, input: [f64; 4]) -> [f64; 2] {
        let [gamma, xi2, d_mean, d_variance] = input;
        let [_, _, a, b, c, d] = <WithDerivatives as Single<6>>::of(kernel, gamma, xi2);
        [d_mean * a + d_variance * c, d_mean * b + d_variance * d]
    }
}

/// A step over slices of equal length.
pub(crate) struct Batch<'a, K, S, T, const IN: usize, const OUT: usize> {
    pub(crate) kernel: &'a K,
    pub(crate) step: PhantomData<S>,
    pub(crate) inputs: [&'a [T]; IN],
    pub(crate) outputs: [&'a mut [T]; OUT],
}

impl<K, S, T, const IN: usize, const OUT: usize> Task<T> for Batch<'_, K, S, T, IN, OUT>
where
    K: Kernel,
    S: BatchWork<IN, OUT>,
    T: Float,
{
    type Unit = K::Unit;

    #[inline(always)]
    fn run<V: Lanes<Element = T>, R: Lanes<Element = T>>(self) {
        // A constant condition: nothing is compiled of what is not used.
        if const { Plan::of::<K>().in_double } {
            self.run_with::<R>();
        } else {
            self.run_with::<V>();
        }
    }

    fn run_one_by_one(mut self) {
        for start in 0..self.inputs[0].len() {
            self.one_by_one(start, 1);
        }
    }
}

impl<K, S, T, const IN: usize, const OUT: usize> Batch<'_, K, S, T, IN, OUT>
where
    K: Kernel,
    S: BatchWork<IN, OUT>,
    T: Float,
{
    /// Runs with as many vectors at a time as the plan says.
    #[inline(always)]
    fn run_with<V: Lanes<Element = T>>(self) {
        match const { Plan::of::<K>().vectors_if(is_large::<V>()) } {
            4 => self.vectors::<Twice<Twice<V>>>(),
            2 => self.vectors::<Twice<V>>(),
            _ => self.vectors::<V>(),
        }
    }

    #[inline(always)]
    fn vectors<V: Lanes<Element = T>>(self) {
        let length = self.inputs[0].len();
        if length < V::COUNT {
            self.filled_up::<V>();
        } else if const { Plan::of::<K>().by_regime } && length >= SORTED_FROM {
            self.by_regime::<V>();
        } else {
            self.in_place::<V>();
        }
    }

    /// The elements from `start` up to `end`, as a batch of their own.
    #[inline(always)]
    fn part(&mut self, start: usize, end: usize) -> Batch<'_, K, S, T, IN, OUT> {
        let inputs = self.inputs.map(|slice| &slice[start..end]);
        let outputs = self.outputs.each_mut().map(|slice| &mut slice[start..end]);
        Batch { kernel: self.kernel, step: self.step, inputs, outputs }
    }

    /// The first `length` elements of arrays, as a batch with the kernel and the step of this one.
    #[inline(always)]
    fn on<'b, const N: usize>(
        &'b self,
        inputs: &'b [[T; N]; IN],
        outputs: &'b mut [[T; N]; OUT],
        length: usize,
    ) -> Batch<'b, K, S, T, IN, OUT> {
        let inputs = inputs.each_ref().map(|array| &array[..length]);
        let outputs = outputs.each_mut().map(|array| &mut array[..length]);
        Batch { kernel: self.kernel, step: self.step, inputs, outputs }
    }

    /// Computes a slice that is shorter than a vector, filled up with inputs in the safe range.
    #[inline(always)]
    fn filled_up<V: Lanes<Element = T>>(mut self) {
        let length = self.inputs[0].len();
        let mut inputs = [[T::ONE; WIDEST]; IN];
        // γ = 0, and 1 for ξ²: far from every limit.
        inputs[0] = [T::ZERO; WIDEST];
        let mut outputs = [[T::ZERO; WIDEST]; OUT];
        for (array, slice) in inputs.iter_mut().zip(&self.inputs) {
            array[..length].copy_from_slice(slice);
        }
        self.on(&inputs, &mut outputs, V::COUNT).in_place::<V>();
        for (slice, array) in self.outputs.iter_mut().zip(&outputs) {
            slice.copy_from_slice(&array[..length]);
        }
    }

    /// Computes block by block, each in the order of its regimes. A block that is in order as it comes, and a rest of
    /// less than a vector, are computed in place.
    #[inline(always)]
    fn by_regime<V: Lanes<Element = T>>(mut self) {
        let length = self.inputs[0].len();
        let whole = length - length % V::COUNT;
        let mut inputs = [[T::ZERO; BLOCK]; IN];
        let mut outputs = [[T::ZERO; BLOCK]; OUT];
        let mut order = Order::<V>::new();
        let mut done = 0;
        for start in (0..whole).step_by(BLOCK) {
            let end = whole.min(start + BLOCK);
            let mut block = self.part(start, end);
            // An array of any length does not say that it has two elements, as every batch has.
            let [gamma, xi2, ..] = &block.inputs[..] else { unreachable!() };
            if !order.sort(block.kernel, gamma, xi2) {
                continue;
            }
            order.arrange(&block.inputs, &mut inputs);
            block.on(&inputs, &mut outputs, end - start).in_place::<V>();
            order.restore(&outputs, &mut block.outputs);
            if done < start {
                self.part(done, start).in_place::<V>();
            }
            done = end;
        }
        if done < length {
            // A rest of less than a vector takes elements along that are done. These come out as they did.
            self.part(done.min(length - V::COUNT), length).in_place::<V>();
        }
    }

    /// Computes vector by vector, at least one. The last vector ends with the slices.
    #[inline(always)]
    fn in_place<V: Lanes<Element = T>>(self) {
        struct Vectors<B, V>(B, PhantomData<V>);
        impl<K, S, V, const IN: usize, const OUT: usize> Work
            for Vectors<Batch<'_, K, S, V::Element, IN, OUT>, V>
        where
            K: Kernel,
            S: BatchWork<IN, OUT>,
            V: Lanes,
        {
            type Output = ();
            #[inline(always)]
            fn run(self) {
                self.0.run_in_place::<V>();
            }
        }
        V::outlined_in::<K::Unit, _>(Vectors(self, PhantomData::<V>));
    }

    #[inline(always)]
    fn run_in_place<V: Lanes<Element = T>>(mut self) {
        // Results cannot alias a copy: what depends on parameters alone is computed once, before the loop.
        let kernel = *self.kernel;
        let length = self.inputs[0].len();
        let mut start = 0;
        loop {
            let mut input = [V::splat(V::Scalar::ZERO); IN];
            for (lanes, slice) in input.iter_mut().zip(&self.inputs) {
                *lanes = V::load(&slice[start..length]);
            }
            let (output, done) = evaluate::<K, S, V, IN, OUT>(&kernel, input);
            for (lanes, slice) in output.iter().zip(&mut self.outputs) {
                lanes.store(&mut slice[start..length]);
            }
            if !done.all() {
                self.one_by_one(start, done.not().bits());
            }
            if start + V::COUNT == length {
                return;
            }
            // The last vector overlaps the one before it, whose elements come out as they did.
            start = (start + V::COUNT).min(length - V::COUNT);
        }
    }

    /// The elements from `start` on whose bits are set.
    #[cold]
    #[inline(never)]
    fn one_by_one(&mut self, start: usize, bits: u64) {
        for i in (0..u64::BITS as usize).filter(|i| bits >> i & 1 == 1) {
            let mut input = [0.0; IN];
            for (value, slice) in input.iter_mut().zip(&self.inputs) {
                *value = slice[start + i].to_f64();
            }
            let output = S::single(self.kernel, input);
            for (value, slice) in output.into_iter().zip(&mut self.outputs) {
                slice[start + i] = T::from_f64(value);
            }
        }
    }
}

/// The results, and the lanes in which they hold: where the input is in the safe range and the results are finite.
#[inline(always)]
fn evaluate<K, S, V, const IN: usize, const OUT: usize>(
    kernel: &K,
    input: [V; IN],
) -> ([V; OUT], V::Mask)
where
    K: Kernel,
    S: BatchWork<IN, OUT>,
    V: Lanes,
{
    let safe = is_safe(kernel, input[0], input[1]);
    let output = S::vector(kernel, input);
    if const { !Plan::of::<K>().are_results_checked } {
        return (output, safe);
    }
    // 0 for a finite number, NaN for any other.
    let mut doubt = V::splat(V::Scalar::ZERO);
    for value in output {
        doubt = value.mul_add(V::splat(V::Scalar::ZERO), doubt);
    }
    (output, safe.and(doubt.equals(V::splat(V::Scalar::ZERO))))
}
