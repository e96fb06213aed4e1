// Sums of groups of keys in any order, and scattered sums, in a graph, beside CUB's radix sort and
// its reduction by key, which are what CUB has for them.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/group.hpp"

namespace warpfold::bench {
namespace {

using number = std::uint32_t;

struct random_numbers {
  number below;  // 0: all
  __device__ number operator()(std::size_t i) const {
    const auto any = any_number<number>(below + 1, i);
    return below == 0 ? any : any % below;
  }
};

__global__ void scatter_kernel(const number* keys, const number* sums, const std::size_t* count,
                               number* out) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < *count;
       i += std::size_t{gridDim.x} * blockDim.x) {
    out[keys[i]] = sums[i];
  }
}

/// Rows in `groups` groups, and what CUB makes of them.
struct rows {
  std::size_t n, count;
  slot_buffer<number> keys, values, sums;
  device_buffer<number> sorted, along, found, found_sums;
  device_buffer<std::size_t> runs{1};
  device_buffer<char> work;
  cudaStream_t stream;

  rows(device_place& where, std::size_t size, std::size_t distinct)
      : n(size),
        count(std::min<std::size_t>(device_slots_of(2 * size * sizeof(number), where.cache_bytes),
                                    8)),
        keys(size, count),
        values(size, count),
        sums(distinct, count),
        sorted(size),
        along(size),
        found(distinct),
        found_sums(distinct),
        work(4 * size * sizeof(number) + (std::size_t{64} << 20)),
        stream(where.stream()) {
    fill(keys.all(), random_numbers{static_cast<number>(distinct)}, stream);
    fill(values.all(), random_numbers{0}, stream);
  }
  void by_cub(std::size_t slot, number* to) const {
    std::size_t bytes = work.bytes();
    cuda_check(cub::DeviceRadixSort::SortPairs(work.data(), bytes, keys(slot), sorted.data(),
                                               values(slot), along.data(), n, 0, 32, stream),
               "CUB's sort");
    bytes = work.bytes();
    cuda_check(cub::DeviceReduce::ReduceByKey(work.data(), bytes, sorted.data(), found.data(),
                                              along.data(), to, runs.data(), cuda::std::plus<>{}, n,
                                              stream),
               "CUB's reduction");
  }
  [[nodiscard]] std::size_t groups() const { return found.size(); }
  /// Where `scatters`, each sum goes where its key says.
  void by_cub(std::size_t slot, number* to, bool scatters) const {
    if (!scatters) return by_cub(slot, to);
    by_cub(slot, found_sums.data());
    scatter_kernel<<<256, 256, 0, stream>>>(found.data(), found_sums.data(), runs.data(), to);
  }
  [[nodiscard]] std::span<const number> key(std::size_t slot) const { return {keys(slot), n}; }
  [[nodiscard]] std::span<const number> value(std::size_t slot) const { return {values(slot), n}; }
  [[nodiscard]] std::span<number> sum(std::size_t slot) const { return {sums(slot), groups()}; }
};

/// ours(slot) beside CUB. `scatters`: ours leaves a sum a key, whether there are such keys or not.
template <class Ours>
void time_beside_cub(session& s, device_place& where, const rows& r, const std::string& form,
                     bool scatters, const Ours& ours) {
  const slot_buffer<number> expected(r.groups(), r.count);
  expected.all().set_bytes(0, r.stream);
  for (std::size_t slot = 0; slot < r.count; ++slot) r.by_cub(slot, expected(slot), scatters);
  where.wait();
  const wrong_slots marks(r.count);
  const bench_case c{.what = algorithm::reduce, .n = r.n, .samples = s.samples(11)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = "u32";
    row.form = form;
    row.useful_bytes = r.n * 2 * sizeof(number) + r.groups() * sizeof(number);
    return row;
  };
  const slots memory{.count = r.count,
                     .calls_per_graph = r.count,
                     .renew = [&] { r.sums.all().set_bytes(0, r.stream); },
                     .check =
                         [&](std::size_t, std::size_t end) {
                           return marks.count(end, r.stream, [&](unsigned* wrong) {
                             for (std::size_t slot = 0; slot < end; ++slot) {
                               compare_kernel<<<256, 256, 0, r.stream>>>(
                                   r.sum(slot).data(), expected(slot), r.groups(), wrong + slot);
                             }
                           });
                         }};
  const std::vector<candidate> candidates{
      {record("warpfold"), ours},
      {record("cub"), [&](std::size_t slot) { r.by_cub(slot, r.sum(slot).data(), scatters); }}};
  s.add(time_graphs(c.samples, where, memory, candidates));
}

void sum_groups(session& s, device_place& where, std::size_t n, std::size_t groups,
                const std::string& of) {
  const rows r(where, n, groups);
  const device_buffer<number> keys(groups);
  const device_buffer<std::size_t> found(1);
  const std::span<number> out_keys(keys.data(), groups);
  const auto one = sum_of(r.value(0), r.sum(0));
  const bool is_small = groups <= (std::size_t{1} << 16);
  const each_integer range{0, groups};
  const temp_storage memory(
      std::max({group_by_temp_storage_bytes<number>(n, one),
                is_small ? group_by_temp_storage_bytes<number>(n, range, one) : 0,
                scatter_reduce_temp_storage_bytes<number, number, number>(n, groups)}));
  const auto on = device.on(r.stream).with(memory);
  time_beside_cub(s, where, r, "group_by, " + of, false, [&](std::size_t slot) {
    group_by(on, r.key(slot), out_keys, found.data(), sum_of(r.value(slot), r.sum(slot)))
        .throw_if_failed("a timed call");
  });
  if (is_small) {
    time_beside_cub(s, where, r, "group_by in a range, " + of, false, [&](std::size_t slot) {
      group_by(on, r.key(slot), range, out_keys, found.data(), sum_of(r.value(slot), r.sum(slot)))
          .throw_if_failed("a timed call");
    });
  }
  time_beside_cub(s, where, r, "scatter_reduce, " + of, true, [&](std::size_t slot) {
    scatter_reduce(on, r.sum(slot), r.key(slot), r.value(slot)).throw_if_failed("a timed call");
  });
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {20U, 24U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    sum_groups(s, where, n, 1, "1 group");
    for (const std::size_t groups : {10, 1000, 1'000'000}) {
      sum_groups(s, where, n, groups, std::to_string(groups) + " groups");
    }
    sum_groups(s, where, n, n / 4, "n / 4 groups");
  }
}

}  // namespace

const bench_program program{"groups", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
