// The kernel that the rungs put into their streams: the library's sum, in a workspace.
#include <span>

#include "ladder/instantiate.hpp"
#include "ladder/streams/calls.cuh"
#include "warpfold/device/reduce.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

void sum_values(value_type type, const void* values, std::size_t n, void* out, void* workspace,
                std::size_t workspace_bytes, cudaStream_t s) {
  with_kernel_type(type, [&]<class T>() {
    const workspace_view memory{workspace, workspace_bytes};
    reduce_into(device.on(s).with(memory), std::span(static_cast<const T*>(values), n),
                static_cast<T*>(out))
        .throw_if_failed("the sum of " + std::to_string(n) + " values");
  });
}

std::size_t sum_workspace_bytes(value_type type) {
  return with_kernel_type(type, [&]<class T>() { return reduce_workspace_bytes<T>(); });
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
