#include "bench/peers/loops.hpp"

namespace warpfold::bench::loops {

bool has_openmp() {
#ifdef _OPENMP
  return true;
#else
  return false;
#endif
}

void vector_add(const float* x, const float* y, float* z, std::size_t n) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}

void saxpy(float a, const float* x, float* y, std::size_t n) {
#pragma omp parallel for simd
  for (std::size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

void stencil(const float* in, float* out, std::size_t side) {
#pragma omp parallel for
  for (std::size_t y = 0; y < side; ++y) {
#pragma omp simd
    for (std::size_t x = 0; x < side; ++x) {
      const std::size_t i = y * side + x;
      if (x == 0 || y == 0 || x == side - 1 || y == side - 1) {
        out[i] = in[i];
      } else {
        out[i] = 0.2F * (in[i] + in[i - 1] + in[i + 1] + in[i - side] + in[i + side]);
      }
    }
  }
}

}  // namespace warpfold::bench::loops
