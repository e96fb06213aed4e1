#include "simt/src/run/kernel_sizes.hpp"

#include <algorithm>

// The linker's names for the ends of a section; null if no file has it.
extern "C" {
[[gnu::weak,
  gnu::visibility("hidden")]] extern const simt::detail::kernel_sizes __start_simt_kernel_sizes[];
[[gnu::weak,
  gnu::visibility("hidden")]] extern const simt::detail::kernel_sizes __stop_simt_kernel_sizes[];
}

namespace simt::detail {

kernel_sizes sizes_of(const void* kernel) {
  const auto* const found = std::find_if(__start_simt_kernel_sizes, __stop_simt_kernel_sizes,
                                         [=](const kernel_sizes& s) { return s.kernel == kernel; });
  return found != __stop_simt_kernel_sizes ? *found : kernel_sizes{};
}

}  // namespace simt::detail
