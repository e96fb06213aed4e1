// CUDA's questions about what memory an address is in.
#pragma once

#include <cstddef>

#include "simt/lanes.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
#define SIMT_SPACE(name, space)                                                       \
  inline unsigned __is##name(const void* p) {                                         \
    return simt::detail::is_in_space(simt::detail::memory_space::space, p) ? 1U : 0U; \
  }                                                                                   \
  inline std::size_t __cvta_generic_to_##space(const void* p) {                       \
    return reinterpret_cast<std::size_t>(p);                                          \
  }                                                                                   \
  inline void* __cvta_##space##_to_generic(std::size_t address) {                     \
    return reinterpret_cast<void*>(address);                                          \
  }
SIMT_SPACE(Global, global)
SIMT_SPACE(Local, local)
SIMT_SPACE(Constant, constant)
#undef SIMT_SPACE
inline unsigned __isShared(const void* p) {
  return simt::detail::is_in_space(simt::detail::memory_space::shared, p) ? 1U : 0U;
}
inline std::size_t __cvta_generic_to_shared(const void* p) {
  return simt::detail::shared_address(p);
}
inline void* __cvta_shared_to_generic(std::size_t address) {
  return simt::detail::shared_pointer(address);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
