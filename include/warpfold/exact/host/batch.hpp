// Batches: so many values that their sums stay in the vectors of the machine, and what the memory
// is asked for meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/bounds.hpp"
#include "warpfold/platform.hpp"

#if defined(__FAST_MATH__)
#error "exact sums need IEEE arithmetic: compile without -ffast-math"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Values that are summed before their sums are moved to the digits.
inline constexpr std::size_t batch_values = 1024;
inline constexpr std::size_t batch_step = 16;  // what vectors take is a multiple of so many

/// Sums of f64 side by side: in vectors of `Bytes`, which the machine has, since g++ makes single
/// steps of longer ones, and in so many that an addition seldom waits for the one before.
template <std::size_t Bytes>
struct batch_shape {
  static constexpr std::size_t lanes = Bytes / sizeof(double);
  static constexpr std::size_t sets = at_most<std::size_t>(batch_step / lanes, 4);
  static constexpr std::size_t step = lanes * sets;
  static constexpr int adds = step == 16 ? 6 : 7;  // log2 of those in a lane
  static_assert(batch_step % step == 0 && batch_values / step <= std::size_t{1} << adds);
};

template <class T, std::size_t Lanes>
struct vector_of {
  using type [[gnu::vector_size(Lanes * sizeof(T))]] = T;
};
template <class T, std::size_t Lanes>
using vector = typename vector_of<T, Lanes>::type;

/// While one batch is summed, asks the memory for others. Batches belong together in fours: for
/// each cache line of a batch, this fetches a line of the four batches behind its own four, of each
/// of them in turn. Memory answers faster to reads in four streams than in one.
template <class T>
class prefetch_ahead {
 public:
  explicit prefetch_ahead(const T* in) {
    const auto at = reinterpret_cast<std::uintptr_t>(in) / bytes % streams;
    first_ = reinterpret_cast<const char*>(in) + (streams - at) * bytes + at * (bytes / streams);
  }
  /// For the `count` values from the i-th on.
  [[gnu::always_inline]] void operator()(std::size_t i, std::size_t count) const {
    for (std::size_t at = i * sizeof(T); at < (i + count) * sizeof(T); at += line_bytes) {
      const std::size_t line = at / line_bytes;
      __builtin_prefetch(first_ + line % streams * bytes + line / streams * line_bytes);
    }
  }

 private:
  static constexpr std::size_t streams = 4, line_bytes = 64, bytes = batch_values * sizeof(T);
  const char* first_;
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
