// Sorts of segments, beside CUB's two: DeviceSegmentedSort, which reads its groups of segments back
// and so is in no graph, and DeviceSegmentedRadixSort, which gives each segment a block.
#include <algorithm>
#include <cstdint>
#include <optional>
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

/// Keys, segments and room for the results of as many calls as there are slots. The items are the
/// keys: both are checked at once.
class segments_to_sort {
 public:
  segments_to_sort(device_place& where, std::size_t n, bool with_items,
                   const std::vector<number>& offsets)
      : stream(where.stream()),
        count(std::min<std::size_t>(device_slots_of(n * sizeof(number), where.cache_bytes), 24)),
        n_(n),
        with_items_(with_items),
        keys_(n, count),
        out_(n, count),
        items_out_(with_items ? n : 1, count),
        expected_(n, count),
        offsets_(offsets.size()),
        work_(segmented_sort_temp_storage_bytes<number, number>(n)),
        wrong_(count) {
    fill(keys_.all(), random_numbers{}, stream);
    cuda_check(cudaMemcpyAsync(offsets_.data(), offsets.data(), offsets_.bytes(),
                               cudaMemcpyHostToDevice, stream),
               "offsets");
    sort_with_segments();
    where.wait();
    std::size_t sort_bytes = 0, radix_bytes = 0;
    by_sort(nullptr, sort_bytes, 0);
    by_radix(nullptr, radix_bytes, 0);
    cub_work_.emplace(std::max(sort_bytes, radix_bytes));
  }

  void by_warpfold(std::size_t slot) const {
    const auto on = device.on(stream).with(work_);
    const std::span<const number> in(keys_(slot), n_), at(offsets_.data(), offsets_.size());
    const std::span<number> out(out_(slot), n_);
    const status state = with_items_
                             ? segmented_stable_sort_by_key(on, in, in, at, out,
                                                            std::span<number>(items_out_(slot), n_))
                             : segmented_sort(on, in, at, out);
    state.throw_if_failed("a timed call");
  }
  void by_cub_sort(std::size_t slot) {
    std::size_t bytes = cub_work_->bytes();
    by_sort(cub_work_->data(), bytes, slot);
  }
  void by_cub_radix(std::size_t slot) {
    std::size_t bytes = cub_work_->bytes();
    by_radix(cub_work_->data(), bytes, slot);
  }

  [[nodiscard]] slots as_slots() const {
    return {.count = count,
            .calls_per_graph = count,
            .renew =
                [this] {
                  out_.all().set_bytes(0xff, stream);
                  items_out_.all().set_bytes(0xff, stream);
                },
            .check =
                [this](std::size_t, std::size_t end) {
                  return wrong_.count(end, stream, [&](unsigned* wrong) {
                    for (std::size_t slot = 0; slot < end; ++slot) compare(slot, wrong + slot);
                  });
                }};
  }

  const cudaStream_t stream;
  const std::size_t count;

  [[nodiscard]] std::size_t segments() const { return offsets_.size() - 1; }

 private:
  /// What is expected: keys with their segments above them, sorted.
  void sort_with_segments() {
    const device_buffer<std::uint64_t> words(n_), sorted(n_);
    std::size_t bytes = 0;
    cuda_check(cub::DeviceRadixSort::SortKeys(nullptr, bytes, words.data(), sorted.data(), n_),
               "CUB");
    const device_buffer<char> work(bytes);
    const auto grid = static_cast<unsigned>((n_ + 255) / 256);
    for (std::size_t slot = 0; slot < count; ++slot) {
      with_segments_kernel<<<grid, 256, 0, stream>>>(keys_(slot), n_, offsets_.data(), segments(),
                                                     words.data());
      cuda_check(cub::DeviceRadixSort::SortKeys(work.data(), bytes, words.data(), sorted.data(), n_,
                                                0, 64, stream),
                 "CUB");
      low_words_kernel<<<grid, 256, 0, stream>>>(sorted.data(), n_, expected_(slot));
    }
    cuda_check(cudaStreamSynchronize(stream), "the expected rows");
  }
  void compare(std::size_t slot, unsigned* wrong) const {
    compare_kernel<<<256, 256, 0, stream>>>(out_(slot), expected_(slot), n_, wrong);
    if (!with_items_) return;
    compare_kernel<<<256, 256, 0, stream>>>(items_out_(slot), expected_(slot), n_, wrong);
  }
  void by_sort(void* memory, std::size_t& bytes, std::size_t slot) const {
    const auto rows = static_cast<std::int64_t>(n_), many = static_cast<std::int64_t>(segments());
    const number* const begin = offsets_.data();
    cuda_check(with_items_ ? cub::DeviceSegmentedSort::StableSortPairs(
                                 memory, bytes, keys_(slot), out_(slot), keys_(slot),
                                 items_out_(slot), rows, many, begin, begin + 1, stream)
                           : cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, keys_(slot),
                                                                      out_(slot), rows, many, begin,
                                                                      begin + 1, stream),
               "CUB");
  }
  void by_radix(void* memory, std::size_t& bytes, std::size_t slot) const {
    const auto rows = static_cast<std::int64_t>(n_), many = static_cast<std::int64_t>(segments());
    const number* const begin = offsets_.data();
    cuda_check(with_items_ ? cub::DeviceSegmentedRadixSort::SortPairs(
                                 memory, bytes, keys_(slot), out_(slot), keys_(slot),
                                 items_out_(slot), rows, many, begin, begin + 1, 0, 32, stream)
                           : cub::DeviceSegmentedRadixSort::SortKeys(memory, bytes, keys_(slot),
                                                                     out_(slot), rows, many, begin,
                                                                     begin + 1, 0, 32, stream),
               "CUB");
  }

  std::size_t n_;
  bool with_items_;
  slot_buffer<number> keys_, out_, items_out_, expected_;
  device_buffer<number> offsets_;
  temp_storage work_;
  wrong_slots wrong_;
  std::optional<device_buffer<char>> cub_work_;
};

void sort_segments(session& s, device_place& where, std::size_t n, bool with_items,
                   const std::string& lengths, const std::vector<number>& offsets) {
  segments_to_sort rows(where, n, with_items, offsets);
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(11)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = with_items ? "u32 + u32" : "u32";
    row.form = "segmented_sort, " + lengths;
    row.useful_bytes = (with_items ? 4 : 2) * n * sizeof(number);
    return row;
  };
  std::vector<candidate> candidates{
      {record("warpfold"), [&](std::size_t slot) { rows.by_warpfold(slot); }}};
  const std::size_t middle = rows.segments() / 2;
  const bool is_giant = n / 2 < offsets[middle + 1] - offsets[middle];
  if (!is_giant || n <= std::size_t{1} << 24) {  // else a second a call
    candidates.push_back({record("cub DeviceSegmentedSort"),
                          [&](std::size_t slot) { rows.by_cub_sort(slot); }, false});
    if (rows.segments() <= std::size_t{1} << 15) {  // it takes 0.1 us a segment, at least
      candidates.push_back({record("cub DeviceSegmentedRadixSort"),
                            [&](std::size_t slot) { rows.by_cub_radix(slot); }});
    }
  }
  s.add(time_on_device(c.samples, where, rows.as_slots(), candidates));
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
