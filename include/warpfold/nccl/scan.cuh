// Scans across GPUs: each rank reduces its part, one all-gather exchanges the totals, and each
// scans its part from the total before it. Values are read twice and written once. The carry stays
// on the device: nothing waits for the host.
#pragma once

#include "warpfold/device/reduce.cuh"
#include "warpfold/device/scan.cuh"
#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

template <class Acc, class Op>
struct join_before {
  Acc init;
  Op op;
  unsigned rank;
  Acc* out;
  __device__ void operator()(const Acc* all, unsigned /*ranks*/) const {
    Acc carry = init;
    for (unsigned r = 0; r < rank; ++r) carry = op(carry, all[r]);
    *out = carry;
  }
};

template <class Where, class T, class Acc, class Op>
status scan(const across_gpus<Where>& place, std::span<const T> in, T* out, std::size_t out_size,
            const Acc& init, bool exclusive, Op op) {
  detail::device_buffer<Acc> carry;
  status state = carry.allocate(1, place.here().stream());
  if (!state.ok()) return state;
  state = gather_and_finish<Acc>(
      place,
      [&](Acc* mine) {
        return reduce_into(place.here(), in, mine, op.template identity<Acc>(), op);
      },
      join_before<Acc, Op>{init, op, static_cast<unsigned>(place.rank()), carry.data()});
  if (!state.ok()) return state;
  using loading = detail::op_with_loaded_init<Op, Acc>;
  return detail::scan<T, Acc, loading>(detail::for_cleared(place.here()), in, out, out_size,
                                       {carry.data()}, exclusive, {op});
}

}  // namespace nccl_detail

/// out[i] = init, all values of the ranks before, in[0], …, in[i], reduced by op in init's type.
template <device_place Where, values In, values Out, class Op, class Acc>
status inclusive_scan(const across_gpus<Where>& place, const In& in, Out&& out, Op op, Acc init) {
  if constexpr (detail::can_scan<value_of<In>, Out, Acc, Op>()) {
    detail::require_same_bits<Where, Op, Acc>();
    return nccl_detail::scan(place, detail::device_view(in), std::ranges::data(out),
                             std::ranges::size(out), init, false, op);
  } else {
    return {};
  }
}
/// out[i] = all values of the ranks before, in[0], …, in[i], reduced by op.
template <device_place Where, values In, values Out, class Op = plus>
status inclusive_scan(const across_gpus<Where>& place, const In& in, Out&& out, Op op = {}) {
  return inclusive_scan(place, in, out, op, detail::identity_or_any<accumulator_of<In>>(op));
}

/// out[i] = init, all values of the ranks before, in[0], …, in[i - 1], reduced by op in init's
/// type.
template <device_place Where, values In, values Out, class Acc, class Op = plus>
status exclusive_scan(const across_gpus<Where>& place, const In& in, Out&& out, Acc init,
                      Op op = {}) {
  if constexpr (detail::can_scan<value_of<In>, Out, Acc, Op>()) {
    detail::require_same_bits<Where, Op, Acc>();
    return nccl_detail::scan(place, detail::device_view(in), std::ranges::data(out),
                             std::ranges::size(out), init, true, op);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
