// Turns a rung of the histogram ladder into its record: every type of values behind one call.
#pragma once

#include "ladder/histogram/launching.cuh"
#include "ladder/instantiate.hpp"

namespace warpfold::ladder::histogram_ladder {
inline namespace WARPFOLD_MACHINE {

template <class Rung, class T>
unsigned launch_as(const launch_request& r) {
  return Rung::run(pass<T>{.in = static_cast<const T*>(r.in),
                           .counts = static_cast<unsigned*>(r.out),
                           .n = r.shape.n,
                           .shape = r.shape,
                           .stream = static_cast<stream_type>(r.stream)},
                   counting_add<Rung>{});
}

template <class Rung, instances Which>
unsigned launch_rung(const launch_request& r) {
  if constexpr (Which == instances::one) {
    require_first(r.type == value_type::u32);
    return launch_as<Rung, std::uint32_t>(r);
  } else {
    switch (r.type) {
      case value_type::u32: return launch_as<Rung, std::uint32_t>(r);
      case value_type::i32: return launch_as<Rung, std::int32_t>(r);
      case value_type::u64: return launch_as<Rung, std::uint64_t>(r);
      case value_type::i64: return launch_as<Rung, std::int64_t>(r);
      default: throw usage_error("the histogram ladder's values are u32, i32, u64 and i64");
    }
  }
}

template <class Rung, instances Which>
constexpr rung make_rung() {
  rung r = rung_of_arrays<Rung>(launch_rung<Rung, Which>);
  r.partials = [](const shape& s) { return std::size_t{s.bins}; };
  if constexpr (requires(const shape& s) { Rung::most_bins(s); }) {
    r.most_bins = [](const shape& s) { return Rung::most_bins(s); };
  }
  return r;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::histogram_ladder
