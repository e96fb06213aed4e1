#pragma once

#if !__has_include_next(<thrust/device_vector.h>)
#error "Thrust is not installed: apt-get install libthrust-dev, or give its directory by -I"
#endif
#include <thrust/execution_policy.h>  // with CUDA's own device system it comes along

#include_next <thrust/device_vector.h>
