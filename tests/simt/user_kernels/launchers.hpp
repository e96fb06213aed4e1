// What host code of another file calls: launches of kernels in launchers.cu.
#pragma once

#include <cstddef>

#include <cuda_runtime.h>

namespace launchers {

void fill(int* out, unsigned n, unsigned threads);
void touch_shared(std::size_t bytes);
cudaError_t touch_shared_in(cudaStream_t stream, std::size_t bytes);
cudaError_t allow_shared(int bytes);
int resident_blocks(int threads, std::size_t shared_bytes);
cudaError_t copy_to_host_variable();
cudaError_t copy_too_much_to_symbol();

}  // namespace launchers
