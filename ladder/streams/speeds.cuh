// Measures the speeds of the link, the kernel and the host, from which the CPU machine's schedule
// predicts this machine's times. Medians of a few copies, kernels and loops over a chunk each.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "ladder/streams/calls.cuh"
#include "ladder/streams/executor.hpp"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

inline double median_of(int times, const std::function<double()>& once) {
  once();  // the first one may have to load something
  std::vector<double> all;
  for (int i = 0; i < times; ++i) all.push_back(once());
  std::nth_element(all.begin(), all.begin() + times / 2, all.end());
  return all[static_cast<std::size_t>(times) / 2];
}

/// Microseconds between two events around `calls`.
inline double time_in(cudaStream_t s, const std::function<void()>& calls) {
  const event start{cudaEventDefault}, end{cudaEventDefault};
  check(cudaEventRecord(start, s), "cudaEventRecord");
  calls();
  check(cudaEventRecord(end, s), "cudaEventRecord");
  check(cudaEventSynchronize(end), "cudaEventSynchronize");
  float ms = 0;
  check(cudaEventElapsedTime(&ms, start, end), "cudaEventElapsedTime");
  return ms * 1000.0;
}

inline simt::engine_speeds measure_speeds(const work& w, const std::byte* pageable,
                                          const clock_function& now_us) {
  const std::size_t size = size_of(w.type);
  const chunk_range p = w.chunk(0);
  const std::size_t bytes = p.count * size;
  simt::engine_speeds found;
  if (bytes == 0) return found;
  const stream s(cudaStreamNonBlocking);
  const auto gbs = [](std::size_t moved, double us) {
    return us > 0 ? static_cast<double>(moved) / us / 1000 : 0;
  };
  const auto of_stream = [&](const std::function<void()>& calls) {
    return median_of(9, [&] { return time_in(s, calls); });
  };
  const auto of_host = [&](const std::function<void()>& calls) {
    return median_of(9, [&] {
      const double start = now_us();
      calls();
      return now_us() - start;
    });
  };
  // A chain of tiny copies: the device's time for each is the latency, the host's the price of a
  // call.
  constexpr unsigned chain = 100;
  const auto tiny = [&] {
    for (unsigned i = 0; i < chain; ++i) {
      check(cudaMemcpyAsync(w.mark, w.values, std::min<std::size_t>(4, bytes),
                            cudaMemcpyHostToDevice, s),
            "cudaMemcpyAsync");
    }
  };
  found.latency_us = of_stream(tiny) / chain;
  found.call_us = of_host(tiny) / chain;
  check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
  const auto without_latency = [&](double us) { return std::max(us - found.latency_us, us / 2); };

  found.copy_in_gbs =
      gbs(bytes, without_latency(of_stream([&] {
            check(cudaMemcpyAsync(w.device_values, w.values, bytes, cudaMemcpyHostToDevice, s),
                  "copy in");
          })));
  // One kernel after the other, as in a rung with several passes.
  constexpr unsigned kernels = 10;
  const double kernel_us = of_stream([&] {
    for (unsigned i = 0; i < kernels; ++i) {
      sum_values(w.type, w.device_values, p.count, w.device_sums, w.workspaces, w.workspace_bytes,
                 s);
    }
  });
  found.kernel_gbs = gbs(bytes, without_latency(kernel_us / kernels));
  // The same values go back to where they came from.
  found.copy_out_gbs =
      gbs(bytes, without_latency(of_stream([&] {
            check(cudaMemcpyAsync(const_cast<std::byte*>(w.values), w.device_values, bytes,
                                  cudaMemcpyDeviceToHost, s),
                  "copy out");
          })));
  // All values, as in the rung: each page is touched once.
  found.pageable_gbs =
      gbs(w.n * size, of_host([&] {
            check(cudaMemcpy(w.device_values, pageable, w.n * size, cudaMemcpyHostToDevice),
                  "cudaMemcpy");
          }));
  std::byte sum[8]{};
  found.host_gbs = gbs(bytes, of_host([&] { w.add_on_host(w.type, w.values, p.count, sum); }));
  return found;
}

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
