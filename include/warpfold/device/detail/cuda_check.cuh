// What the CUDA runtime answers, as an exception.
#pragma once

#include <cuda_runtime_api.h>

#include "warpfold/error.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Throws device_error unless `result` is success; `call` says what was asked for.
inline void cuda_check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // the exception has it; no later call shall report it again
  throw device_error(call, ": ", cudaGetErrorString(result));
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
