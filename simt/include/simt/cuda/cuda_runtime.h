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
#elif __cplusplus < 201703L  // by a host compiler: all but what is about kernels
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wc++17-extensions"
#include "simt/runtime_calls.hpp"
#include "simt/spaces.hpp"
#pragma GCC diagnostic pop
#else
#include <functional>
#include <new>
#include <utility>

#ifndef __clang__  // it looks for attributes of clang's
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"
#endif
#include "simt/runtime.hpp"
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#ifndef __has_declspec_attribute
#define __has_declspec_attribute(attribute) 0
#endif
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
