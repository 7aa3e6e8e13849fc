/* The covariance of two weakly correlated pre-activations, by the library that the book makes:

       gaussform emit relu --joint hard_tanh --target c --out relu_hard_tanh.h
       gaussform emit relu --joint hard_tanh --target c-library --out relu_hard_tanh.rs
       rustc -O --edition 2021 --crate-type staticlib relu_hard_tanh.rs
       cc pair.c librelu_hard_tanh.a -lm -lpthread -ldl -o pair */
#include "relu_hard_tanh.h"

#include <stdio.h>

int main(void) {
    relu_hard_tanh_pair m = relu_hard_tanh_pair_moments(0.5, 2, 0, 1, -1e-12);
    printf("Cov = %.15e, dCov/dc = %.15e\n", m.covariance, m.dcovariance_dcov);
    return 0;
}
