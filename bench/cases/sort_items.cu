// Sorts of keys with items of all sizes, out of place: beside CUB's radix sort of the same rows
// where it moves them, and beside CUB's sort of the keys with an index and a gather.
#include <algorithm>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "bench/cases/sort_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

__global__ void number_kernel(std::uint32_t* indices, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) indices[i] = static_cast<std::uint32_t>(i);
}
template <class Item>
__global__ void gather_kernel(const Item* items, const std::uint32_t* indices, Item* to,
                              std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) to[i] = items[indices[i]];
}

template <class K, class Item>
struct item_sorts {
  const sort_slots<K, Item>& in;
  cudaStream_t stream;
  std::size_t n;

  void ours(std::size_t slot) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work.data(), in.work.bytes()});
    sort_by_key(on, std::span<const K>(in.keys_before(slot), n),
                std::span<const Item>(in.items_before(slot), n), std::span<K>(in.keys(slot), n),
                std::span<Item>(in.items(slot), n))
        .throw_if_failed("a timed sort");
  }
  void cub_with(std::size_t slot, char* work, std::size_t bytes, const auto* items,
                auto* to) const {
    cuda_check(
        cub::DeviceRadixSort::SortPairs(work, bytes, in.keys_before(slot), in.keys(slot), items, to,
                                        static_cast<std::uint32_t>(n), 0, 8 * sizeof(K), stream),
        "CUB's radix sort");
  }
  void cub_direct(std::size_t slot) const {
    cub_with(slot, in.work.data(), in.work.bytes(), in.items_before(slot), in.items(slot));
  }
  void cub_by_index(std::size_t slot) const {
    auto* const numbers = reinterpret_cast<std::uint32_t*>(in.work.data());
    std::uint32_t* const indices = numbers + n;
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    number_kernel<<<blocks, 256, 0, stream>>>(numbers, n);
    cub_with(slot, reinterpret_cast<char*>(indices + n), in.work.bytes() - 8 * n, numbers, indices);
    gather_kernel<<<blocks, 256, 0, stream>>>(in.items_before(slot), indices, in.items(slot), n);
    cuda_check(cudaGetLastError(), "gather the items");
  }
};

template <class K, class Item>
void run_as(session& s, device_place& where, std::size_t n) {
  const bench_case c{.what = algorithm::sort, .n = n, .pairs = true, .samples = s.samples(15)};
  const std::size_t theirs = 8 * n + n * (sizeof(K) + 4) + (std::size_t{64} << 20);
  const std::size_t bytes = std::max({sort_temp_storage_bytes<K, Item>(n), theirs,
                                      n * (sizeof(K) + sizeof(Item)) + (std::size_t{64} << 20)});
  const sort_slots<K, Item> in(where, n, true, c.seed, bytes);
  const item_sorts<K, Item> sorts{in, where.stream(), n};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = "u" + std::to_string(8 * sizeof(K));
    row.form = "items of " + std::to_string(sizeof(Item));
    row.useful_bytes = 2 * n * (sizeof(K) + sizeof(Item));
    return row;
  };
  std::vector<candidate> candidates{
      {record("warpfold"), [&](std::size_t slot) { sorts.ours(slot); }}};
  if constexpr (sizeof(Item) <= 8) {
    candidates.push_back({record("cub"), [&](std::size_t slot) { sorts.cub_direct(slot); }});
  }
  if constexpr (sizeof(Item) >= 8 && sizeof(K) >= 4) {
    candidates.push_back(
        {record("index-and-gather"), [&](std::size_t slot) { sorts.cub_by_index(slot); }});
  }
  s.add(time_on_device(c.samples, where, in.as_slots(), candidates));
}

template <class K>
void with_small_items(session& s, device_place& where, std::size_t n) {
  run_as<K, std::uint8_t>(s, where, n);
  run_as<K, std::uint16_t>(s, where, n);
  run_as<K, std::uint32_t>(s, where, n);
  run_as<K, std::uint64_t>(s, where, n);
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned log2_n : {20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << log2_n;
    with_small_items<std::uint8_t>(s, where, n);
    with_small_items<std::uint16_t>(s, where, n);
    with_small_items<std::uint32_t>(s, where, n);
    with_small_items<std::uint64_t>(s, where, n);
    if (log2_n > 26) continue;  // more than a device's memory
    run_as<std::uint32_t, large_item<16>>(s, where, n);
    run_as<std::uint32_t, large_item<64>>(s, where, n);
    run_as<std::uint64_t, large_item<16>>(s, where, n);
  }
}

}  // namespace

const bench_program program{"sort_items", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
