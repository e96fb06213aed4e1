// The prefixes of one chunk of values, written by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "warpfold/host/detail/reduce_chunk.hpp"
#include "warpfold/host/detail/simd.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Lanes First, First + Step, First + 2 * Step, … of a and then b. (Written out, since nvcc's front
/// end loses a parameter pack in this word.)
template <int First, int Step, class T>
[[gnu::always_inline]] inline pack<T> lanes_from(pack<T> a, pack<T> b) {
  constexpr int f = First, s = Step;
  if constexpr (sizeof(T) == 8) {
    return __builtin_shufflevector(a, b, f, f + s);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_shufflevector(a, b, f, f + s, f + 2 * s, f + 3 * s);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_shufflevector(a, b, f, f + s, f + 2 * s, f + 3 * s, f + 4 * s, f + 5 * s,
                                   f + 6 * s, f + 7 * s);
  } else {
    return __builtin_shufflevector(a, b, f, f + s, f + 2 * s, f + 3 * s, f + 4 * s, f + 5 * s,
                                   f + 6 * s, f + 7 * s, f + 8 * s, f + 9 * s, f + 10 * s,
                                   f + 11 * s, f + 12 * s, f + 13 * s, f + 14 * s, f + 15 * s);
  }
}

template <class T>
inline constexpr int pack_lanes = pack_bytes / sizeof(T);

/// The lanes of b moved up by Distance, the last ones of a before them.
template <int Distance, class T>
[[gnu::always_inline]] inline pack<T> shift_in(pack<T> a, pack<T> b) {
  return lanes_from<pack_lanes<T> - Distance, 1, T>(a, b);
}

template <class T>
[[gnu::always_inline]] inline pack<T> spread_last(pack<T> a) {
  return lanes_from<pack_lanes<T> - 1, 0, T>(a, a);
}

template <class T>
[[gnu::always_inline]] inline pack<T> spread(T value) {
  pack<T> all;
  for (int i = 0; i < pack_lanes<T>; ++i) all[i] = value;
  return all;
}

/// The prefixes within a pack: each step adds what is 1, 2, 4, … lanes before.
template <class Op, class T, int Distance = 1>
[[gnu::always_inline]] inline pack<T> scan_pack(pack<T> a, pack<T> identity) {
  if constexpr (Distance == pack_lanes<T>) {
    return a;
  } else {
    return scan_pack<Op, T, 2 * Distance>(apply<Op, T>(shift_in<Distance, T>(identity, a), a),
                                          identity);
  }
}

/// Whole blocks; returns how many values these are. Packs wait for one another only in the last
/// line's single application a block.
template <bool Exclusive, class Op, class T>
std::size_t scan_blocks(const T* in, std::size_t n, T* out, T& carry) {
  const auto identity = spread<T>(Op::template identity<T>());
  auto before = spread<T>(carry);
  std::size_t i = 0;
  for (; i + block<T>::lanes <= n; i += block<T>::lanes) {
    auto value = block<T>::load(in + i);
    pack<T> upto[packs_per_block];  // what the block's packs come to, up to each
    for_each_pack([&](auto k) __attribute__((always_inline)) {
      value.packs[k] = scan_pack<Op, T>(value.packs[k], identity);
      upto[k] = spread_last<T>(value.packs[k]);
      if constexpr (k > 0) upto[k] = apply<Op, T>(upto[k - 1], upto[k]);
    });
    pack<T> last = before;
    for_each_pack([&](auto k) __attribute__((always_inline)) {
      pack<T> start = before;
      if constexpr (k > 0) start = apply<Op, T>(before, upto[k - 1]);
      const pack<T> prefixes = apply<Op, T>(start, value.packs[k]);
      value.packs[k] = Exclusive ? shift_in<1, T>(last, prefixes) : prefixes;
      last = prefixes;
    });
    value.store(out + i);
    before = apply<Op, T>(before, upto[packs_per_block - 1]);
  }
  carry = static_cast<T>(before[0]);
  return i;
}

/// `before` is what precedes in[0]; only an inclusive scan can do without. `out` may be `in`.
template <bool Exclusive, class In, class Out, class Acc, class Op>
void scan_chunk(std::span<const In> in, Out* out, const std::optional<Acc>& before, const Op& op) {
  if (in.empty()) return;
  const std::size_t n = in.size();
  std::size_t i = 0;
  Acc sum = before ? *before : static_cast<Acc>(in[i++]);
  if (!before) out[0] = static_cast<Out>(sum);
  if constexpr (has_packed_form<Op, Acc> && std::is_same_v<In, Acc> && std::is_same_v<Out, Acc>) {
    i += scan_blocks<Exclusive, Op>(in.data() + i, n - i, out + i, sum);
  }
  for (; i < n; ++i) {
    const Acc value = static_cast<Acc>(in[i]);  // read before out, which may be in, is written
    if constexpr (Exclusive) out[i] = static_cast<Out>(sum);
    sum = op(std::move(sum), value);
    if constexpr (!Exclusive) out[i] = static_cast<Out>(sum);
  }
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
