// Inputs and results of scans on a device, with sums in Acc; inclusive ones where that is T.
#pragma once

#include <algorithm>
#include <type_traits>

#include "bench/harness/device_timer.cuh"
#include "warpfold/scan.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {

/// Every result follows from the one before: with whole numbers (random.hpp) and maxima exactly.
template <class T, class Acc, class Op>
__global__ void wrong_prefixes_kernel(const T* in, const T* out, std::size_t n, std::size_t step,
                                      bool exclusive, unsigned* marks) {
  const T* const from = in + blockIdx.y * step;
  const T* const to = out + blockIdx.y * step;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const Acc before = i == 0 ? Op::template identity<Acc>() : static_cast<Acc>(to[i - 1]);
    const Acc expected = !exclusive ? Op{}(before, static_cast<Acc>(from[i]))
                         : i == 0   ? before
                                    : Op{}(before, static_cast<Acc>(from[i - 1]));
    if (!(static_cast<Acc>(to[i]) == expected)) marks[blockIdx.y] = 1;
  }
}

template <class T, class Acc, class Op>
class scan_slots {
 public:
  /// Each has `room` values, if that is more than n.
  scan_slots(const bench_case& c, device_place& place, std::size_t workspace_bytes = 0,
             std::size_t room = 0)
      : n(c.n),
        exclusive(c.exclusive),
        where(place),
        count(device_slots_of(2 * n * sizeof(T), where.cache_bytes)),
        in(std::max(n, room), count),
        out(std::max(n, room), count),
        marks_(count),
        workspace_(std::max(workspace_bytes, scan_workspace_bytes<T, Acc>(n))) {
    fill(in.all(), numbers_of<T>(c), where.stream());
  }

  [[nodiscard]] auto on() const { return device.on(where.stream()).with(workspace_); }
  [[nodiscard]] mistakes wrong(std::size_t end) const {
    return marks_.count(end, where.stream(), [&](unsigned* marks) {
      const dim3 grid(n < 100000 ? 1 : 256, static_cast<unsigned>(end));
      wrong_prefixes_kernel<T, Acc, Op>
          <<<grid, 256, 0, where.stream()>>>(in(0), out(0), n, in.step(), exclusive, marks);
    });
  }
  [[nodiscard]] slots as_slots() const {
    return {.count = count,
            .calls_per_graph = calls_per_graph(n * sizeof(T)),
            .renew = [this] { out.all().set_bytes(0xff, where.stream()); },
            .check = [this](std::size_t, std::size_t end) { return wrong(end); }};
  }

  std::size_t n;
  bool exclusive;
  device_place& where;
  std::size_t count;
  slot_buffer<T> in, out;

 private:
  wrong_slots marks_;
  workspace workspace_;
};

template <class T, class Acc, class Op>
candidate our_scan(const scan_slots<T, Acc, Op>& s, measure::measurement record) {
  return {std::move(record), [&s](std::size_t slot) {
            const std::span<const T> from(s.in(slot), s.n);
            const std::span<T> to(s.out(slot), s.n);
            const auto done = [](status state) { state.throw_if_failed("a timed scan"); };
            if (s.exclusive) {
              done(exclusive_scan(s.on(), from, to, Op::template identity<Acc>(), Op{}));
            } else if constexpr (std::is_same_v<T, Acc>) {
              done(inclusive_scan(s.on(), from, to, Op{}));
            }
          }};
}

/// The scans' ceiling. What it leaves is no scan.
template <class T, class Acc, class Op>
candidate plain_copy(const scan_slots<T, Acc, Op>& s, measure::measurement record) {
  const auto copy = [&s](std::size_t slot) {
    cuda_check(cudaMemcpyAsync(s.out(slot), s.in(slot), s.n * sizeof(T), cudaMemcpyDeviceToDevice,
                               s.where.stream()),
               "a copy");
  };
  return {std::move(record), copy, true, [](std::size_t, std::size_t) { return mistakes{}; }};
}

}  // namespace warpfold::bench
