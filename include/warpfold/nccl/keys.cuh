// Runs of equal keys over the parts of all GPUs: each rank reduces the runs of its part, one
// all-gather exchanges the keys and the runs at the ends of the parts, and each run goes to the GPU
// on which it begins. Nothing waits for the host.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/device/keys.cuh"
#include "warpfold/nccl/communicator.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace nccl_detail {

/// What the others need of a rank's part: its first and last key, and what its first and last run,
/// which may be one, come to, not rounded. No runs: no keys.
template <class K, class Acc>
struct run_ends {
  K first_key, last_key;
  Acc first, last;
  std::uint64_t runs;
};

/// The runs of a rank's part alone, in device memory. The first is dropped, 0 or 1 of them, where
/// it continues one of the ranks before.
template <class K, class Acc>
struct runs_here {
  K* keys;
  Acc* values;
  std::size_t *count, *dropped;
};

template <class K, class Acc>
__global__ void __launch_bounds__(32)
    store_ends_kernel(const K* keys, std::size_t n, runs_here<K, Acc> here,
                      run_ends<K, Acc>* ends) {
  if (threadIdx.x != 0) return;
  ends->runs = n == 0 ? 0 : *here.count;
  if (n == 0) return;
  ends->first_key = keys[0];
  ends->last_key = keys[n - 1];
  ends->first = here.values[0];
  ends->last = here.values[*here.count - 1];
}

/// Joins the last run with what continues it on later ranks.
template <class K, class Acc, class Op, class Equal>
struct join_run_ends {
  Op op;
  Equal equal;
  unsigned rank;
  runs_here<K, Acc> here;

  __device__ void operator()(const run_ends<K, Acc>* all, unsigned ranks) const {
    const run_ends<K, Acc>& own = all[rank];
    *here.dropped = 0;
    if (own.runs == 0) return;
    const K* last = nullptr;
    for (unsigned r = 0; r < rank; ++r) {
      if (all[r].runs > 0) last = &all[r].last_key;
    }
    if (last != nullptr && equal(*last, own.first_key)) *here.dropped = 1;
    Acc sum = own.last;
    last = &own.last_key;
    for (unsigned r = rank + 1; r < ranks; ++r) {
      if (all[r].runs == 0) continue;
      if (!equal(*last, all[r].first_key)) break;
      sum = op(sum, all[r].first);
      if (all[r].runs > 1) break;
      last = &all[r].last_key;
    }
    here.values[own.runs - 1] = sum;
  }
};

template <class K, class V, class Acc>
__global__ void __launch_bounds__(256)
    keep_runs_kernel(runs_here<K, Acc> here, K* out_keys, V* out_values, std::size_t room,
                     std::size_t* runs) {
  const std::size_t dropped = *here.dropped, count = *here.count - dropped;
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i == 0) *runs = count;
  if (i >= count || i >= room) return;
  out_keys[i] = here.keys[i + dropped];
  out_values[i] = static_cast<V>(here.values[i + dropped]);
}

}  // namespace nccl_detail

/// Leaves the first key of each run that begins in this rank's part in `out_keys`, op(…) of the
/// run's values, those on later ranks too, in `out_values`, and the number of these runs in
/// `*runs`. If an output is too short, it is filled. Allocates as much as the outputs of the part's
/// keys, with 4 bytes for a value of f16 or bf16.
template <device_place Where, values Keys, values Values, values OutKeys, values OutValues,
          class Op = plus, class Equal = equal_to>
status reduce_by_key(const across_gpus<Where>& place, const Keys& keys, const Values& values,
                     OutKeys&& out_keys, OutValues&& out_values, std::size_t* runs, Op op = {},
                     Equal equal = {}) {
  using namespace nccl_detail;
  using K = value_of<Keys>;
  using V = value_of<OutValues>;
  using Acc = accumulator_for<V>;
  if constexpr (detail::can_reduce_runs<Op, Acc>() && detail::can_run<Equal>()) {
    const auto in = detail::device_view(keys);
    const detail::stream_type stream = place.here().stream();
    const std::size_t n = in.size();
    detail::device_buffer<K> own_keys;
    detail::device_buffer<Acc> own_values;
    detail::device_buffer<std::size_t> numbers;
    status s = own_keys.allocate(n, stream);
    if (s.ok()) s = own_values.allocate(n, stream);
    if (s.ok()) s = numbers.allocate(2, stream);
    if (!s.ok()) return s;
    const runs_here<K, Acc> here{own_keys.data(), own_values.data(), numbers.data(),
                                 numbers.data() + 1};
    s = gather_and_finish<run_ends<K, Acc>>(
        place,
        [&](run_ends<K, Acc>* ends) {
          const status reduced = reduce_by_key(place.here(), in, values, std::span(here.keys, n),
                                               std::span(here.values, n), here.count, op, equal);
          if (!reduced.ok()) return reduced;
          return detail::try_launch({.grid = 1, .block = 32, .stream = stream},
                                    store_ends_kernel<K, Acc>, in.data(), n, here, ends);
        },
        join_run_ends<K, Acc, Op, Equal>{op, equal, static_cast<unsigned>(place.rank()), here});
    if (!s.ok()) return s;
    return detail::try_launch(
        {.grid = static_cast<unsigned>(n / 256 + 1), .block = 256, .stream = stream},
        keep_runs_kernel<K, V, Acc>, here, std::ranges::data(out_keys),
        std::ranges::data(out_values),
        std::min(std::ranges::size(out_keys), std::ranges::size(out_values)), runs);
  } else {
    return {};
  }
}
/// The same; returns the number of runs that begin in this rank's part. Throws usage_error if an
/// output is too short for them.
template <device_place Where, values Keys, values Values, values OutKeys, values OutValues,
          class Op = plus, class Equal = equal_to>
  requires(!std::is_pointer_v<Op>)
std::size_t reduce_by_key(const across_gpus<Where>& place, const Keys& keys, const Values& values,
                          OutKeys&& out_keys, OutValues&& out_values, Op op = {},
                          Equal equal = {}) {
  return detail::counted(
      place.here(), "reduce_by_key", std::ranges::size(keys),
      std::min(std::ranges::size(out_keys), std::ranges::size(out_values)), [&](std::size_t* runs) {
        return reduce_by_key(place, keys, values, out_keys, out_values, runs, op, equal);
      });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
