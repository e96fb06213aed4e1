// The device library's sorts beside CUB's of the same toolkit: one binary, one run, cold inputs.
// usage: warpfold_bench_compare_sort [--quick] > results.json
// CUB's radix sort works between two buffers, its merge sort in place, as the library does.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include "bench/device/run_info.cuh"
#include "bench/device/sorting.cuh"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

struct comparison {
  timer clock;
  sort_inputs inputs{clock.stream()};
  std::vector<measure::measurement> rows;
  bool quick = false;

  template <class K, class Call>
  void time(const char* what, const char* name, const char* type, std::size_t n, bool with_values,
            Call call) {
    const sort_times t = time_sort<K>(inputs, clock, n, with_values, call, quick ? 1 : 3);
    measure::measurement row;
    row.ladder = what, row.name = name, row.type = type, row.op = "sort", row.n = n;
    row.backend = "cuda";
    row.useful_bytes = 2 * n * (sizeof(K) + (with_values ? 4 : 0));
    row.verdict = {t.right, t.right ? "sorted" : "not sorted", "sorted", 0, 0};
    row.form = "stream", row.timing = measure::timing{t.stream};
    rows.push_back(row);
    row.form = "graph", row.timing = measure::timing{t.graph};
    rows.push_back(row);
    std::fprintf(stderr, "%s %s %s %zu: stream %.2f graph %.2f%s\n", what, type, name, n,
                 median_of(t.stream), median_of(t.graph), t.right ? "" : " WRONG");
  }
};

template <class K, bool Pairs>
void cub_radix(comparison& c, std::size_t i, std::size_t n) {
  char* const work = c.inputs.work;
  const std::size_t half = (n * sizeof(K) + 255) / 256 * 256;
  const std::size_t both = half + (Pairs ? (n * 4 + 255) / 256 * 256 : 0);
  std::size_t bytes = sort_inputs::work_bytes - both;
  cub::DoubleBuffer<K> keys(c.inputs.keys<K>(i), reinterpret_cast<K*>(work));
  const auto count = static_cast<std::uint32_t>(n);
  if constexpr (Pairs) {
    cub::DoubleBuffer<std::uint32_t> values(c.inputs.values(i),
                                            reinterpret_cast<std::uint32_t*>(work + half));
    require(cub::DeviceRadixSort::SortPairs(work + both, bytes, keys, values, count, 0,
                                            8 * sizeof(K), c.clock.stream()),
            "CUB's radix sort");
  } else {
    require(cub::DeviceRadixSort::SortKeys(work + both, bytes, keys, count, 0, 8 * sizeof(K),
                                           c.clock.stream()),
            "CUB's radix sort");
  }
  if (keys.selector == 0) return;
  require(cudaMemcpyAsync(c.inputs.keys<K>(i), work, n * sizeof(K), cudaMemcpyDeviceToDevice,
                          c.clock.stream()),
          "copy the keys back");
  if (!Pairs) return;
  require(cudaMemcpyAsync(c.inputs.values(i), work + half, n * 4, cudaMemcpyDeviceToDevice,
                          c.clock.stream()),
          "copy the values back");
}

template <class K, bool Pairs, class Less>
void cub_merge(comparison& c, std::size_t i, std::size_t n, Less less) {
  std::size_t bytes = sort_inputs::work_bytes;
  const auto count = static_cast<std::uint32_t>(n);
  if constexpr (Pairs) {
    require(
        cub::DeviceMergeSort::StableSortPairs(c.inputs.work, bytes, c.inputs.keys<K>(i),
                                              c.inputs.values(i), count, less, c.clock.stream()),
        "CUB's merge sort");
  } else {
    require(cub::DeviceMergeSort::StableSortKeys(c.inputs.work, bytes, c.inputs.keys<K>(i), count,
                                                 less, c.clock.stream()),
            "CUB's merge sort");
  }
}

template <class K, bool Pairs, class Less>
void ours(comparison& c, std::size_t i, std::size_t n, Less less) {
  const auto on =
      device.on(c.clock.stream()).with(workspace_view{c.inputs.work, sort_inputs::work_bytes});
  const std::span<K> keys(c.inputs.keys<K>(i), n);
  if constexpr (Pairs) {
    sort_by_key(on, keys, std::span(c.inputs.values(i), n), less).throw_if_failed("a timed sort");
  } else {
    sort(on, keys, less).throw_if_failed("a timed sort");
  }
}

/// Keys in the order of their bits.
template <class K, bool Pairs>
void compare(comparison& c, const char* type, std::size_t n) {
  const char* const what = Pairs ? "sort-pairs" : "sort-keys";
  c.inputs.shape<K>(n);
  c.time<K>(what, "warpfold", type, n, Pairs,
            [&](std::size_t i) { ours<K, Pairs>(c, i, n, ascending{}); });
  c.time<K>(what, "cub radix", type, n, Pairs,
            [&](std::size_t i) { cub_radix<K, Pairs>(c, i, n); });
  if (n > std::size_t{1} << 22) return;  // the radix sort is the faster one by far
  c.time<K>(what, "cub merge", type, n, Pairs,
            [&](std::size_t i) { cub_merge<K, Pairs>(c, i, n, own_less{}); });
}

/// In an order of one's own.
template <class K, bool Pairs>
void compare_own(comparison& c, const char* type, std::size_t n) {
  const char* const what = Pairs ? "sort-pairs-own-order" : "sort-keys-own-order";
  c.inputs.shape<K>(n);
  c.time<K>(what, "warpfold", type, n, Pairs,
            [&](std::size_t i) { ours<K, Pairs>(c, i, n, own_less{}); });
  c.time<K>(what, "cub merge", type, n, Pairs,
            [&](std::size_t i) { cub_merge<K, Pairs>(c, i, n, own_less{}); });
}

int run(bool quick) {
  comparison c;
  c.quick = quick;
  const auto size = [](int e) { return std::size_t{1} << e; };
  for (int e = 8; e <= 28; e += e < 20 ? 1 : 2) compare<std::uint32_t, true>(c, "u32", size(e));
  for (int e = 8; e <= 28; e += e < 20 ? 2 : 4) {
    compare<std::uint32_t, false>(c, "u32", size(e));
    compare<std::uint64_t, false>(c, "u64", size(e));
    compare<float, false>(c, "f32", size(e));
    compare_own<std::uint32_t, true>(c, "u32", size(e));
    compare_own<std::uint64_t, false>(c, "u64", size(e));
  }

  std::puts(measure::json_document(c.rows, cuda_run_info("warpfold_bench_compare_sort")).c_str());
  return std::all_of(c.rows.begin(), c.rows.end(), [](const auto& r) { return r.verdict.right; })
             ? 0
             : 1;
}

}  // namespace
}  // namespace warpfold::bench

int main(int argc, char** argv) {
  try {
    return warpfold::bench::run(argc > 1 && std::strcmp(argv[1], "--quick") == 0);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "warpfold_bench_compare_sort: %s\n", e.what());
    return 3;
  }
}
