// Histograms in a graph, beside CUB and a read of the values.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cub/device/device_histogram.cuh>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "bench/harness/program.hpp"
#include "bench/harness/random.hpp"
#include "warpfold/histogram.hpp"

namespace warpfold::bench {
namespace {

enum class shape { uniform, one_value, sorted };
constexpr const char* name_of(shape s) {
  return s == shape::uniform ? "uniform" : s == shape::sorted ? "sorted" : "one value";
}

/// Values in [0, 1).
struct fractions {
  shape of;
  std::size_t n;  // of a slot
  __device__ float operator()(std::size_t i) const {
    if (of == shape::one_value) return 0.37F;
    if (of == shape::sorted) {
      const double place = static_cast<double>(i % n) / static_cast<double>(n);
      return static_cast<float>(place * 0.99999);
    }
    return static_cast<float>(any_number<std::uint32_t>(1, i) >> 8) * 0x1p-24F;
  }
};

__global__ void compare_counts(const std::uint32_t* got, const std::uint32_t* expected,
                               unsigned bins, unsigned* mark) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < bins && got[i] != expected[i]) *mark = 1;
}

void count(session& s, device_place& where, std::size_t n, unsigned bins, shape of) {
  const std::size_t slots_count =
      std::min<std::size_t>(device_slots_of(n * sizeof(float), where.cache_bytes), 24);
  const slot_buffer<float> values(n, slots_count);
  const slot_buffer<std::uint32_t> counts(bins, slots_count), expected(bins, slots_count);
  const wrong_slots wrong(slots_count);
  const cudaStream_t stream = where.stream();
  fill(values.all(), fractions{of, n}, stream);
  const auto cub_to = [&](void* work, std::size_t& bytes, std::size_t slot, std::uint32_t* to) {
    cuda_check(cub::DeviceHistogram::HistogramEven(work, bytes, values(slot), to,
                                                   static_cast<int>(bins) + 1, 0.0F, 1.0F,
                                                   static_cast<std::int64_t>(n), stream),
               "CUB");
  };
  std::size_t bytes = 0;
  cub_to(nullptr, bytes, 0, nullptr);
  const device_buffer<char> work(bytes);
  for (std::size_t slot = 0; slot < slots_count; ++slot) {
    cub_to(work.data(), bytes, slot, expected(slot));
  }
  const bench_case c{.what = algorithm::reduce, .n = n, .samples = s.samples(30)};
  const auto record = [&](const char* who) {
    auto row = c.record(who);
    row.type = "f32";
    row.form = "histogram, " + std::to_string(bins) + " bins, " + name_of(of);
    row.useful_bytes = n * sizeof(float);
    return row;
  };
  const slots all{.count = slots_count,
                  .calls_per_graph = slots_count,
                  .renew = [&] { counts.all().set_bytes(0xff, stream); },
                  .check =
                      [&](std::size_t begin, std::size_t end) {
                        return wrong.count(end, stream, [&](unsigned* marks) {
                          for (std::size_t slot = begin; slot < end; ++slot) {
                            compare_counts<<<bins / 256 + 1, 256, 0, stream>>>(
                                counts(slot), expected(slot), bins, marks + slot);
                          }
                        });
                      }};
  const std::vector<candidate> candidates{
      {record("warpfold"),
       [&](std::size_t slot) {
         histogram(device.on(stream), std::span<const float>(values(slot), n),
                   even_bins{0.0F, 1.0F, bins}, std::span<std::uint32_t>(counts(slot), bins))
             .throw_if_failed("a timed call");
       }},
      {record("cub"), [&](std::size_t slot) { cub_to(work.data(), bytes, slot, counts(slot)); }}};
  s.add(time_graphs(c.samples, where, all, candidates));
}

void run_all(session& s) {
  device_place where = open_device();
  for (const unsigned bits : {10U, 14U, 18U, 20U, 22U, 24U, 26U, 28U}) {
    for (const unsigned bins : {10U, 256U, 4096U, 65'536U, 1U << 20}) {
      for (const shape of : {shape::uniform, shape::one_value, shape::sorted}) {
        count(s, where, std::size_t{1} << bits, bins, of);
      }
    }
  }
}

}  // namespace

const bench_program program{"histograms", "", "", run_all, nullptr, cuda_run_info};

}  // namespace warpfold::bench
