//! Adam in one pass over the memory of a parameter, with the bits of Burn's.
//!
//! ```text
//! m ← β₁ m + (1 − β₁) g        v ← β₂ v + (1 − β₂) g²
//! parameter ← parameter − rate · (√(1 − β₂ᵗ)/(1 − β₁ᵗ)) m / (√v + ε √(1 − β₂ᵗ))
//! ```
//!
//! Burn's takes a dozen passes, each with memory of its own, on one core. Here every number is read and written once, in
//! chunks on all cores.

use burn::backend::Flex;
use burn::backend::flex::FlexTensor;
use burn::optim::LearningRate;
use burn::optim::{self, AdamConfig, AdamState, AdaptiveMomentumState, Optimizer};
use burn::tensor::{DType, Device, Tensor};

use crate::operation::{Scalar, is_on_flex};
use crate::threads::each_of;

/// A chunk of a parameter for one thread.
const CHUNK: usize = 1 << 15;

/// Adam without decay of the weights, on Flex in one pass, on other devices as Burn has it.
#[derive(Clone)]
pub(super) struct Adam {
    betas: [f32; 2],
    epsilon: f32,
    by_tensors: optim::Adam,
}

impl Adam {
    pub(super) fn new(epsilon: f32) -> Self {
        let betas = [0.9, 0.999];
        let config = AdamConfig::new().with_beta_1(betas[0]).with_beta_2(betas[1]);
        Self { betas, epsilon, by_tensors: config.with_epsilon(epsilon).build() }
    }

    /// The parameter and both moments after the step number `time`, counted from 1.
    fn update<T: Scalar>(
        &self,
        rate: f64,
        time: i32,
        [parameter, first, second]: [&mut FlexTensor; 3],
        gradient: &FlexTensor,
    ) {
        // In the precision in which Burn has them.
        let [b1, b2] = self.betas;
        let correction = (1.0 - b2.powi(time)).sqrt();
        let factor = correction / (1.0 - b1.powi(time));
        let number = |x: f32| T::from_f64(x.into());
        let [b1, c1, b2, c2] = [b1, 1.0 - b1, b2, 1.0 - b2].map(number);
        let [factor, epsilon] = [factor, self.epsilon * correction].map(number);
        let rate = T::from_f64(rate);

        let [parameter, first, second] = [parameter, first, second].map(T::own);
        let gradient = T::view(gradient);
        let moments = first.chunks_mut(CHUNK).zip(second.chunks_mut(CHUNK));
        let inputs = parameter.chunks_mut(CHUNK).zip(gradient.chunks(CHUNK));
        let numbers = gradient.len();
        each_of(
            numbers,
            inputs.zip(moments).collect(),
            |((parameter, gradient), (first, second))| {
                for i in 0..parameter.len() {
                    let g = gradient[i];
                    first[i] = first[i] * b1 + g * c1;
                    second[i] = second[i] * b2 + g * g * c2;
                    let step = first[i] * factor / (second[i].root() + epsilon);
                    parameter[i] -= step * rate;
                }
            },
        );
    }
}

impl Optimizer for Adam {
    type State<const D: usize> = AdamState<D>;

    fn step<const D: usize>(
        &self,
        rate: LearningRate,
        parameter: Tensor<D>,
        gradient: Tensor<D>,
        state: Option<AdamState<D>>,
    ) -> (Tensor<D>, Option<AdamState<D>>) {
        let dtype = parameter.dtype();
        // A third moment is AMSGrad's, which the pass below does not have.
        let is_usual = state.as_ref().is_none_or(|state| state.momentum.max_moment_2.is_none());
        let types = matches!(dtype, DType::F32 | DType::F64) && gradient.dtype() == dtype;
        if !(is_on_flex(&parameter) && is_on_flex(&gradient) && types && is_usual) {
            return self.by_tensors.step(rate, parameter, gradient, state);
        }
        let state = state.map(|state| state.momentum);
        let (time, first, second) = match state {
            Some(state) => (state.time + 1, state.moment_1, state.moment_2),
            None => (1, gradient.zeros_like(), gradient.zeros_like()),
        };
        let tensors = [parameter.clone(), first.clone(), second.clone(), gradient.clone()]
            .map(|t| t.try_into_primitive::<Flex>());
        let [Ok(mut p), Ok(mut m), Ok(mut v), Ok(g)] = tensors else {
            // Burn's step counts this one itself.
            let state = AdamState::new(AdaptiveMomentumState::new(time - 1, first, second));
            return self.by_tensors.step(rate, parameter, gradient, Some(state));
        };
        // `own` copies memory that another handle shares; without these it is updated in place.
        drop((parameter, first, second));
        let all = [&mut p, &mut m, &mut v];
        match dtype {
            DType::F64 => self.update::<f64>(rate, time as i32, all, &g),
            _ => self.update::<f32>(rate, time as i32, all, &g),
        }
        let [p, m, v] = [p, m, v].map(Tensor::from_primitive::<Flex>);
        (p, Some(AdamState::new(AdaptiveMomentumState::new(time, m, v))))
    }

    fn to_device<const D: usize>(state: AdamState<D>, device: &Device) -> AdamState<D> {
        <optim::Adam as Optimizer>::to_device(state, device)
    }
}

#[cfg(test)]
mod tests {
    use burn::optim::{AdamConfig, Optimizer};
    use burn::tensor::{DType, Device, Tensor, TensorData};

    use super::Adam;
    use crate::random::Random;

    fn bytes(t: &Tensor<2>) -> Vec<u8> {
        t.clone().into_data().as_bytes().to_vec()
    }

    #[test]
    fn every_step_has_the_bits_of_burn() {
        for dtype in [DType::F32, DType::F64] {
            let mut random = Random::new(3);
            let mut drawn = |scale: f64| -> Tensor<2> {
                let values: Vec<f64> = (0..600).map(|_| scale * random.normal()).collect();
                Tensor::from_data(TensorData::new(values, [20, 30]), (&Device::flex(), dtype))
            };
            let ours = Adam::new(1e-8);
            let theirs = AdamConfig::new().with_epsilon(1e-8).build();
            let start = drawn(1.0);
            let (mut a, mut b) = (start.clone(), start.clone());
            let (mut a_state, mut b_state) = (None, None);
            for step in 1..6 {
                let gradient = drawn(f64::powi(0.1, step));
                (a, a_state) = ours.step(0.01, a, gradient.clone(), a_state);
                (b, b_state) = theirs.step(0.01, b, gradient, b_state);
                assert_eq!(bytes(&a), bytes(&b), "step {step} in {dtype:?}");
                let [ours, theirs] = [&a_state, &b_state].map(|s| &s.as_ref().unwrap().momentum);
                assert_eq!(ours.time, theirs.time);
                assert_eq!(bytes(&ours.moment_1), bytes(&theirs.moment_1));
                assert_eq!(bytes(&ours.moment_2), bytes(&theirs.moment_2));
            }
            // A parameter that others hold too is not written over.
            assert_eq!(bytes(&start), bytes(&start.clone()));
            assert_ne!(bytes(&start), bytes(&a));
        }
    }
}
