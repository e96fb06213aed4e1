// Reductions on a device, beside CUB's and Thrust's.
#include <cub/device/device_reduce.cuh>
#include <cuda/functional>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include "bench/contest/device_numbers.cuh"
#include "warpfold/reduce.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {
namespace {

using word = unsigned long long;

/// Results are whole numbers (random.hpp) or, for maxima, ranks: exact in 64 bits in any order.
template <class T, class Op>
__global__ void truth_kernel(const T* in, std::size_t n, std::size_t step, word* truth) {
  constexpr bool summed = std::is_same_v<Op, plus>;
  const T* const values = in + blockIdx.y * step;
  word seen = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if constexpr (summed) {
      seen += static_cast<word>(static_cast<long long>(values[i]));
    } else {
      seen = ::max(seen, static_cast<word>(rank_of(values[i])));
    }
  }
  if constexpr (summed) {
    atomicAdd(truth + blockIdx.y, seen);
  } else {
    atomicMax(truth + blockIdx.y, seen);
  }
}

template <class T, class Op>
__global__ void wrong_kernel(const T* results, const word* truth, std::size_t slots,
                             unsigned* marks) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= slots) return;
  T expected;
  if constexpr (std::is_same_v<Op, plus>) {
    expected = static_cast<T>(static_cast<long long>(truth[i]));
  } else {
    expected = key_of<T>(static_cast<detail::rank_type<T>>(truth[i]));
  }
  marks[i] = results[i] == expected ? 0 : 1;
}

template <class T, class Op>
std::vector<measure::measurement> run_as(const problem& p, device_place& where,
                                         std::span<const std::string> against) {
  constexpr bool summed = std::is_same_v<Op, plus>;
  using std_op = std::conditional_t<summed, cuda::std::plus<T>, cuda::maximum<T>>;
  constexpr T none = Op::template identity<T>();
  const std::size_t n = p.n, count = device_slots_of(n * sizeof(T), where.cache_bytes);
  const auto stream = where.clock.stream();
  const number_slots<T> in(n, count);
  fill(in, p, stream);
  const device_bytes results(count * sizeof(T)), truth(count * sizeof(word));
  require(cudaMemsetAsync(truth.as(), 0, count * sizeof(word), stream), "clear the references");
  truth_kernel<T, Op><<<dim3(n < 100000 ? 1 : 256, static_cast<unsigned>(count)), 256, 0, stream>>>(
      in(0), n, in.step(), truth.as<word>());
  require(cudaGetLastError(), "form the references");
  const wrong_slots marks(count);
  const auto result = [&](std::size_t slot) { return results.as<T>(slot * sizeof(T)); };

  const workspace memory(reduce_workspace_bytes<T>());
  const auto on = device.on(stream).with(memory);
  std::vector<device_contestant> contestants{{"warpfold", [&](std::size_t slot) {
                                                reduce_into(on, std::span<const T>(in(slot), n),
                                                            result(slot), none, Op{})
                                                    .throw_if_failed("a timed reduction");
                                              }}};
  const auto cub_call = [&](void* temporary, std::size_t& bytes, const T* from, T* to) {
    return with_count(n, [&](auto count) {
      if constexpr (summed) {
        return cub::DeviceReduce::Sum(temporary, bytes, from, to, count, stream);
      } else {
        return cub::DeviceReduce::Max(temporary, bytes, from, to, count, stream);
      }
    });
  };
  std::size_t cub_bytes = 0;
  require(cub_call(nullptr, cub_bytes, in(0), result(0)), "ask CUB for its memory");
  const device_bytes cub_memory(cub_bytes);
  if (is_asked(against, "cub")) {
    contestants.push_back({"cub", [&](std::size_t slot) {
                             require(cub_call(cub_memory.as(), cub_bytes, in(slot), result(slot)),
                                     "CUB's reduction");
                           }});
  }
  std::vector<T> returned(count);
  if (is_asked(against, "thrust")) {  // the result comes to the host
    const auto run = [&](std::size_t slot) {
      returned[slot] =
          thrust::reduce(thrust::cuda::par.on(stream), in(slot), in(slot) + n, none, std_op{});
    };
    const auto settle = [&] {
      require(cudaMemcpy(results.as(), returned.data(), count * sizeof(T), cudaMemcpyHostToDevice),
              "take Thrust's results to the device");
    };
    contestants.push_back({"thrust", run, settle, false});
  }
  const device_slots slots{
      count, static_cast<std::size_t>(calls_per_graph(n * sizeof(T))),
      [&] {
        std::fill(returned.begin(), returned.end(), T{});
        require(cudaMemsetAsync(results.as(), 0xff, count * sizeof(T), stream), "poison");
      },
      [&](std::size_t used) {
        return marks.count(used, stream, [&](unsigned* wrong) {
          wrong_kernel<T, Op><<<static_cast<unsigned>(used / 256 + 1), 256, 0, stream>>>(
              results.as<T>(), truth.as<word>(), used, wrong);
        });
      }};
  return time_on_device(p, where, slots, contestants);
}

}  // namespace

std::vector<measure::measurement> run_device_reduce(const problem& p, device_place& where,
                                                    std::span<const std::string> against) {
  return with_numbers(p,
                      [&]<class T, class Op, class>() { return run_as<T, Op>(p, where, against); });
}

}  // namespace warpfold::bench
