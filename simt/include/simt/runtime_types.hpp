// The types and numbers of CUDA's runtime that host code around kernels needs. For C, too.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include "simt/vector_types.hpp"
#else
#include "simt/runtime/vectors.h"
#endif

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __CUDART_API_VERSION 13000

// The marks of CUDA's own headers, which programs look for.
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__
#define __DRIVER_TYPES_H__
#define __HOST_DEFINES_H__
#define __DEVICE_TYPES_H__
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __CUDART_H__
#define CUDARTAPI

#include "simt/runtime/device.h"
#include "simt/runtime/errors.h"
#include "simt/runtime/graphs.h"
#include "simt/runtime/memory.h"
#include "simt/runtime/streams.h"
