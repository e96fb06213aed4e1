#pragma once

#include <cuda_runtime_api.h>
#include <thrust/detail/config.h>

#pragma GCC system_header  // #include_next is an extension
#include_next <thrust/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace cuda {

/// thrust::cuda::par as far as it is a name for Thrust's device system; streams run in order here.
struct par_t : thrust::detail::device_t {
  const par_t& on(cudaStream_t) const { return *this; }
};
inline constexpr par_t par, par_nosync;

}  // namespace cuda
namespace system::cuda {
using namespace thrust::cuda;
}  // namespace system::cuda
THRUST_NAMESPACE_END
