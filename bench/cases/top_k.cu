// The first k keys in a graph, beside CUB's radix sort; of rows, beside its segmented radix sort.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_segmented_radix_sort.cuh>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/top_k.hpp"

namespace warpfold::bench {
namespace {

using number = std::uint32_t;

enum class shape { uniform, one_value, rising };
constexpr const char* name_of(shape s) {
  return s == shape::uniform ? "" : s == shape::one_value ? ", one value" : ", rising";
}

/// Below 2^31: what renew() writes is none of them.
struct keys_of_slots {
  shape of;
  std::size_t step;  // of a slot
  __device__ number operator()(std::size_t i) const {
    if (of == shape::one_value) return 7;
    return of == shape::rising ? static_cast<number>(i % step) : any_number<number>(1, i) >> 1;
  }
};

/// One of the two has been made anew and is not written: the first k of each row, one behind the
/// other, or whole rows, sorted.
__global__ void check_kernel(const number* first, const number* sorted, const number* expected,
                             std::size_t rows, std::size_t columns, std::size_t k, unsigned* mark) {
  const std::size_t count = rows * k, stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    const number right = expected[i / k * columns + i % k];
    if (first[i] != right && sorted[i / k * columns + i % k] != right) *mark = 1;
  }
}

struct rows_case {
  std::size_t rows, columns, k;
  shape of;
  [[nodiscard]] std::size_t n() const { return rows * columns; }
  [[nodiscard]] std::string form() const {
    const std::string call = rows == 1 ? "top_k" : "top_k_rows, rows of " + std::to_string(columns);
    return call + ", k = " + std::to_string(k) + name_of(of);
  }
};

/// CUB's sort of all rows.
class cub_sort {
 public:
  cub_sort(const rows_case& c, cudaStream_t stream)
      : case_(c), stream_(stream), offsets_(c.rows + 1), work_(bytes_of_work()) {
    std::vector<std::int64_t> at(c.rows + 1);
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = static_cast<std::int64_t>(i * c.columns);
    cuda_check(cudaMemcpyAsync(offsets_.data(), at.data(), offsets_.bytes(), cudaMemcpyHostToDevice,
                               stream_),
               "offsets");
    cuda_check(cudaStreamSynchronize(stream_), "offsets");
  }
  void operator()(const number* from, number* to) const {
    std::size_t bytes = work_.bytes();
    call(work_.data(), bytes, from, to);
  }

 private:
  [[nodiscard]] std::size_t bytes_of_work() const {
    std::size_t bytes = 0;
    call(nullptr, bytes, nullptr, nullptr);
    return bytes;
  }
  void call(void* work, std::size_t& bytes, const number* from, number* to) const {
    const auto n = static_cast<std::int64_t>(case_.n());
    const std::int64_t* const at = offsets_.data();
    cuda_check(
        case_.rows == 1
            ? cub::DeviceRadixSort::SortKeysDescending(work, bytes, from, to, n, 0, 32, stream_)
            : cub::DeviceSegmentedRadixSort::SortKeysDescending(
                  work, bytes, from, to, n, static_cast<std::int64_t>(case_.rows), at, at + 1, 0,
                  32, stream_),
        "CUB");
  }

  rows_case case_;
  cudaStream_t stream_;
  device_buffer<std::int64_t> offsets_;
  device_buffer<char> work_;
};

void take_first(session& s, device_place& where, const rows_case& rows) {
  const std::size_t n = rows.n(), k = rows.k;
  const std::size_t count =
      std::min<std::size_t>(device_slots_of(n * sizeof(number), where.cache_bytes), 24);
  const slot_buffer<number> keys(n, count), sorted(n, count), expected(n, count);
  const slot_buffer<number> first(rows.rows * k, count);
  const temp_storage memory(top_k_temp_storage_bytes<number>(rows.columns, k, rows.rows));
  const wrong_slots marks(count);
  const cudaStream_t stream = where.stream();
  fill(keys.all(), keys_of_slots{rows.of, keys.step()}, stream);
  const cub_sort by_cub(rows, stream);
  for (std::size_t slot = 0; slot < count; ++slot) by_cub(keys(slot), expected(slot));
  where.wait();
  const bench_case c{.what = algorithm::sort, .n = n, .samples = s.samples(15)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = "u32";
    row.form = rows.form();
    row.useful_bytes = n * sizeof(number);
    return row;
  };
  const slots all{.count = count,
                  .calls_per_graph = count,
                  .renew =
                      [&] {
                        first.all().set_bytes(0xff, stream);
                        sorted.all().set_bytes(0xff, stream);
                      },
                  .check =
                      [&](std::size_t begin, std::size_t end) {
                        return marks.count(end, stream, [&](unsigned* mark) {
                          for (std::size_t slot = begin; slot < end; ++slot) {
                            check_kernel<<<256, 256, 0, stream>>>(first(slot), sorted(slot),
                                                                  expected(slot), rows.rows,
                                                                  rows.columns, k, mark + slot);
                          }
                        });
                      }};
  const auto on = device.on(stream).with(memory);
  const std::vector<candidate> candidates{
      {record("warpfold"),
       [&](std::size_t slot) {
         top_k_rows(on, std::span<const number>(keys(slot), n), rows.rows, rows.columns, k,
                    std::span<number>(first(slot), rows.rows * k))
             .throw_if_failed("a timed call");
       }},
      {record("cub"), [&](std::size_t slot) { by_cub(keys(slot), sorted(slot)); }}};
  s.add(time_graphs(c.samples, where, all, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {16U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    for (const std::size_t k : {1U, 10U, 100U, 2048U}) {
      take_first(s, where, {1, std::size_t{1} << bits, k, shape::uniform});
    }
    for (const shape of : {shape::one_value, shape::rising}) {
      take_first(s, where, {1, std::size_t{1} << bits, 100, of});
    }
    for (const std::size_t columns : {std::size_t{1} << 15, std::size_t{1} << 17}) {
      const std::size_t rows = (std::size_t{1} << bits) / columns;
      if (rows < 2) continue;
      for (const std::size_t k : {1U, 100U, 2048U}) {
        take_first(s, where, {rows, columns, k, shape::uniform});
      }
    }
  }
}

}  // namespace

const bench_program program{"top_k", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
