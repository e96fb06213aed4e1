// Sums of the rows of a matrix, beside CUB's segmented sum; and statistics of f32.
#include <cmath>
#include <cstdint>
#include <utility>

#include <cub/device/device_segmented_reduce.cuh>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/peers/cub.cuh"
#include "warpfold/reduce.hpp"
#include "warpfold/workspace.hpp"

namespace warpfold::bench {
namespace {

/// Each block adds whole rows in a plain way.
__global__ void row_sums_kernel(const std::int32_t* in, std::size_t columns, std::size_t rows,
                                std::int32_t* sums) {
  for (std::size_t r = blockIdx.y; r < rows; r += gridDim.y) {
    if (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x >= columns) return;
    std::int32_t sum = 0;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < columns;
         i += std::size_t{gridDim.x} * blockDim.x) {
      sum += in[r * columns + i];
    }
    atomicAdd(sums + r, sum);
  }
}
__global__ void differ_kernel(const std::int32_t* a, const std::int32_t* b, std::size_t n,
                              unsigned* mark) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    if (a[i] != b[i]) *mark = 1;
  }
}
struct row_offsets {
  std::size_t columns;
  __device__ std::int64_t operator()(std::size_t i) const {
    return static_cast<std::int64_t>(i * columns);
  }
};

void sum_rows(session& s, device_place& where, std::size_t rows, std::size_t columns) {
  using T = std::int32_t;
  const bench_case c{.n = rows * columns, .samples = s.samples(41)};
  const std::size_t count = device_slots_of(c.n * sizeof(T), where.cache_bytes);
  const auto stream = where.stream();
  const slot_buffer<T> in(c.n, count), out(rows, count), truth(rows, count);
  const device_buffer<std::int64_t> offsets(rows + 1);
  fill(in.all(), numbers_of<T>(c), stream);
  fill(offsets, row_offsets{columns}, stream);
  truth.all().set_bytes(0, stream);
  const dim3 grid(columns < 100000 ? 1 : 256,
                  static_cast<unsigned>(std::min<std::size_t>(rows, 65535)));
  for (std::size_t i = 0; i < count; ++i) {
    row_sums_kernel<<<grid, 128, 0, stream>>>(in(i), columns, rows, truth(i));
  }
  cuda_check(cudaGetLastError(), "form the references");

  const workspace memory(reduce_workspace_bytes<T>());
  const auto on = device.on(stream).with(memory);
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.ladder = "rows", row.n = columns;
    row.type = std::to_string(rows) + " rows of i32";
    return row;
  };
  const auto cub_sum = [&](std::size_t slot, void* temporary, std::size_t& bytes) {
    return cub::DeviceSegmentedReduce::Sum(temporary, bytes, in(slot), out(slot),
                                           static_cast<int>(rows), offsets.data(),
                                           offsets.data() + 1, stream);
  };
  const std::vector<candidate> candidates{{record("warpfold"),
                                           [&](std::size_t slot) {
                                             reduce_rows(on, std::span<const T>(in(slot), c.n),
                                                         rows, columns,
                                                         std::span<T>(out(slot), rows))
                                                 .throw_if_failed("timed sums of rows");
                                           }},
                                          cub_candidate(record("cub"), cub_sum)};
  const wrong_slots marks(count);
  const slots all{.count = count,
                  .calls_per_graph = calls_per_graph(c.n * sizeof(T)),
                  .renew = [&] { out.all().set_bytes(0xff, stream); },
                  .check =
                      [&](std::size_t, std::size_t end) {
                        return marks.count(end, stream, [&](unsigned* mark) {
                          for (std::size_t i = 0; i < end; ++i) {
                            differ_kernel<<<256, 256, 0, stream>>>(out(i), truth(i), rows,
                                                                   mark + i);
                          }
                        });
                      }};
  s.add(time_on_device(c.samples, where, all, candidates));
}

/// 0, 1, …, p - 1 again and again: the mean is (p - 1) / 2, the variance (p² - 1) / 12.
constexpr std::size_t period = std::size_t{1} << 20;
struct ascending_numbers {
  __device__ float operator()(std::size_t i) const { return static_cast<float>(i % period); }
};

/// n is a multiple of the period, and so is the distance between slots.
void statistics_of(session& s, device_place& where, std::size_t n) {
  using T = float;
  using op = detail::moments_op<T>;
  const bench_case c{.type = value_type::f32, .n = n, .samples = s.samples(41)};
  const std::size_t count = device_slots_of(n * sizeof(T), where.cache_bytes);
  const auto stream = where.stream();
  const slot_buffer<T> in(n, count);
  fill(in.all(), ascending_numbers{}, stream);
  const device_buffer<detail::moments<T>> out(count);
  const workspace memory(reduce_workspace_bytes<detail::moments<T>>());
  const auto on = device.on(stream).with(memory);
  auto record = c.record("warpfold");
  record.ladder = record.op = "statistics";
  const std::vector<candidate> candidates{
      {record, [&](std::size_t slot) {
         transform_reduce_into(on, std::span<const T>(in(slot), n), out.data() + slot,
                               op::identity<T>(), op{}, detail::to_moments<T>{})
             .throw_if_failed("timed statistics");
       }}};
  const auto check = [&](std::size_t, std::size_t end) {
    mistakes wrong;
    constexpr double p = static_cast<double>(period), mean = (p - 1) / 2;
    constexpr double variance = (p * p - 1) / 12;
    for (const auto& moments : out.on_host(end, stream)) {
      const auto found = detail::summarise(moments);
      const bool right = found.count == n && found.min.index == 0 &&
                         found.max.index == period - 1 &&
                         std::fabs(found.mean - mean) <= 1e-12 * mean &&
                         std::fabs(found.variance - variance) <= 1e-9 * variance;
      wrong += one_result(right, "mean " + std::to_string(found.mean));
    }
    return wrong;
  };
  s.add(time_on_device(c.samples, where,
                       {.count = count,
                        .calls_per_graph = calls_per_graph(n * sizeof(T)),
                        .renew = [&] { out.set_bytes(0xff, stream); },
                        .check = check},
                       candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const auto& [rows, columns] : {std::pair{1 << 21, 16},
                                      {1 << 20, 64},
                                      {1 << 16, 1000},
                                      {1 << 10, 1 << 16},
                                      {100, 1 << 20},
                                      {4, 1 << 26}}) {
    sum_rows(s, where, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns));
  }
  statistics_of(s, where, std::size_t{1} << 24);
  statistics_of(s, where, std::size_t{1} << 28);
}

}  // namespace

const bench_program program{"rows", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
