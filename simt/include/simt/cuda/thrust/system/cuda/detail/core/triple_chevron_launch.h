// How CUB launches its kernels: on the CPU machine as everybody does, from both sides.
#pragma once

#include <thrust/detail/config.h>

THRUST_NAMESPACE_BEGIN
namespace cuda_cub::launcher {

struct triple_chevron {
  dim3 grid, block;
  std::size_t shared_bytes;
  cudaStream_t stream;

  triple_chevron(dim3 grid, dim3 block, std::size_t shared_bytes = 0, cudaStream_t stream = nullptr)
      : grid(grid), block(block), shared_bytes(shared_bytes), stream(stream) {}

  template <class Kernel, class... Args>
  cudaError_t doit(Kernel kernel, const Args&... args) const {
    kernel<<<grid, block, shared_bytes, stream>>>(args...);
    return cudaPeekAtLastError();
  }
};

}  // namespace cuda_cub::launcher
THRUST_NAMESPACE_END
