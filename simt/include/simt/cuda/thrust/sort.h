#pragma once
#include_next <thrust/sort.h>
#include <thrust/system_error.h>  // with CUDA's own device system it comes along
