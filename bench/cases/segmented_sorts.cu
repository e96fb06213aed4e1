// Sorts of segments, beside CUB's two: DeviceSegmentedSort, which reads its groups of segments back
// and so is in no graph, and DeviceSegmentedRadixSort, which gives each segment a block.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>
#include <cub/device/device_segmented_sort.cuh>

#include "bench/cases/segment_lengths.hpp"
#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/segmented_sort.hpp"

namespace warpfold::bench {
namespace {

using number = std::uint32_t;

struct random_numbers {
  __device__ number operator()(std::size_t i) const { return any_number<number>(1, i); }
};

/// The segment of each key above it.
__global__ void with_segments_kernel(const number* keys, std::size_t n, const number* offsets,
                                     std::size_t segments, std::uint64_t* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::size_t low = 0, high = segments;
  while (low + 1 < high) {
    const std::size_t middle = low + (high - low) / 2;
    (offsets[middle] <= i ? low : high) = middle;
  }
  out[i] = std::uint64_t{low} << 32 | keys[i];
}
__global__ void low_words_kernel(const std::uint64_t* words, std::size_t n, number* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) out[i] = static_cast<number>(words[i]);
}

/// The items are the keys: both are checked at once.
void sort_segments(session& s, device_place& where, std::size_t n, bool with_items,
                   const std::string& lengths, const std::vector<number>& offsets) {
  const std::size_t segments = offsets.size() - 1;
  const std::size_t count =
      std::min<std::size_t>(device_slots_of(n * sizeof(number), where.cache_bytes), 24);
  const slot_buffer<number> keys(n, count), out(n, count), items_out(with_items ? n : 1, count),
      expected(n, count);
  const device_buffer<number> at(offsets.size());
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  fill(keys.all(), random_numbers{}, stream);
  cuda_check(cudaMemcpyAsync(at.data(), offsets.data(), at.bytes(), cudaMemcpyHostToDevice, stream),
             "offsets");
  {
    const device_buffer<std::uint64_t> words(n), sorted(n);
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, words.data(), sorted.data(), n),
               "CUB");
    const device_buffer<char> work(bytes);
    const auto grid = static_cast<unsigned>((n + 255) / 256);
    for (std::size_t slot = 0; slot < count; ++slot) {
      with_segments_kernel<<<grid, 256, 0, stream>>>(keys(slot), n, at.data(), segments,
                                                     words.data());
      cuda_check(cub::DeviceRadixSort::SortKeys(work.data(), bytes, words.data(), sorted.data(), n,
                                                0, 64, stream),
                 "CUB");
      low_words_kernel<<<grid, 256, 0, stream>>>(sorted.data(), n, expected(slot));
    }
    where.wait();
  }
  const auto m = static_cast<std::int64_t>(segments), rows = static_cast<std::int64_t>(n);
  const auto by_cub_sort = [&](void* memory, std::size_t& bytes, std::size_t slot) {
    return with_items ? cub::DeviceSegmentedSort::StableSortPairs(
                            memory, bytes, keys(slot), out(slot), keys(slot), items_out(slot), rows,
                            m, at.data(), at.data() + 1, stream)
                      : cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, keys(slot),
                                                                 out(slot), rows, m, at.data(),
                                                                 at.data() + 1, stream);
  };
  const auto by_cub_radix = [&](void* memory, std::size_t& bytes, std::size_t slot) {
    return with_items ? cub::DeviceSegmentedRadixSort::SortPairs(
                            memory, bytes, keys(slot), out(slot), keys(slot), items_out(slot), rows,
                            m, at.data(), at.data() + 1, 0, 32, stream)
                      : cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys(slot),
                                                                out(slot), rows, m, at.data(),
                                                                at.data() + 1, 0, 32, stream);
  };
  std::size_t sort_bytes = 0, radix_bytes = 0;
  cuda_check(by_cub_sort(nullptr, sort_bytes, 0), "CUB");
  cuda_check(by_cub_radix(nullptr, radix_bytes, 0), "CUB");
  const device_buffer<char> cub_work(std::max(sort_bytes, radix_bytes));
  const temp_storage work(segmented_sort_temp_storage_bytes<number, number>(n));
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(11)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = with_items ? "u32 + u32" : "u32";
    row.form = "segmented_sort, " + lengths;
    row.useful_bytes = (with_items ? 4 : 2) * n * sizeof(number);
    return row;
  };
  const slots memory{.count = count,
                     .calls_per_graph = count,
                     .renew =
                         [&] {
                           out.all().set_bytes(0xff, stream);
                           items_out.all().set_bytes(0xff, stream);
                         },
                     .check =
                         [&](std::size_t, std::size_t end) {
                           return marks.count(end, stream, [&](unsigned* wrong) {
                             for (std::size_t slot = 0; slot < end; ++slot) {
                               compare_kernel<<<256, 256, 0, stream>>>(out(slot), expected(slot), n,
                                                                       wrong + slot);
                               if (!with_items) continue;
                               compare_kernel<<<256, 256, 0, stream>>>(
                                   items_out(slot), expected(slot), n, wrong + slot);
                             }
                           });
                         }};
  const auto ours = [&](std::size_t slot) {
    const auto on = device.on(stream).with(work);
    const std::span<const number> in(keys(slot), n), segment_offsets(at.data(), at.size());
    const std::span<number> sorted(out(slot), n);
    const status state = with_items
                             ? segmented_stable_sort_by_key(on, in, in, segment_offsets, sorted,
                                                            std::span<number>(items_out(slot), n))
                             : segmented_sort(on, in, segment_offsets, sorted);
    state.throw_if_failed("a timed call");
  };
  std::vector<candidate> candidates{{record("warpfold"), ours}};
  const bool is_giant = n / 2 < offsets[segments / 2 + 1] - offsets[segments / 2];
  if (!is_giant || n <= std::size_t{1} << 24) {  // else a second a call
    candidates.push_back({record("cub DeviceSegmentedSort"),
                          [&](std::size_t slot) {
                            std::size_t bytes = sort_bytes;
                            cuda_check(by_cub_sort(cub_work.data(), bytes, slot), "CUB");
                          },
                          false});
    if (segments <= std::size_t{1} << 15) {  // it takes 0.1 us a segment, at least
      candidates.push_back({record("cub DeviceSegmentedRadixSort"), [&](std::size_t slot) {
                              std::size_t bytes = radix_bytes;
                              cuda_check(by_cub_radix(cub_work.data(), bytes, slot), "CUB");
                            }});
    }
  }
  s.add(time_on_device(c.samples, where, memory, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {16U, 20U, 24U, 28U}) {
    const std::size_t n = std::size_t{1} << bits;
    for_each_lengths(n, [&](const std::string& lengths, const std::vector<number>& offsets) {
      for (const bool with_items : {false, true}) {
        sort_segments(s, where, n, with_items, lengths, offsets);
      }
    });
  }
}

}  // namespace

const bench_program program{"segmented_sorts", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
