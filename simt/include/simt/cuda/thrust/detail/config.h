// Thrust works by its own loops over the host: Debian's libthrust-dev, or another copy in the
// include path.
#pragma once

#ifndef THRUST_DEVICE_SYSTEM
#define THRUST_DEVICE_SYSTEM THRUST_DEVICE_SYSTEM_CPP
#endif
#pragma GCC system_header  // #include_next is an extension
#include_next <thrust/detail/config.h>

// Both sides are compiled at once.
#undef THRUST_IS_DEVICE_CODE
#undef THRUST_IS_HOST_CODE
#undef THRUST_INCLUDE_DEVICE_CODE
#undef THRUST_INCLUDE_HOST_CODE
#define THRUST_IS_DEVICE_CODE ::simt::detail::in_kernel()
#define THRUST_IS_HOST_CODE (!::simt::detail::in_kernel())
#define THRUST_INCLUDE_DEVICE_CODE 1
#define THRUST_INCLUDE_HOST_CODE 1
