// Reductions on a device, beside CUB's and Thrust's.
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "bench/cases/reduce_slots.cuh"
#include "bench/peers/cub.cuh"

namespace warpfold::bench {
namespace {

template <class T, class Op>
measurements reduce_as(const bench_case& c, device_place& where,
                       std::span<const std::string> against) {
  const reduce_slots<T, T, Op> memory(c, where);
  const auto stream = where.stream();
  std::vector<candidate> candidates{our_reduce(memory, c.record("warpfold"))};
  if (is_asked(against, "cub")) {
    candidates.push_back(cub_reduce_of<Op>(memory, c.record("cub")));
  }
  std::vector<T> returned(memory.count);
  if (is_asked(against, "thrust")) {  // the result comes to the host
    const auto run = [&](std::size_t slot) {
      const T* const in = memory.in(slot);
      returned[slot] = thrust::reduce(thrust::cuda::par.on(stream), in, in + c.n,
                                      Op::template identity<T>(), cuda_operator<T, Op>{});
    };
    const auto check = [&](std::size_t, std::size_t end) {
      cuda_check(cudaMemcpyAsync(memory.results.data(), returned.data(), end * sizeof(T),
                                 cudaMemcpyHostToDevice, stream),
                 "take Thrust's results to the device");
      const mistakes found = memory.wrong(end);
      std::fill(returned.begin(), returned.end(), T{});
      return found;
    };
    candidates.push_back({c.record("thrust"), run, false, check});
  }
  return time_on_device(c.samples, where, memory.as_slots(), candidates);
}

}  // namespace

measurements run_device_reduce(const bench_case& c, device_place& where,
                               std::span<const std::string> against) {
  return with_numbers(
      c, [&]<class T, class Op, class>() { return reduce_as<T, Op>(c, where, against); });
}

}  // namespace warpfold::bench
