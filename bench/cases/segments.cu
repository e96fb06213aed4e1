// Sums of segments in a graph, also in the canonical order and between begins and ends, beside
// CUB's: uniform lengths, a power law, one giant among short ones. CUB gives each segment a block.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_segmented_reduce.cuh>

#include "bench/cases/segment_lengths.hpp"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/segments.hpp"

namespace warpfold::bench {
namespace {

using number = std::uint32_t;

/// A sum of which the library does not know that its order is all one.
struct ordered_plus {
  __host__ __device__ number operator()(number a, number b) const { return a + b; }
  template <class T>
  __host__ __device__ static T identity() {
    return 0;
  }
};

struct random_numbers {
  __device__ number operator()(std::size_t i) const { return any_number<number>(1, i); }
};

void upload(const std::vector<number>& from, const device_buffer<number>& to, cudaStream_t stream) {
  cuda_check(cudaMemcpyAsync(to.data(), from.data(), to.bytes(), cudaMemcpyHostToDevice, stream),
             "offsets");
}

void sum_by_cub(const device_buffer<char>& work, const number* values,
                std::span<const number> begins, std::span<const number> ends, number* out,
                cudaStream_t stream) {
  std::size_t bytes = work.bytes();
  const auto segments = static_cast<std::int64_t>(begins.size());
  cuda_check(cub::DeviceSegmentedReduce::Sum(work.data(), bytes, values, out, segments,
                                             begins.data(), ends.data(), stream),
             "CUB");
}

auto record_of(const bench_case& c, const char* who, const std::string& form,
               std::size_t segments) {
  auto row = c.record(who);
  row.type = "u32";
  row.form = form;
  row.useful_bytes = c.n * sizeof(number) + segments * 2 * sizeof(number);
  return row;
}

void sum_segments(session& s, device_place& where, std::size_t n, const std::string& lengths,
                  const std::vector<number>& offsets) {
  const std::size_t segments = offsets.size() - 1;
  const std::size_t count =
      std::min<std::size_t>(device_slots_of(n * sizeof(number), where.cache_bytes), 24);
  const slot_buffer<number> values(n, count), out(segments, count), expected(segments, count);
  const device_buffer<number> at(offsets.size());
  const std::span<const number> begins(at.data(), segments), ends(at.data() + 1, segments);
  const workspace work(std::max(segmented_workspace_bytes<number>(n, offsets.size()),
                                canonical_segmented_workspace_bytes<number>(n)));
  const temp_storage summed(segmented_temp_storage_bytes<number>(n, segments));
  const device_buffer<char> cub_work(std::size_t{1} << 20);
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  fill(values.all(), random_numbers{}, stream);
  upload(offsets, at, stream);
  const auto by_cub = [&](std::size_t slot, number* to) {
    sum_by_cub(cub_work, values(slot), begins, ends, to, stream);
  };
  for (std::size_t slot = 0; slot < count; ++slot) by_cub(slot, expected(slot));
  where.wait();
  const bench_case c{.what = algorithm::reduce, .n = n, .samples = s.samples(15)};
  const auto record = [&](const char* who, const char* form = "") {
    return record_of(c, who, "segmented_reduce, " + lengths + form, segments);
  };
  const slots memory{.count = count,
                     .calls_per_graph = count,
                     .renew = [&] { out.all().set_bytes(0xff, stream); },
                     .check =
                         [&](std::size_t, std::size_t end) {
                           return marks.count(end, stream, [&](unsigned* wrong) {
                             for (std::size_t slot = 0; slot < end; ++slot) {
                               compare_kernel<<<256, 256, 0, stream>>>(out(slot), expected(slot),
                                                                       segments, wrong + slot);
                             }
                           });
                         }};
  const auto on = device.on(stream).with(work);
  const auto ours = [&](auto where_to, auto op) {
    return [&, where_to, op](std::size_t slot) {
      segmented_reduce(where_to, std::span<const number>(values(slot), n),
                       std::span<const number>(at.data(), at.size()),
                       std::span<number>(out(slot), segments), 0, op)
          .throw_if_failed("a timed call");
    };
  };
  const auto between = [&](std::size_t slot) {
    segmented_reduce(on.with(summed), std::span<const number>(values(slot), n),
                     segments_between(begins, ends), std::span<number>(out(slot), segments))
        .throw_if_failed("a timed call");
  };
  const auto cub_call = [&](std::size_t slot) { by_cub(slot, out(slot)); };
  const std::vector<candidate> candidates{
      {record("warpfold", ", canonical"), ours(on.with(determinism::gpu_to_gpu), ordered_plus{})},
      {record("warpfold"), ours(on, plus{})},
      {record("cub"), cub_call},
      {record("warpfold", ", begins and ends"), between},
      {record("cub", ", begins and ends"), cub_call}};
  s.add(time_graphs(c.samples, where, memory, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {16U, 20U, 24U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    for_each_lengths(n, [&](const std::string& lengths, const std::vector<number>& offsets) {
      if (lengths == "of 1" && bits == 28) return;  // CUB needs half a second a call
      sum_segments(s, where, n, lengths, offsets);
    });
  }
}

}  // namespace

const bench_program program{"segments", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
