// CUDA's errors that last: the one that sticks, and each thread's last one.
#pragma once

#include "simt/runtime.hpp"

namespace simt::detail {

/// The error that no call gets past any more, if a kernel has ended in one.
cudaError_t sticky_error();
void stick(cudaError_t error);

/// What the program has yet to hear of: that error, and the calling thread's last one.
struct runtime_errors {
  cudaError_t sticky, last;
};
runtime_errors errors_now();
void set_errors(runtime_errors to);
void set_last_error(cudaError_t error);
void forget_errors();

}  // namespace simt::detail
