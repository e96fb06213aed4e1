// The scans of a CUDA device: stream-ordered, one pass over memory, the same bits from run to run.
//
//   exclusive_scan(device.on(stream).with(memory), in, out, init, op)   without init: the sums from
//   0 inclusive_scan(device.on(stream).with(memory), in, out, op)
//
// They never synchronise; with a workspace (scan_workspace_bytes) they allocate nothing, and they
// can be captured in a graph either way. `in` is device memory, or `device_sized` of it, and `out`
// may be the same. The operator need only be associative. At determinism::gpu_to_gpu floating-point
// sums and user-defined operators combine the values in the canonical order (docs/canonical.md), in
// a workspace of canonical_workspace_bytes<T, Acc>(n); their number is the host's there.
#pragma once

#include "warpfold/device/canonical.cuh"
#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/detail/scratch.cuh"
#include "warpfold/device/scan/dispatch.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/ranges.hpp"
#include "warpfold/same_bits.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of workspace for a scan of n values of T, accumulated as Acc.
template <class T, class Acc = accumulator_for<T>>
constexpr std::size_t scan_workspace_bytes(std::size_t n) {
  return detail::scan_bytes<T, Acc>(n);
}

namespace detail {

template <class Where, class In, class Out, class Acc, class Op>
status scan_at_level(const Where& where, const In& in, Out&& out, const tree_begin<Acc>& init,
                     bool exclusive, Op op) {
  using given = given_values<In>;
  const auto values = given::most(in);
  auto* const to = std::ranges::data(out);
  if constexpr (!is_canonical<Where, Op, Acc>) {
    return scan<given_value_of<In>, Acc>(for_cleared(where), values, to, std::ranges::size(out),
                                         init.value, exclusive, op, given::size(in));
  } else if constexpr (has_host_size<In>()) {
    return canonical_scan(for_cleared(where), values, to, std::ranges::size(out), init, exclusive,
                          op);
  } else {
    return {};
  }
}

}  // namespace detail

/// out[i] = op(init, in[0], …, in[i]), accumulated in init's type.
template <device_place Where, sized_values In, values Out, class Op, class Acc>
status inclusive_scan(const Where& where, const In& in, Out&& out, Op op, Acc init) {
  if constexpr (detail::can_scan<given_value_of<In>, Out, Acc, Op>()) {
    return detail::scan_at_level(where, in, out, detail::tree_begin<Acc>{init, false}, false, op);
  } else {
    return {};
  }
}
/// out[i] = op(in[0], …, in[i])
template <device_place Where, sized_values In, values Out, class Op = plus>
status inclusive_scan(const Where& where, const In& in, Out&& out, Op op = {}) {
  using Acc = accumulator_for<given_value_of<In>>;
  if constexpr (detail::can_scan<given_value_of<In>, Out, Acc, Op>()) {
    const detail::tree_begin<Acc> none{detail::identity_or_any<Acc>(op), true};
    return detail::scan_at_level(where, in, out, none, false, op);
  } else {
    return {};
  }
}

/// out[i] = op(init, in[0], …, in[i - 1]), accumulated in init's type; out[0] = init.
template <device_place Where, sized_values In, values Out, class Acc, class Op = plus>
status exclusive_scan(const Where& where, const In& in, Out&& out, Acc init, Op op = {}) {
  if constexpr (detail::can_scan<given_value_of<In>, Out, Acc, Op>()) {
    return detail::scan_at_level(where, in, out, detail::tree_begin<Acc>{init, false}, true, op);
  } else {
    return {};
  }
}
/// The same from T{}, where the values, or what they are accumulated in, are of type T.
template <device_place Where, sized_values In, values Out>
status exclusive_scan(const Where& where, const In& in, Out&& out) {
  return exclusive_scan(where, in, out, accumulator_for<given_value_of<In>>{});
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
