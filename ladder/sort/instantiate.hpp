// Turns a rung of the sort ladder into its record: every key type and both orders, keys alone and
// with values, behind one call.
#pragma once

#include "ladder/instantiate.hpp"
#include "ladder/sort/launching.cuh"
#include "warpfold/order.hpp"

namespace warpfold::ladder::sort_ladder {
inline namespace WARPFOLD_MACHINE {

template <class K, class V>
columns<K, V> columns_of(void* keys, void* values) {
  if constexpr (std::is_same_v<V, nothing>) {
    return {static_cast<K*>(keys)};
  } else {
    return {static_cast<K*>(keys), static_cast<V*>(values)};
  }
}

template <class K, class V>
pass<K, V> pass_of(const launch_request& r) {
  return {.in = columns_of<K, V>(r.in, r.values_in),
          .out = columns_of<K, V>(r.out, r.values_out),
          .n = r.shape.n,
          .shape = r.shape,
          .scratch = r.scratch,
          .stream = static_cast<stream_type>(r.stream)};
}

template <class Rung, class K, class V>
unsigned launch_as(const launch_request& r) {
  const pass<K, V> p = pass_of<K, V>(r);
  return r.descending ? Rung::run(p, counting_order<descending, Rung>{})
                      : Rung::run(p, counting_order<ascending, Rung>{});
}

template <class Rung, class K>
unsigned launch_keys(const launch_request& r) {
  return r.values_in == nullptr ? launch_as<Rung, K, nothing>(r)
                                : launch_as<Rung, K, std::uint32_t>(r);
}

template <class Rung>
unsigned launch_any(const launch_request& r) {
  switch (r.type) {
    case value_type::u32: return launch_keys<Rung, std::uint32_t>(r);
    case value_type::i32: return launch_keys<Rung, std::int32_t>(r);
    case value_type::f32: return launch_keys<Rung, float>(r);
    case value_type::u64: return launch_keys<Rung, std::uint64_t>(r);
    case value_type::f64: return launch_keys<Rung, double>(r);
    default: throw usage_error("the sort ladder's keys are u32, i32, f32, u64 and f64");
  }
}

template <class Rung, instances Which>
unsigned launch_rung(const launch_request& r) {
  if constexpr (Which == instances::one) {
    require_first(r.type == value_type::u32 && r.values_in == nullptr && !r.descending);
    return Rung::run(pass_of<std::uint32_t, nothing>(r), counting_order<ascending, Rung>{});
  } else {
    return launch_any<Rung>(r);
  }
}

template <class Rung, instances Which>
constexpr rung make_rung() {
  return rung_of_arrays<Rung>(launch_rung<Rung, Which>);
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::sort_ladder
