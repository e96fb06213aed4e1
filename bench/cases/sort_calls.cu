// Sorts in place and out of place, beside CUB's radix sort as it is called for either.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cub/device/device_radix_sort.cuh>

#include "bench/cases/sort_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

constexpr std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class K, bool Pairs>
struct sort_calls {
  const sort_slots<K>& in;
  cudaStream_t stream;
  std::size_t n;

  void ours(std::size_t slot, bool out_of_place) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work.data(), in.work.bytes()});
    const std::span<K> keys(in.keys(slot), n);
    const std::span<const K> before(in.keys_before(slot), n);
    status done;
    if constexpr (Pairs) {
      const std::span items(in.items(slot), n);
      const std::span items_before(in.items_before(slot), n);
      done = out_of_place ? sort_by_key(on, before, items_before, keys, items)
                          : sort_by_key(on, keys, items);
    } else {
      done = out_of_place ? sort(on, before, keys) : sort(on, keys);
    }
    done.throw_if_failed("a timed sort");
  }

  void cub_out_of_place(std::size_t slot) const {
    std::size_t bytes = in.work.bytes();
    cudaError_t done{};
    if constexpr (Pairs) {
      done = cub::DeviceRadixSort::SortPairs(in.work.data(), bytes, in.keys_before(slot),
                                             in.keys(slot), in.items_before(slot), in.items(slot),
                                             count(), 0, 8 * sizeof(K), stream);
    } else {
      done = cub::DeviceRadixSort::SortKeys(in.work.data(), bytes, in.keys_before(slot),
                                            in.keys(slot), count(), 0, 8 * sizeof(K), stream);
    }
    cuda_check(done, "CUB's radix sort");
  }
  /// Between the keys and the front of the workspace; passes are even in number for these types.
  void cub_in_place(std::size_t slot) const {
    char* const work = in.work.data();
    const std::size_t items_at = aligned(n * sizeof(K));
    const std::size_t both = items_at + (Pairs ? aligned(n * 4) : 0);
    std::size_t bytes = in.work.bytes() - both;
    cub::DoubleBuffer<K> keys(in.keys(slot), reinterpret_cast<K*>(work));
    cudaError_t done{};
    if constexpr (Pairs) {
      cub::DoubleBuffer<std::uint32_t> items(in.items(slot),
                                             reinterpret_cast<std::uint32_t*>(work + items_at));
      done = cub::DeviceRadixSort::SortPairs(work + both, bytes, keys, items, count(), 0,
                                             8 * sizeof(K), stream);
    } else {
      done = cub::DeviceRadixSort::SortKeys(work + both, bytes, keys, count(), 0, 8 * sizeof(K),
                                            stream);
    }
    cuda_check(done, "CUB's radix sort");
  }

 private:
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(n); }
};

template <class K, bool Pairs>
void run_as(session& s, device_place& where, value_type type, std::size_t n) {
  const bench_case c{
      .what = algorithm::sort, .type = type, .n = n, .pairs = Pairs, .samples = s.samples(15)};
  const std::size_t rows = aligned(n * sizeof(K)) + aligned(n * 4);
  const sort_slots<K> in(where, n, Pairs, c.seed, rows + n + (std::size_t{64} << 20));
  const sort_calls<K, Pairs> sorts{in, where.stream(), n};
  const auto record = [&](const char* who, const char* form) {
    auto row = c.record(who);
    row.form = form;
    return row;
  };
  const std::vector<candidate> candidates{
      {record("warpfold", "in place"), [&](std::size_t slot) { sorts.ours(slot, false); }},
      {record("cub", "in place"), [&](std::size_t slot) { sorts.cub_in_place(slot); }},
      {record("warpfold", "out of place"), [&](std::size_t slot) { sorts.ours(slot, true); }},
      {record("cub", "out of place"), [&](std::size_t slot) { sorts.cub_out_of_place(slot); }}};
  s.add(time_on_device(c.samples, where, in.as_slots(), candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned log2_n : {20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << log2_n;
    run_as<std::uint32_t, false>(s, where, value_type::u32, n);
    run_as<float, false>(s, where, value_type::f32, n);
    run_as<std::uint64_t, false>(s, where, value_type::u64, n);
    run_as<std::uint32_t, true>(s, where, value_type::u32, n);
  }
}

}  // namespace

const bench_program program{"sort_calls", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
