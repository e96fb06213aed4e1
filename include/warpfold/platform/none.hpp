// Plain C++: the host's algorithms alone. Included by platform.hpp only.
#pragma once

#define WARPFOLD_MACHINE host_machine
#define WARPFOLD_HAS_DEVICE 0

#if !defined(__host__)
#define __host__
#define __device__
#endif
#if !defined(__forceinline__)
#define __forceinline__ inline __attribute__((always_inline))
#endif

namespace warpfold::inline WARPFOLD_MACHINE::detail {
inline void count_op_call() {}
}  // namespace warpfold::inline WARPFOLD_MACHINE::detail
