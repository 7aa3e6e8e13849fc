//! Slices of every kind, few and short enough for an interpreter of the compiled program, which sees every
//! access to memory (CONTRIBUTING.md, Memory).

use gaussform::activations::{HardSwish, HardTanh, Hat, Relu};
use gaussform::{Activation, Float, MomentsGradMut};

/// In slices that are shorter than a vector, have a rest, or are put into an order, results are those of each
/// element in a slice of its own.
fn alone_and_together<T: Float>(activation: &impl Activation<T>, lengths: &[usize]) {
    let all = |gamma: &[T], xi2: &[T]| {
        let mut out = [(); 10].map(|()| vec![T::ZERO; gamma.len()]);
        let [mean, variance, a, b, c, d, e, f, d_gamma, d_xi2] =
            out.each_mut().map(Vec::as_mut_slice);
        activation.moments_into(gamma, xi2, mean, variance);
        activation.moments_grad_into(gamma, xi2, MomentsGradMut::new([a, b, c, d, e, f]));
        activation.vjp_into(gamma, xi2, mean, variance, d_gamma, d_xi2);
        out
    };
    for &length in lengths {
        let places = 0..length as u32;
        let gamma = places.clone().map(|i| f64::from(7 * i % 23) * 0.4 - 4.4);
        let gamma: Vec<T> = gamma.map(T::from_f64).collect();
        let xi2: Vec<T> = places.map(|i| T::from_f64(f64::from(5 * i % 13) * 0.7)).collect();
        let together = all(&gamma, &xi2);
        for i in (0..length).step_by(1 + length / 8) {
            let alone = all(&gamma[i..=i], &xi2[i..=i]);
            for (together, alone) in together.iter().zip(&alone) {
                let [together, alone] = [together[i], alone[0]].map(|x| x.to_f64().to_bits());
                assert_eq!(together, alone, "{i} of {length}");
            }
        }
    }
}

#[test]
fn one_knot() {
    alone_and_together::<f64>(&Relu, &[1, 9, 69]);
    alone_and_together::<f32>(&Relu, &[1, 9, 69]);
}

#[test]
fn narrow_straight_pieces() {
    alone_and_together::<f64>(&HardTanh, &[1, 9, 37, 141]);
    alone_and_together::<f32>(&HardTanh, &[1, 9, 37, 141]);
}

#[test]
fn narrow_curved_pieces() {
    alone_and_together::<f64>(&HardSwish, &[9]);
    alone_and_together::<f32>(&HardSwish, &[9]);
}

#[test]
fn in_the_order_of_the_regimes() {
    alone_and_together::<f64>(&Hat, &[131]);
    alone_and_together::<f32>(&Hat, &[131]);
}
