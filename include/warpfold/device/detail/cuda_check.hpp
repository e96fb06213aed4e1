// What the CUDA runtime answers, as an exception.
#pragma once

#include <cuda_runtime_api.h>

#include "warpfold/error.hpp"

namespace warpfold::detail {

/// Throws device_error unless `result` is success; `call` says what was asked for.
inline void cuda_check(cudaError_t result, const char* call) {
  if (result == cudaSuccess) return;
  (void)cudaGetLastError();  // the exception has it; no later call shall report it again
  throw device_error(call, ": ", cudaGetErrorString(result));
}

}  // namespace warpfold::detail
