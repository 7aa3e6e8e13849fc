//! Kernels over slices: vectors, the last one up to the end of the slice, and single numbers for the few
//! lanes that vectors leave out.
//!
//! A vector computes what is far from overflow and underflow. The other lanes (ξ² = 0 or subnormal,
//! inputs that overflow when they are squared, infinities, NaN) do not disturb their neighbours and
//! are computed one by one afterwards, in double precision. So a result depends neither on the
//! position of an element nor on the length of the slice.

use core::marker::PhantomData;

use crate::Float;
use crate::kernel::single;
use crate::kernel::{Kernel, Lanes, Mask};
use crate::lanes::Work;
use crate::lanes::dispatch::Task;
use crate::lanes::twice::Twice;
use crate::precision::Precision;

/// The widest vector, in numbers.
const WIDEST: usize = 32;

/// What is computed for each element, from γ, ξ² and whatever else comes first to last in a slice
/// of its own.
pub(crate) trait Step<const IN: usize, const OUT: usize> {
    /// For usual inputs.
    fn vector<K: Kernel, V: Lanes>(kernel: &K, input: [V; IN]) -> [V; OUT];
    /// For any input.
    fn single<K: Kernel>(kernel: &K, input: [f64; IN]) -> [f64; OUT];
}

/// Mean and variance.
pub(crate) struct MomentsStep;

impl Step<2, 2> for MomentsStep {
    #[inline(always)]
    fn vector<K: Kernel, V: Lanes>(kernel: &K, [gamma, xi2]: [V; 2]) -> [V; 2] {
        kernel.moments(gamma, xi2)
    }
    fn single<K: Kernel>(kernel: &K, [gamma, xi2]: [f64; 2]) -> [f64; 2] {
        single::moments(kernel, gamma, xi2)
    }
}

/// Mean, variance and their derivatives.
pub(crate) struct Gradients;

impl Step<2, 6> for Gradients {
    #[inline(always)]
    fn vector<K: Kernel, V: Lanes>(kernel: &K, [gamma, xi2]: [V; 2]) -> [V; 6] {
        gradients(kernel, gamma, xi2)
    }
    fn single<K: Kernel>(kernel: &K, [gamma, xi2]: [f64; 2]) -> [f64; 6] {
        single::gradients(kernel, gamma, xi2)
    }
}

/// The derivatives, compiled once for both steps that need them, unless that would cost time.
#[inline(always)]
fn gradients<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> [V; 6] {
    struct Differentiate<'a, K, V>(&'a K, V, V);
    impl<K: Kernel, V: Lanes> Work for Differentiate<'_, K, V> {
        type Output = [V; 6];
        #[inline(always)]
        fn run(self) -> [V; 6] {
            self.0.gradients(self.1, self.2)
        }
    }
    if K::SMALL {
        kernel.gradients(gamma, xi2)
    } else {
        V::outlined(Differentiate(kernel, gamma, xi2))
    }
}

/// The cotangents of γ and ξ² from those of mean and variance.
pub(crate) struct Pullback;

impl Step<4, 2> for Pullback {
    #[inline(always)]
    fn vector<K: Kernel, V: Lanes>(kernel: &K, input: [V; 4]) -> [V; 2] {
        let [gamma, xi2, d_mean, d_variance] = input;
        let [_, _, a, b, c, d] = gradients(kernel, gamma, xi2);
        [d_mean.mul_add(a, d_variance * c), d_mean.mul_add(b, d_variance * d)]
    }
    fn single<K: Kernel>(kernel: &K, input: [f64; 4]) -> [f64; 2] {
        let [gamma, xi2, d_mean, d_variance] = input;
        let [_, _, a, b, c, d] = single::gradients(kernel, gamma, xi2);
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
    S: Step<IN, OUT>,
    T: Float,
{
    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        if K::PAIRED && V::PAIRED {
            self.vectors::<Twice<V>>();
        } else {
            self.vectors::<V>();
        }
    }

    fn run_one_by_one(mut self) {
        for start in 0..self.inputs[0].len() {
            self.one_by_one(start, &[T::ONE]);
        }
    }
}

impl<K, S, T, const IN: usize, const OUT: usize> Batch<'_, K, S, T, IN, OUT>
where
    K: Kernel,
    S: Step<IN, OUT>,
    T: Float,
{
    /// Vector by vector. The last one begins so that it ends with the slice; a slice that is shorter
    /// than a vector is filled up with an input that is usual.
    #[inline(always)]
    fn vectors<V: Lanes<Scalar = T>>(mut self) {
        let length = self.inputs[0].len();
        let is_short = length < V::COUNT;
        let mut inputs = [[T::ONE; WIDEST]; IN];
        inputs[0] = [T::ZERO; WIDEST];
        let mut outputs = [[T::ZERO; WIDEST]; OUT];
        let batch = if is_short {
            for (padded, slice) in inputs.iter_mut().zip(&self.inputs) {
                padded[..length].copy_from_slice(slice);
            }
            let inputs = inputs.each_ref().map(|padded| &padded[..V::COUNT]);
            let outputs = outputs.each_mut().map(|padded| &mut padded[..V::COUNT]);
            Batch { kernel: self.kernel, step: self.step, inputs, outputs }
        } else {
            let outputs = self.outputs.each_mut().map(|slice| &mut **slice);
            Batch { kernel: self.kernel, step: self.step, inputs: self.inputs, outputs }
        };
        // The only call: all of a kernel is inlined there.
        batch.whole::<V>();
        if is_short {
            for (slice, padded) in self.outputs.iter_mut().zip(&outputs) {
                slice.copy_from_slice(&padded[..length]);
            }
        }
    }

    /// The same for a slice of at least one vector.
    #[inline(always)]
    fn whole<V: Lanes<Scalar = T>>(mut self) {
        let length = self.inputs[0].len();
        let mut start = 0;
        loop {
            let mut input = [V::splat(T::ZERO); IN];
            for (lanes, slice) in input.iter_mut().zip(&self.inputs) {
                *lanes = V::load(&slice[start..length]);
            }
            let (output, done) = evaluate::<K, S, V, IN, OUT>(self.kernel, input);
            for (lanes, slice) in output.iter().zip(&mut self.outputs) {
                lanes.store(&mut slice[start..length]);
            }
            if !done.all() {
                let mut left = [T::ONE; WIDEST];
                V::select(done, V::splat(T::ZERO), V::splat(T::ONE)).store(&mut left);
                self.one_by_one(start, &left[..V::COUNT]);
            }
            if start + V::COUNT == length {
                return;
            }
            start = (start + V::COUNT).min(length - V::COUNT);
        }
    }

    /// The elements from `start` on that are not marked with 0.
    #[cold]
    #[inline(never)]
    fn one_by_one(&mut self, start: usize, left: &[T]) {
        for (i, _) in left.iter().enumerate().filter(|(_, left)| **left != T::ZERO) {
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

/// The results, and the lanes in which they hold: where the input is usual and the results are
/// finite.
#[inline(always)]
fn evaluate<K, S, V, const IN: usize, const OUT: usize>(
    kernel: &K,
    input: [V; IN],
) -> ([V; OUT], V::Mask)
where
    K: Kernel,
    S: Step<IN, OUT>,
    V: Lanes,
{
    let usual = is_usual(kernel, input[0], input[1]);
    let output = S::vector(kernel, input);
    if K::MODERATE {
        return (output, usual);
    }
    // 0 for a finite number, NaN for any other.
    let mut doubt = V::splat(V::Scalar::ZERO);
    for value in output {
        doubt = value.mul_add(V::splat(V::Scalar::ZERO), doubt);
    }
    (output, usual.and(doubt.equals(V::splat(V::Scalar::ZERO))))
}

/// Where a vector handles its input: where neither powers up to the degree nor rounding errors
/// overflow or underflow.
#[inline(always)]
pub(crate) fn is_usual<K: Kernel, V: Lanes>(kernel: &K, gamma: V, xi2: V) -> V::Mask {
    let degree = kernel.degree();
    let exponent = V::Scalar::USUAL_EXPONENT / (if degree == 0 { 1 } else { degree as i32 });
    let power = |e: i32| V::splat(V::Scalar::power_of_two(e));
    let near = gamma.abs().le(power(exponent / 2));
    near.and(power(-exponent).le(xi2)).and(xi2.le(power(exponent)))
}
