// For clangd: the machine's headers in clang's own CUDA mode. `simt++ --compile-commands` includes
// this file before all else. The machine's functions are of both sides there, and so are those of
// <cmath>; the other headers of the C++ library come first, since they are the host's.
#pragma once

#define SIMT_CLANGD
// clang-format off: the keywords come before all else
#include "simt/sides.hpp"
// clang-format on

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#if __cplusplus >= 202002L
#include <span>
#endif

#pragma clang force_cuda_host_device begin
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <mma.h>
#pragma clang force_cuda_host_device end

#if __clang_major__ < 15
#define __noinline__  // no keyword there yet
#endif
extern "C" int __cudaPushCallConfiguration(dim3, dim3 = 1, __SIZE_TYPE__ = 0, void* = nullptr);
