// Sorts on both sides of every border between routes: keys of all sizes, alone and with items, from
// 600 rows to 5 million in steps of 1.3, in a graph, beside CUB's radix sort.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "bench/cases/sort_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

constexpr std::size_t first_rows = 600, last_rows = 5'000'000;

template <class K, class Item, bool HasItems>
struct border_sorts {
  const sort_slots<K, Item>& in;
  cudaStream_t stream;

  void ours(std::size_t slot) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work.data(), in.work.bytes()});
    const std::span<const K> before(in.keys_before(slot), in.n);
    const std::span<K> keys(in.keys(slot), in.n);
    status done;
    if constexpr (HasItems) {
      done = sort_by_key(on, before, std::span<const Item>(in.items_before(slot), in.n), keys,
                         std::span<Item>(in.items(slot), in.n));
    } else {
      done = sort(on, before, keys);
    }
    done.throw_if_failed("a timed sort");
  }
  void cub(std::size_t slot) const {
    std::size_t bytes = in.work.bytes();
    const auto count = static_cast<std::uint32_t>(in.n);
    cudaError_t done{};
    if constexpr (HasItems) {
      done = cub::DeviceRadixSort::SortPairs(in.work.data(), bytes, in.keys_before(slot),
                                             in.keys(slot), in.items_before(slot), in.items(slot),
                                             count, 0, 8 * sizeof(K), stream);
    } else {
      done = cub::DeviceRadixSort::SortKeys(in.work.data(), bytes, in.keys_before(slot),
                                            in.keys(slot), count, 0, 8 * sizeof(K), stream);
    }
    cuda_check(done, "CUB's radix sort");
  }
};

template <class K, class Item, bool HasItems = true>
void walk(session& s, device_place& where) {
  for (auto n = first_rows; n <= last_rows; n += n * 3 / 10) {
    const bench_case c{
        .what = algorithm::sort, .n = n, .pairs = HasItems, .samples = s.samples(60)};
    const sort_slots<K, Item> in(where, n, HasItems, c.seed,
                                 n * (sizeof(K) + sizeof(Item)) + (std::size_t{64} << 20));
    const border_sorts<K, Item, HasItems> sorts{in, where.stream()};
    const auto record = [&](const char* who) {
      auto row = c.record(who);
      row.type = "u" + std::to_string(8 * sizeof(K));
      if (HasItems) row.form = "items of " + std::to_string(sizeof(Item));
      row.useful_bytes = 2 * n * (sizeof(K) + (HasItems ? sizeof(Item) : 0));
      return row;
    };
    const std::vector<candidate> candidates{
        {record("warpfold"), [&](std::size_t slot) { sorts.ours(slot); }},
        {record("cub"), [&](std::size_t slot) { sorts.cub(slot); }}};
    s.add(time_graphs(c.samples, where, in.as_slots(), candidates));
  }
}

template <class K>
void walk_all(session& s, device_place& where) {
  walk<K, std::uint32_t, false>(s, where);
  walk<K, std::uint32_t>(s, where);
  walk<K, std::uint64_t>(s, where);
}

void run_all(session& s) {
  device_place where = open_device();
  walk_all<std::uint8_t>(s, where);
  walk_all<std::uint16_t>(s, where);
  walk_all<std::uint32_t>(s, where);
  walk_all<std::uint64_t>(s, where);
}

}  // namespace

const bench_program program{"sort_borders", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
