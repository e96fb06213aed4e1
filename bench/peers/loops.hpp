// The kernels of bench/cases/plain_kernels.hpp as loops with OpenMP, compiled for this processor.
#pragma once

#include <cstddef>

namespace warpfold::bench::loops {

/// False where the compiler has no OpenMP: the loops run on one core.
bool has_openmp();

void vector_add(const float* x, const float* y, float* z, std::size_t n);
void saxpy(float a, const float* x, float* y, std::size_t n);
void stencil(const float* in, float* out, std::size_t side);

}  // namespace warpfold::bench::loops
