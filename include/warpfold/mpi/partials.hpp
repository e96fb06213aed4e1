// A rank's own share of a reduction, on the host or a device: of no values, none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "warpfold/host/detail/tree_part.hpp"
#include "warpfold/host/exact.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/mpi/communicator.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/exact.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/reduce/rows.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// An exact sum on its way: 64 bytes for f32, 292 for f64, the same on every machine.
template <class T>
using sum_bytes = std::array<std::uint8_t, exact_accumulator<T>::bytes>;

template <class T>
sum_bytes<T> to_bytes(const exact_accumulator<T>& sum) {
  sum_bytes<T> bytes;
  sum.to_bytes(bytes.data());
  return bytes;
}
template <class T>
exact_accumulator<T> sum_of(const std::optional<sum_bytes<T>>& bytes) {
  return bytes ? exact_accumulator<T>::from_bytes(*bytes) : exact_accumulator<T>{};
}

/// Both sums' bytes to those of their sum.
template <class T>
struct merge_bytes {
  sum_bytes<T> operator()(const sum_bytes<T>& a, const sum_bytes<T>& b) const {
    auto sum = exact_accumulator<T>::from_bytes(a);
    sum.merge(exact_accumulator<T>::from_bytes(b));
    return to_bytes(sum);
  }
};

/// The joining of states that merge, as they are in memory.
struct merge_states {
  template <class State>
  State operator()(State a, const State& b) const {
    a.merge(b);
    return a;
  }
};

/// How the values of a place's parts become terms of type Acc.
template <class Acc, host_place Where>
host_detail::convert_to<Acc> conversion(const Where&) {
  return {};
}

/// On a device as for one, on the host always.
template <class Where, class Op, class Acc, class Map>
constexpr bool can_reduce() {
#if WARPFOLD_HAS_DEVICE
  if constexpr (device_place<Where>) return detail::can_run<Map>() && detail::can_reduce<Op, Acc>();
#endif
  return true;
}

template <class Acc, host_place Where, class In, class Op, class Map>
Acc partial(const Where& where, std::span<const In> in, const Op& op, const Map& map) {
  return host_detail::reduce_chunks<Acc>(where, in, op, [&](std::span<const In> part) {
    return host_detail::reduce_chunk<Acc>(part, op, map);
  });
}
template <class Acc, host_place Where, class In, class Map>
exact_accumulator<Acc> exact_partial(const Where& where, std::span<const In> in, const Map& map) {
  return host_detail::accumulate_exactly<Acc>(where, in, map);
}
template <host_place Where, class T>
detail::product_state<T> product_partial(const Where& where, std::span<const T> a,
                                         std::span<const T> b) {
  return host_detail::accumulate_products(where, a, b);
}

#if WARPFOLD_HAS_DEVICE
template <class Acc, device_place Where>
detail::convert<Acc> conversion(const Where&) {
  return {};
}
template <class Acc, device_place Where, class In, class Op, class Map>
Acc partial(const Where& where, std::span<const In> in, const Op& op, const Map& map) {
  return transform_reduce(where, in, op.template identity<Acc>(), op, map);
}
template <class Acc, device_place Where, class In, class Map>
exact_accumulator<Acc> exact_partial(const Where& where, std::span<const In> in, const Map& map) {
  return detail::result_of<exact_accumulator<Acc>>(
      where, "exact_accumulate", in.size(), [&](auto* sum) {
        return detail::launch_exact(detail::for_cleared(where),
                                    detail::value_terms<In, Acc, Map>{in.data(), in.size(), map},
                                    {.sum = sum});
      });
}
template <device_place Where, class T>
detail::product_state<T> product_partial(const Where& where, std::span<const T> a,
                                         std::span<const T> b) {
  return detail::result_of<detail::product_state<T>>(where, "exact_dot", a.size(), [&](auto* sum) {
    return detail::launch_exact_dot<T>(detail::for_cleared(where), {a.data(), b.data(), a.size()},
                                       {.sum = sum});
  });
}
#endif

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
