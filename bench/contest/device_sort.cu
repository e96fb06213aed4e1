// Sorts on a device, beside CUB's two and Thrust's. CUB's radix sort works between two buffers, and
// its result is brought back where it ended in the other one; all others work in place.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "bench/contest/device_contest.hpp"
#include "bench/contest/numbers.hpp"
#include "bench/device/sorting.cuh"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class K, class Order, bool Pairs>
struct sorts {
  sort_inputs& in;
  cudaStream_t stream;
  std::size_t n;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(n); }

  void ours(std::size_t slot) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work, in.work_bytes});
    const std::span<K> keys(in.keys<K>(slot), n);
    if constexpr (Pairs) {
      sort_by_key(on, keys, std::span(in.values(slot), n), Order{}).throw_if_failed("a timed sort");
    } else {
      sort(on, keys, Order{}).throw_if_failed("a timed sort");
    }
  }

  /// The second buffers stand at the front of the workspace.
  void cub_radix(std::size_t slot) const {
    const std::size_t values_at = aligned(n * sizeof(K));
    const std::size_t both = values_at + (Pairs ? aligned(n * 4) : 0);
    std::size_t bytes = in.work_bytes - both;
    constexpr int bits = 8 * sizeof(K);
    cub::DoubleBuffer<K> keys(in.keys<K>(slot), reinterpret_cast<K*>(in.work));
    if constexpr (Pairs) {
      cub::DoubleBuffer<std::uint32_t> values(
          in.values(slot), reinterpret_cast<std::uint32_t*>(in.work + values_at));
      require(cub::DeviceRadixSort::SortPairs(in.work + both, bytes, keys, values, count(), 0, bits,
                                              stream),
              "CUB's radix sort");
    } else {
      require(cub::DeviceRadixSort::SortKeys(in.work + both, bytes, keys, count(), 0, bits, stream),
              "CUB's radix sort");
    }
    if (keys.selector == 0) return;
    bring_back(in.keys<K>(slot), in.work, n * sizeof(K));
    if (Pairs) bring_back(in.values(slot), in.work + values_at, n * 4);
  }

  void cub_merge(std::size_t slot) const {
    std::size_t bytes = in.work_bytes;
    K* const keys = in.keys<K>(slot);
    if constexpr (Pairs) {
      require(cub::DeviceMergeSort::StableSortPairs(in.work, bytes, keys, in.values(slot), count(),
                                                    own_less{}, stream),
              "CUB's merge sort");
    } else {
      require(
          cub::DeviceMergeSort::StableSortKeys(in.work, bytes, keys, count(), own_less{}, stream),
          "CUB's merge sort");
    }
  }

  /// For a `less` of thrust's own it sorts by bits.
  void thrust_sort(std::size_t slot) const {
    using less = std::conditional_t<std::is_same_v<Order, own_less>, own_less, thrust::less<K>>;
    const auto par = thrust::cuda::par.on(stream);
    K* const keys = in.keys<K>(slot);
    if constexpr (Pairs) {
      thrust::sort_by_key(par, keys, keys + n, in.values(slot), less{});
    } else {
      thrust::sort(par, keys, keys + n, less{});
    }
  }

 private:
  void bring_back(void* to, const void* from, std::size_t bytes) const {
    require(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
            "copy the rows back");
  }
};

template <class K, class Order, bool Pairs>
std::vector<measure::measurement> run_as(const problem& p, device_place& where,
                                         std::span<const std::string> against) {
  const auto stream = where.clock.stream();
  const std::size_t rows = aligned(p.n * sizeof(K)) + aligned(p.n * 4);
  sort_inputs in(stream, std::max(aligned(p.n * sizeof(K)), std::size_t{1} << 30),
                 2 * rows + p.n + (std::size_t{64} << 20));
  in.shape<K>(p.n, static_cast<std::uint32_t>(p.seed));
  const sorts<K, Order, Pairs> sort_of{in, stream, p.n};
  std::vector<device_contestant> contestants{
      {"warpfold", [&](std::size_t slot) { sort_of.ours(slot); }}};
  if (is_asked(against, "cub")) {
    if (std::is_same_v<Order, ascending>) {
      contestants.push_back({"cub radix", [&](std::size_t slot) { sort_of.cub_radix(slot); }});
    }
    contestants.push_back({"cub merge", [&](std::size_t slot) { sort_of.cub_merge(slot); }});
  }
  if (is_asked(against, "thrust")) {
    contestants.push_back(
        {"thrust", [&](std::size_t slot) { sort_of.thrust_sort(slot); }, {}, false});
  }
  const auto calls = static_cast<std::size_t>(in.calls());
  const device_slots slots{calls, calls, [&] { in.restore(); },
                           [&](std::size_t used) {
                             std::size_t wrong = 0;
                             for (std::size_t i = 0; i < used; ++i) {
                               wrong += in.right<K>(i, Pairs) ? 0 : 1;
                             }
                             return wrong;
                           }};
  return time_on_device(p, where, slots, contestants);
}

}  // namespace

std::vector<measure::measurement> run_device_sort(const problem& p, device_place& where,
                                                  std::span<const std::string> against) {
  return with_keys(p, [&]<class K, class Order>() {
    return p.pairs ? run_as<K, Order, true>(p, where, against)
                   : run_as<K, Order, false>(p, where, against);
  });
}

}  // namespace warpfold::bench
