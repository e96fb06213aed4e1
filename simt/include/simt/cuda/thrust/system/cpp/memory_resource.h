// Where Thrust's device vectors get their memory from.
#pragma once

#include <cuda_runtime_api.h>
#include <thrust/detail/config.h>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>
#include <thrust/system/detail/bad_alloc.h>

THRUST_NAMESPACE_BEGIN
namespace system::cpp {
namespace detail {

/// Device memory of the CPU machine, which kernels are counted and checked on. Thrust's loops are
/// host code, so it is both sides'.
class managed_memory final : public thrust::mr::memory_resource<> {
 public:
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* memory = nullptr;
    if (cudaMallocManaged(&memory, bytes, 1U) != cudaSuccess) {
      throw thrust::system::detail::bad_alloc("Thrust: no memory of the device is left");
    }
    return memory;
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override { cudaFree(memory); }
};

}  // namespace detail

using memory_resource = thrust::mr::fancy_pointer_resource<detail::managed_memory, pointer<void>>;
using universal_memory_resource =
    thrust::mr::fancy_pointer_resource<detail::managed_memory, universal_pointer<void>>;
using universal_host_pinned_memory_resource = memory_resource;

}  // namespace system::cpp
THRUST_NAMESPACE_END
