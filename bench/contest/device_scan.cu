// Scans on a device, beside CUB's and Thrust's.
#include <cub/device/device_scan.cuh>
#include <cuda/functional>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>

#include "bench/contest/device_numbers.cuh"
#include "warpfold/scan.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {
namespace {

/// Every result follows from the one before: with whole numbers (random.hpp) and maxima exactly.
template <class T, class Op>
__global__ void wrong_kernel(const T* in, const T* out, std::size_t n, std::size_t step,
                             bool exclusive, unsigned* marks) {
  const T* const from = in + blockIdx.y * step;
  const T* const to = out + blockIdx.y * step;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const T before = i == 0 ? Op::template identity<T>() : to[i - 1];
    const T expected = !exclusive ? Op{}(before, from[i])
                       : i == 0   ? before
                                  : Op{}(before, from[i - 1]);
    if (!(to[i] == expected)) marks[blockIdx.y] = 1;
  }
}

template <class T, class Op>
std::vector<measure::measurement> run_as(const problem& p, device_place& where,
                                         std::span<const std::string> against) {
  using std_op = std::conditional_t<std::is_same_v<Op, plus>, cuda::std::plus<T>, cuda::maximum<T>>;
  constexpr T none = Op::template identity<T>();
  const std::size_t n = p.n, count = device_slots_of(2 * n * sizeof(T), where.cache_bytes);
  const auto stream = where.clock.stream();
  const number_slots<T> in(n, count), out(n, count);
  fill(in, p, stream);
  const wrong_slots marks(count);

  const workspace memory(scan_workspace_bytes<T>(n));
  const auto on = device.on(stream).with(memory);
  std::vector<device_contestant> contestants{{"warpfold", [&](std::size_t slot) {
                                                const std::span<const T> from(in(slot), n);
                                                const std::span<T> to(out(slot), n);
                                                const status state =
                                                    p.exclusive
                                                        ? exclusive_scan(on, from, to, none, Op{})
                                                        : inclusive_scan(on, from, to, Op{});
                                                state.throw_if_failed("a timed scan");
                                              }}};
  const auto cub_call = [&](void* temporary, std::size_t& bytes, const T* from, T* to) {
    return with_count(n, [&](auto count) {
      using cub::DeviceScan;
      return p.exclusive
                 ? DeviceScan::ExclusiveScan(temporary, bytes, from, to, std_op{}, none, count,
                                             stream)
                 : DeviceScan::InclusiveScan(temporary, bytes, from, to, std_op{}, count, stream);
    });
  };
  std::size_t cub_bytes = 0;
  require(cub_call(nullptr, cub_bytes, in(0), out(0)), "ask CUB for its memory");
  const device_bytes cub_memory(cub_bytes);
  if (is_asked(against, "cub")) {
    contestants.push_back({"cub", [&](std::size_t slot) {
                             require(cub_call(cub_memory.as(), cub_bytes, in(slot), out(slot)),
                                     "CUB's scan");
                           }});
  }
  if (is_asked(against, "thrust")) {
    const auto run = [&](std::size_t slot) {
      const auto par = thrust::cuda::par.on(stream);
      const T* const from = in(slot);
      if (p.exclusive) {
        thrust::exclusive_scan(par, from, from + n, out(slot), none, std_op{});
      } else {
        thrust::inclusive_scan(par, from, from + n, out(slot), std_op{});
      }
    };
    contestants.push_back({"thrust", run, {}, false});
  }
  const device_slots slots{
      count, static_cast<std::size_t>(calls_per_graph(n * sizeof(T))), [&] { out.poison(stream); },
      [&](std::size_t used) {
        return marks.count(used, stream, [&](unsigned* wrong) {
          wrong_kernel<T, Op>
              <<<dim3(n < 100000 ? 1 : 256, static_cast<unsigned>(used)), 256, 0, stream>>>(
                  in(0), out(0), n, in.step(), p.exclusive, wrong);
        });
      }};
  return time_on_device(p, where, slots, contestants);
}

}  // namespace

std::vector<measure::measurement> run_device_scan(const problem& p, device_place& where,
                                                  std::span<const std::string> against) {
  return with_numbers(p,
                      [&]<class T, class Op, class>() { return run_as<T, Op>(p, where, against); });
}

}  // namespace warpfold::bench
