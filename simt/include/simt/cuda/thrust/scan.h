#pragma once
#include_next <thrust/scan.h>
#include <thrust/system_error.h>  // with CUDA's own device system it comes along
