// Sorts on a device, beside CUB's two and Thrust's. CUB's radix sort works between two buffers, and
// its result is brought back where it ended in the other one; all others work in place.
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>

#include "bench/cases/sort_slots.cuh"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class K, class Order, bool Pairs>
struct sorts {
  const sort_slots<K>& in;
  cudaStream_t stream;
  std::size_t n;

  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(n); }

  void ours(std::size_t slot) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work.data(), in.work.bytes()});
    const std::span<K> keys(in.keys(slot), n);
    if constexpr (Pairs) {
      sort_by_key(on, keys, std::span(in.items(slot), n), Order{}).throw_if_failed("a timed sort");
    } else {
      sort(on, keys, Order{}).throw_if_failed("a timed sort");
    }
  }

  /// The second buffers stand at the front of the workspace.
  void cub_radix(std::size_t slot) const {
    char* const work = in.work.data();
    const std::size_t items_at = aligned(n * sizeof(K));
    const std::size_t both = items_at + (Pairs ? aligned(n * 4) : 0);
    std::size_t bytes = in.work.bytes() - both;
    constexpr int bits = 8 * sizeof(K);
    cub::DoubleBuffer<K> keys(in.keys(slot), reinterpret_cast<K*>(work));
    if constexpr (Pairs) {
      cub::DoubleBuffer<std::uint32_t> items(in.items(slot),
                                             reinterpret_cast<std::uint32_t*>(work + items_at));
      cuda_check(cub::DeviceRadixSort::SortPairs(work + both, bytes, keys, items, count(), 0, bits,
                                                 stream),
                 "CUB's radix sort");
    } else {
      cuda_check(cub::DeviceRadixSort::SortKeys(work + both, bytes, keys, count(), 0, bits, stream),
                 "CUB's radix sort");
    }
    if (keys.selector == 0) return;
    bring_back(in.keys(slot), work, n * sizeof(K));
    if (Pairs) bring_back(in.items(slot), work + items_at, n * 4);
  }

  void cub_merge(std::size_t slot) const {
    std::size_t bytes = in.work.bytes();
    char* const work = in.work.data();
    K* const keys = in.keys(slot);
    if constexpr (Pairs) {
      cuda_check(cub::DeviceMergeSort::StableSortPairs(work, bytes, keys, in.items(slot), count(),
                                                       own_less{}, stream),
                 "CUB's merge sort");
    } else {
      cuda_check(
          cub::DeviceMergeSort::StableSortKeys(work, bytes, keys, count(), own_less{}, stream),
          "CUB's merge sort");
    }
  }

  /// For a `less` of thrust's own it sorts by bits.
  void thrust_sort(std::size_t slot) const {
    using less = std::conditional_t<std::is_same_v<Order, own_less>, own_less, thrust::less<K>>;
    const auto par = thrust::cuda::par.on(stream);
    K* const keys = in.keys(slot);
    if constexpr (Pairs) {
      thrust::sort_by_key(par, keys, keys + n, in.items(slot), less{});
    } else {
      thrust::sort(par, keys, keys + n, less{});
    }
  }

 private:
  void bring_back(void* to, const void* from, std::size_t bytes) const {
    cuda_check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
               "copy the rows back");
  }
};

template <class K, class Order, bool Pairs>
measurements run_as(const bench_case& c, device_place& where,
                    std::span<const std::string> against) {
  const std::size_t rows = aligned(c.n * sizeof(K)) + aligned(c.n * 4);
  const sort_slots<K> in(where, c.n, Pairs, c.seed, 2 * rows + c.n + (std::size_t{64} << 20));
  const sorts<K, Order, Pairs> sort_of{in, where.stream(), c.n};
  std::vector<candidate> candidates{
      {c.record("warpfold"), [&](std::size_t slot) { sort_of.ours(slot); }}};
  if (is_asked(against, "cub")) {
    if (std::is_same_v<Order, ascending>) {
      candidates.push_back(
          {c.record("cub radix"), [&](std::size_t slot) { sort_of.cub_radix(slot); }});
    }
    candidates.push_back(
        {c.record("cub merge"), [&](std::size_t slot) { sort_of.cub_merge(slot); }});
  }
  if (is_asked(against, "thrust")) {
    candidates.push_back(
        {c.record("thrust"), [&](std::size_t slot) { sort_of.thrust_sort(slot); }, false});
  }
  return time_on_device(c.samples, where, in.as_slots(), candidates);
}

}  // namespace

measurements run_device_sort(const bench_case& c, device_place& where,
                             std::span<const std::string> against) {
  return with_keys(c, [&]<class K, class Order>() {
    return c.pairs ? run_as<K, Order, true>(c, where, against)
                   : run_as<K, Order, false>(c, where, against);
  });
}

}  // namespace warpfold::bench
