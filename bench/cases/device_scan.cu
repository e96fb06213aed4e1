// Scans on a device, beside CUB's and Thrust's.
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "bench/cases/scan_slots.cuh"
#include "bench/peers/cub.cuh"

namespace warpfold::bench {
namespace {

template <class T, class Op>
measurements scan_as(const bench_case& c, device_place& where,
                     std::span<const std::string> against) {
  const scan_slots<T, T, Op> memory(c, where);
  const auto stream = where.stream();
  std::vector<candidate> candidates{our_scan(memory, c.record("warpfold"))};
  if (is_asked(against, "cub")) {
    candidates.push_back(cub_scan_of<Op, T>(memory, c.record("cub")));
  }
  if (is_asked(against, "thrust")) {
    const auto run = [&](std::size_t slot) {
      const auto par = thrust::cuda::par.on(stream);
      const T* const from = memory.in(slot);
      T* const to = memory.out(slot);
      using op = cuda_operator<T, Op>;
      if (c.exclusive) {
        thrust::exclusive_scan(par, from, from + c.n, to, Op::template identity<T>(), op{});
      } else {
        thrust::inclusive_scan(par, from, from + c.n, to, op{});
      }
    };
    candidates.push_back({c.record("thrust"), run, false});
  }
  return time_on_device(c.samples, where, memory.as_slots(), candidates);
}

}  // namespace

measurements run_device_scan(const bench_case& c, device_place& where,
                             std::span<const std::string> against) {
  return with_numbers(
      c, [&]<class T, class Op, class>() { return scan_as<T, Op>(c, where, against); });
}

}  // namespace warpfold::bench
