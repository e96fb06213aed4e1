// CUDA's runtime and CUDA's words, for the CPU machine. For C, the runtime alone.
#pragma once

// nvcc includes these for its users.
#include <assert.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef __cplusplus
#include "simt/runtime/calls.h"
#include "simt/runtime/for_c.h"
#include "simt/runtime/graph_calls.h"
#include "simt/runtime/graphics_calls.h"
#include "simt/runtime/refused_calls.h"
#else
#include <functional>
#include <new>
#include <utility>

#include "simt/runtime.hpp"

#if __has_declspec_attribute(property)  // compiled by simt_add_kernels
#include "simt/both_sides.hpp"
#include "simt/builtin_atomics.hpp"
#include "simt/cuda.hpp"
#include "simt/kernel.hpp"
#include "simt/ptx.hpp"
#else  // a source of the same target that has host code only
#include "simt/spaces.hpp"
#endif
#endif
