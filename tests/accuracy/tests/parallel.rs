//! Several cores give the same bits as one.

use gaussform::activations::HardTanh;
use gaussform::{Activation, Float, MomentsGradMut, parallel};

fn batch<T: Float>(n: usize) -> [Vec<T>; 2] {
    let place = |i: usize, by: f64| T::from_f64(((i as f64) * by).sin());
    let gamma = (0..n).map(|i| place(i, 0.7) + place(i, 0.11)).collect();
    let xi2 = (0..n).map(|i| place(i, 0.3) * place(i, 0.3)).collect();
    [gamma, xi2]
}

fn bits<T: Float>(values: &[T]) -> Vec<u64> {
    values.iter().map(|value| value.to_f64().to_bits()).collect()
}

fn same<T: Float>()
where
    HardTanh: Activation<T>,
{
    for n in [0, 5, 1 << 14, (1 << 14) + 1, 50_001] {
        let [gamma, xi2] = batch::<T>(n);
        let zeros = || vec![T::ZERO; n];
        let mut one: [Vec<T>; 6] = std::array::from_fn(|_| zeros());
        let mut many: [Vec<T>; 6] = std::array::from_fn(|_| zeros());
        fn slices<T>(out: &mut [Vec<T>; 6]) -> MomentsGradMut<'_, T> {
            MomentsGradMut::new(out.each_mut().map(Vec::as_mut_slice))
        }
        HardTanh.moments_grad_into(&gamma, &xi2, slices(&mut one));
        parallel::moments_grad_into(&HardTanh, &gamma, &xi2, slices(&mut many));
        assert_eq!(one.each_ref().map(|v| bits(v)), many.each_ref().map(|v| bits(v)));

        let [mean, variance, d_gamma, d_xi2, ..] = &mut one;
        HardTanh.moments_into(&gamma, &xi2, mean, variance);
        HardTanh.vjp_into(&gamma, &xi2, mean, variance, d_gamma, d_xi2);
        let [mean, variance, d_gamma, d_xi2, ..] = &mut many;
        parallel::moments_into(&HardTanh, &gamma, &xi2, mean, variance);
        parallel::vjp_into(&HardTanh, &gamma, &xi2, mean, variance, d_gamma, d_xi2);
        assert_eq!(one.map(|v| bits(&v)), many.map(|v| bits(&v)));
    }
}

#[test]
fn several_cores_give_the_same_bits() {
    same::<f64>();
    same::<f32>();
}

#[test]
#[should_panic(expected = "`xi2` has 2 elements but `gamma` has 3")]
fn slices_of_different_length_panic() {
    parallel::moments_into(&HardTanh, &[0.0; 3], &[1.0; 2], &mut [0.0; 3], &mut [0.0; 3]);
}
