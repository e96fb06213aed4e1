// Memory of Thrust's device vectors: device memory of the CPU machine, which kernels are counted
// and checked on. Thrust's loops are host code, so it is both sides'.
#pragma once

#include <cuda_runtime_api.h>
#include <thrust/detail/config.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/system/detail/sequential/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system::detail::sequential {

template <class Policy>
void* malloc(execution_policy<Policy>&, std::size_t bytes) {
  void* memory = nullptr;
  return bytes != 0 && cudaMallocManaged(&memory, bytes, 1U) == cudaSuccess ? memory : nullptr;
}
template <class Policy, class Pointer>
void free(execution_policy<Policy>&, Pointer memory) {
  cudaFree(const_cast<void*>(static_cast<const void*>(thrust::raw_pointer_cast(memory))));
}

}  // namespace system::detail::sequential
THRUST_NAMESPACE_END
