// What one thread reduces: a chunk of neighbouring values, in an order that depends on its length
// alone.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/simd.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class Acc>
struct convert_to {
  template <class T>
  constexpr Acc operator()(const T& value) const {
    return static_cast<Acc>(value);
  }
};

/// Partial results side by side, for operators that allow any order: 128 bytes of them.
template <class Acc>
inline constexpr std::size_t lanes = sizeof(Acc) > block_bytes / 4
                                         ? 4
                                         : std::bit_floor(block_bytes / sizeof(Acc));

/// A core that reads in four places at once gets a quarter more of the memory's rate than in one,
/// so long as each is a page, for which it fetches ahead.
inline constexpr std::size_t interleaved_reads = 4;
inline constexpr std::size_t least_interleaved_bytes = 4096;

/// Calls visit(i) for the first value of each block of `Width` values: one block from each of four
/// quarters in turn, then what is left. Returns how many values these are.
template <std::size_t Width, class T, class Visit>
[[gnu::always_inline]] inline std::size_t for_each_simd_block(std::size_t n, Visit visit) {
  std::size_t i = 0;
  if (n >= interleaved_reads * least_interleaved_bytes / sizeof(T)) {
    const std::size_t quarter = n / Width / interleaved_reads * Width;
    for (; i < quarter; i += Width) {
      for (std::size_t p = 0; p < interleaved_reads; ++p) visit(p * quarter + i);
    }
    i = interleaved_reads * quarter;
  }
  for (; i + Width <= n; i += Width) visit(i);
  return i;
}

/// Lane j takes the j-th value of each block. Then halves of the lanes reduce together.
template <class Acc, class In, class Op, class Map>
Acc reduce_lanes(const In* in, std::size_t n, const Op& op, const Map& map) {
  constexpr std::size_t width = lanes<Acc>;
  const In* const rest = in + width;
  std::size_t i = 0;
  Acc lane[width];
  if constexpr (has_packed_form<Op, Acc>) {
    const auto load = [&](const In* from) __attribute__((always_inline)) {
      if constexpr (std::is_same_v<In, Acc> && std::is_same_v<Map, convert_to<Acc>>) {
        return block<Acc>::load(from);
      } else {
        Acc mapped[width];
        for (std::size_t j = 0; j < width; ++j) mapped[j] = static_cast<Acc>(map(from[j]));
        return block<Acc>::load(mapped);
      }
    };
    auto sum = load(in);
    i = for_each_simd_block<width, In>(
        n - width, [&](std::size_t at) __attribute__((always_inline)) {
          const auto more = load(rest + at);
          for_each_pack([&](auto k) __attribute__((always_inline)) {
            sum.packs[k] = apply<Op, Acc>(sum.packs[k], more.packs[k]);
          });
        });
    sum.store(lane);
  } else {
    for (std::size_t j = 0; j < width; ++j) lane[j] = static_cast<Acc>(map(in[j]));
    i = for_each_simd_block<width, In>(
        n - width, [&](std::size_t at) __attribute__((always_inline)) {
          for (std::size_t j = 0; j < width; ++j) {
            lane[j] = op(lane[j], static_cast<Acc>(map(rest[at + j])));
          }
        });
  }
  for (std::size_t j = 0; width + i + j < n; ++j) {
    lane[j] = op(lane[j], static_cast<Acc>(map(rest[i + j])));
  }
  for (std::size_t half = width / 2; half > 0; half /= 2) {
    for (std::size_t j = 0; j < half; ++j) lane[j] = op(lane[j], lane[j + half]);
  }
  return lane[0];
}

/// From left to right; four quarters at a time, since one would wait for each call of the operator.
template <class Acc, class In, class Op, class Map>
Acc reduce_in_order(const In* in, std::size_t n, const Op& op, const Map& map) {
  const auto value = [&](std::size_t i) -> Acc { return static_cast<Acc>(map(in[i])); };
  const std::size_t share = n < 16 ? n : n / 4;
  Acc a = value(0);
  if (share == n) {
    for (std::size_t i = 1; i < n; ++i) a = op(std::move(a), value(i));
    return a;
  }
  Acc b = value(share), c = value(2 * share), d = value(3 * share);
  for (std::size_t i = 1; i < share; ++i) {
    a = op(std::move(a), value(i));
    b = op(std::move(b), value(share + i));
    c = op(std::move(c), value(2 * share + i));
    d = op(std::move(d), value(3 * share + i));
  }
  for (std::size_t i = 4 * share; i < n; ++i) d = op(std::move(d), value(i));
  return op(op(std::move(a), std::move(b)), op(std::move(c), std::move(d)));
}

/// There must be values.
template <class Acc, class In, class Op, class Map = convert_to<Acc>>
Acc reduce_chunk(std::span<const In> in, const Op& op, const Map& map = {}) {
  if constexpr (is_commutative<Op> && std::is_trivially_copyable_v<Acc> &&
                std::is_default_constructible_v<Acc>) {
    if (in.size() >= lanes<Acc>) return reduce_lanes<Acc>(in.data(), in.size(), op, map);
  }
  return reduce_in_order<Acc>(in.data(), in.size(), op, map);
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
