// Inputs and results of reductions from T to Acc on a device. Results are whole numbers
// (random.hpp) or, for maxima, ranks: exact in 64 bits in any order.
#pragma once

#include <algorithm>
#include <type_traits>

#include "bench/harness/device_timer.cuh"
#include "warpfold/order.hpp"
#include "warpfold/reduce.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {

using truth_word = unsigned long long;

template <class T, class Op>
__global__ void truth_kernel(const T* in, std::size_t n, std::size_t step, truth_word* truth) {
  constexpr bool summed = std::is_same_v<Op, plus>;
  const T* const values = in + blockIdx.y * step;
  truth_word seen = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if constexpr (summed) {
      seen += static_cast<truth_word>(static_cast<long long>(values[i]));
    } else {
      seen = ::max(seen, static_cast<truth_word>(rank_of(values[i])));
    }
  }
  if constexpr (summed) {
    atomicAdd(truth + blockIdx.y, seen);
  } else {
    atomicMax(truth + blockIdx.y, seen);
  }
}

template <class Acc, class Op>
__global__ void wrong_results_kernel(const Acc* results, const truth_word* truth, std::size_t slots,
                                     unsigned* marks) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= slots) return;
  Acc expected;
  if constexpr (std::is_same_v<Op, plus>) {
    expected = static_cast<Acc>(static_cast<long long>(truth[i]));
  } else {
    expected = key_of<Acc>(static_cast<detail::rank_type<Acc>>(truth[i]));
  }
  marks[i] = results[i] == expected ? 0 : 1;
}

template <class T, class Acc, class Op>
class reduce_slots {
 public:
  /// Each has `room` values, if that is more than n.
  reduce_slots(const bench_case& c, device_place& place, std::size_t workspace_bytes = 0,
               std::size_t room = 0)
      : n(c.n),
        where(place),
        count(device_slots_of(n * sizeof(T), where.cache_bytes)),
        in(std::max(n, room), count),
        results(count),
        truth_(count),
        marks_(count),
        workspace_(std::max(workspace_bytes, reduce_workspace_bytes<Acc>())) {
    const auto stream = where.stream();
    fill(in.all(), numbers_of<T>(c), stream);
    truth_.set_bytes(0, stream);
    const dim3 grid(n < 100000 ? 1 : 256, static_cast<unsigned>(count));
    truth_kernel<T, Op><<<grid, 256, 0, stream>>>(in(0), n, in.step(), truth_.data());
    cuda_check(cudaGetLastError(), "form the references");
  }

  [[nodiscard]] std::span<const T> values(std::size_t slot) const { return {in(slot), n}; }
  [[nodiscard]] Acc* out(std::size_t slot) const { return results.data() + slot; }
  [[nodiscard]] auto on() const { return device.on(where.stream()).with(workspace_); }

  [[nodiscard]] mistakes wrong(std::size_t end) const {
    return marks_.count(end, where.stream(), [&](unsigned* marks) {
      wrong_results_kernel<Acc, Op>
          <<<static_cast<unsigned>(end / 256 + 1), 256, 0, where.stream()>>>(
              results.data(), truth_.data(), end, marks);
    });
  }
  [[nodiscard]] slots as_slots() const {
    return {.count = count,
            .calls_per_graph = calls_per_graph(n * sizeof(T)),
            .renew = [this] { results.set_bytes(0xff, where.stream()); },
            .check = [this](std::size_t, std::size_t end) { return wrong(end); }};
  }

  std::size_t n;
  device_place& where;
  std::size_t count;
  slot_buffer<T> in;
  device_buffer<Acc> results;

 private:
  device_buffer<truth_word> truth_;
  wrong_slots marks_;
  workspace workspace_;
};

template <class T, class Acc, class Op>
candidate our_reduce(const reduce_slots<T, Acc, Op>& s, measure::measurement record) {
  return {std::move(record), [&s](std::size_t slot) {
            reduce_into(s.on(), s.values(slot), s.out(slot), Op::template identity<Acc>(), Op{})
                .throw_if_failed("a timed reduction");
          }};
}

}  // namespace warpfold::bench
