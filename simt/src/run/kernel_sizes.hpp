// What the source step found of a kernel's sizes.
#pragma once

#include <cstddef>

namespace simt::detail {

struct kernel_sizes {
  const void* kernel;
  std::size_t static_shared;
  std::size_t locals;  // of a thread, in bytes
};

/// Zeros if the kernel's file has none.
kernel_sizes sizes_of(const void* kernel);

}  // namespace simt::detail
