/* Gaussian moments of a ReLU on a GPU. In this folder:

       gaussform emit relu --target cuda --out relu.cuh
       nvcc -O3 relu.cu -o relu && ./relu */

#include <cstdio>
#include <vector>

#include "relu.cuh"

int main() {
    const size_t n = 1 << 20;
    std::vector<double> gamma(n), variances(n, 1.0);
    for (size_t i = 0; i < n; i++) {
        gamma[i] = -40.0 + 80.0 * double(i) / double(n);
    }
    double *array[4];
    for (double *&a : array) {
        if (cudaMalloc(&a, n * sizeof *a) != cudaSuccess) {
            std::fprintf(stderr, "no device with enough memory\n");
            return 1;
        }
    }
    cudaMemcpy(array[0], gamma.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    cudaMemcpy(array[1], variances.data(), n * sizeof(double), cudaMemcpyHostToDevice);
    const cudaError_t status = relu_moments_launch(n, array[0], array[1], array[2], array[3], 0);
    if (status != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
        return 1;
    }
    std::vector<double> mean(n);
    cudaMemcpy(mean.data(), array[2], n * sizeof(double), cudaMemcpyDeviceToHost);
    /* The host's function gives the same but for the last digits. */
    for (size_t i = 0; i < n; i += n / 8) {
        std::printf("%.17g %.17g\n", mean[i], relu_moments(gamma[i], 1.0).mean);
    }
    for (double *a : array) {
        cudaFree(a);
    }
}
