// Sorts of structs of 8 bytes by both of their members, out of place: by their bits, beside CUB's
// radix sort with a decomposer, and by a comparator, beside CUB's merge sort. The structs lie as
// the numbers of 8 bytes do that have the same order, so those are what is filled and checked.
#include <algorithm>
#include <bit>
#include <vector>

#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cuda/std/tuple>

#include "bench/cases/sort_slots.cuh"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/program.hpp"
#include "warpfold/sort.hpp"

namespace warpfold::bench {
namespace {

struct halves {
  std::uint32_t low, high;
};
static_assert(std::endian::native == std::endian::little);

struct by_comparison {
  __host__ __device__ bool operator()(const halves& a, const halves& b) const {
    return a.high < b.high || (a.high == b.high && a.low < b.low);
  }
};
struct parts {
  __host__ __device__ cuda::std::tuple<std::uint32_t&, std::uint32_t&> operator()(
      halves& key) const {
    return {key.high, key.low};
  }
};

struct struct_sorts {
  const sort_slots<std::uint64_t>& in;
  cudaStream_t stream;
  std::size_t n;

  [[nodiscard]] const halves* from(std::size_t slot) const {
    return reinterpret_cast<const halves*>(in.keys_before(slot));
  }
  [[nodiscard]] halves* to(std::size_t slot) const {
    return reinterpret_cast<halves*>(in.keys(slot));
  }
  template <class Less>
  void ours(std::size_t slot, Less less) const {
    const auto on = device.on(stream).with(temp_storage_view{in.work.data(), in.work.bytes()});
    stable_sort(on, std::span<const halves>(from(slot), n), std::span<halves>(to(slot), n), less)
        .throw_if_failed("a timed sort");
  }
  void cub_radix(std::size_t slot) const {
    std::size_t bytes = in.work.bytes();
    cuda_check(cub::DeviceRadixSort::SortKeys(in.work.data(), bytes, from(slot), to(slot),
                                              static_cast<std::uint32_t>(n), parts{}, stream),
               "CUB's radix sort");
  }
  void cub_merge(std::size_t slot) const {
    std::size_t bytes = in.work.bytes();
    cuda_check(cub::DeviceMergeSort::StableSortKeysCopy(in.work.data(), bytes, from(slot), to(slot),
                                                        static_cast<std::uint32_t>(n),
                                                        by_comparison{}, stream),
               "CUB's merge sort");
  }
};

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned log2_n : {16U, 20U, 22U, 24U, 26U, 28U}) {
    const std::size_t n = std::size_t{1} << log2_n;
    const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(15)};
    const std::size_t bytes =
        std::max(sort_temp_storage_bytes<halves>(n), n * sizeof(halves) + (std::size_t{64} << 20));
    const sort_slots<std::uint64_t> in(where, n, false, c.seed, bytes);
    const struct_sorts sorts{in, where.stream(), n};
    const auto record = [&](const char* who, const char* form) {
      auto row = c.record(who);
      row.type = "2 u32";
      row.op = "structs";
      row.form = form;
      row.useful_bytes = 2 * n * sizeof(halves);
      return row;
    };
    using by_both = by_members<ascending, &halves::high, &halves::low>;
    const std::vector<candidate> candidates{
        {record("warpfold", "members"), [&](std::size_t slot) { sorts.ours(slot, by_both{}); }},
        {record("cub", "members"), [&](std::size_t slot) { sorts.cub_radix(slot); }},
        {record("warpfold", "comparator"),
         [&](std::size_t slot) { sorts.ours(slot, by_comparison{}); }},
        {record("cub", "comparator"), [&](std::size_t slot) { sorts.cub_merge(slot); }}};
    s.add(time_on_device(c.samples, where, in.as_slots(), candidates));
  }
}

}  // namespace

const bench_program program{"sort_members", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
