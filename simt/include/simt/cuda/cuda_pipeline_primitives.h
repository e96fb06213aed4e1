// Asynchronous copies into shared memory, as functions. They are made at once.
#pragma once

#include <cstddef>
#include <cstring>

#include "cuda_runtime.h"
#include "simt/word_of.hpp"

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): the names are CUDA's
namespace simt::detail {

template <unsigned Bytes>
[[gnu::always_inline]] inline void copy_word(void* to, const void* from) {
  using word = word_of<Bytes>;
  *static_cast<volatile word*>(to) = *static_cast<const volatile word*>(from);
}

}  // namespace simt::detail

/// The last `zeros` of the 4, 8 or 16 bytes are zeros.
[[gnu::always_inline]] inline void __pipeline_memcpy_async(void* to, const void* from,
                                                           std::size_t bytes,
                                                           std::size_t zeros = 0) {
  if (zeros != 0) {
    std::memcpy(to, from, bytes - zeros);
    std::memset(static_cast<char*>(to) + (bytes - zeros), 0, zeros);
  } else if (bytes == 16) {
    simt::detail::copy_word<16>(to, from);
  } else if (bytes == 8) {
    simt::detail::copy_word<8>(to, from);
  } else {
    simt::detail::copy_word<4>(to, from);
  }
}
inline void __pipeline_commit() {}
inline void __pipeline_wait_prior(std::size_t) {}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
