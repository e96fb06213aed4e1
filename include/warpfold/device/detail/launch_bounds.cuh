// What a kernel's __launch_bounds__ may ask for on the architecture that it is compiled for.
#pragma once

#include "warpfold/platform.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Blocks on a multiprocessor that all have their registers: `wanted`, or as many as it has threads
/// for. The compiler ignores a wish for more, with a warning.
constexpr unsigned blocks_with_registers(unsigned threads, unsigned wanted) {
#if !defined(__CUDA_ARCH__)
  constexpr unsigned most_threads = 2048;  // the host's compiler asks nobody
#elif __CUDA_ARCH__ == 750
  constexpr unsigned most_threads = 1024;
#elif __CUDA_ARCH__ / 10 == 80 || (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1100)
  constexpr unsigned most_threads = 2048;
#else
  constexpr unsigned most_threads = 1536;
#endif
  return wanted * threads <= most_threads ? wanted : most_threads / threads;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
