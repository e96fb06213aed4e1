// The one seam between a GPU and the CPU machine. Kernels are plain CUDA C++; what does not survive
// a plain C++ compiler, or has no meaning on a CPU, has a small named wrapper here.
//
// Everything that contains kernels lives in `inline namespace WARPFOLD_MACHINE`, so that the two
// builds of one kernel can be linked into one program; so can sources for which the default stream
// is another (nvcc's --default-stream per-thread).
#pragma once

#include "warpfold/language.hpp"

#if defined(__CUDACC__) && !defined(__SIMT__)
#include "warpfold/platform/cuda.cuh"
#elif defined(SIMT_KERNELS)
#include "warpfold/platform/simt.hpp"
#else
#include "warpfold/platform/none.hpp"
#endif
