// What CUB asks to tell code of the device from the host's: here both are compiled at once.
#pragma once

#include "simt/intrinsics.hpp"

#define CUB_IS_DEVICE_CODE ::simt::detail::in_kernel()
#define CUB_IS_HOST_CODE (!::simt::detail::in_kernel())
#define CUB_INCLUDE_DEVICE_CODE 1
#define CUB_INCLUDE_HOST_CODE 1
#define CUB_RUNTIME_ENABLED
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define __cudaDeviceSynchronizeDeprecationAvoidance cudaDeviceSynchronize
