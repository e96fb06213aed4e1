// CUDA's runtime and CUDA's words, for the CPU machine. For C, the runtime alone.
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __cplusplus
#include "simt/runtime/graph_calls.h"
#else
#include "simt/runtime.hpp"

#if __has_declspec_attribute(property)  // compiled by simt_add_kernels
#include "simt/cuda.hpp"
#include "simt/kernel.hpp"
#include "simt/ptx.hpp"
#else  // a source of the same target that has host code only
#include "simt/spaces.hpp"
#endif
#endif
