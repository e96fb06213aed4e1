#pragma once
#pragma GCC system_header  // #include_next is an extension
#include_next <thrust/scan.h>
#include <thrust/system_error.h>  // with CUDA's own device system it comes along
