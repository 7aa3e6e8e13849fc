/* Gaussian moments of a ReLU from C. In this folder:

       gaussform emit relu --target c --out relu.h
       cc -std=c99 -O2 relu.c -o relu -lm && ./relu */

#include <stdio.h>

#include "relu.h"

int main(void) {
    /* Pre-activations u ~ N(gamma, xi2); xi2 is a variance. */
    const double gamma[] = {-37.0, 0.0, 0.5}, xi2[] = {1.0, 1.0, 0.0};
    double mean[3], variance[3];
    relu_moments_into(3, gamma, xi2, mean, variance);
    for (int i = 0; i < 3; i++) {
        printf("E = %.17g, Var = %.17g\n", mean[i], variance[i]);
    }

    /* Derivatives of one, for reverse mode. */
    double d_gamma, d_xi2;
    relu_vjp(0.3, 1.0, 1.0, 0.5, &d_gamma, &d_xi2);
    printf("d_gamma = %.17g, d_xi2 = %.17g\n", d_gamma, d_xi2);
    return 0;
}
