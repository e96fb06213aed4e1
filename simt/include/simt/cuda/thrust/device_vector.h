#pragma once

#pragma GCC system_header  // #include_next is an extension
#if !__has_include_next(<thrust/device_vector.h>)
#error "Thrust is not installed: apt-get install libthrust-dev, or give its directory by -I"
#endif
#include <thrust/execution_policy.h>  // with CUDA's own device system these come along

#include_next <thrust/device_vector.h>
#include <thrust/system_error.h>
