// The first CUDA device as a place for benchmarks.
#include <algorithm>

#include "bench/harness/device_run_info.cuh"
#include "bench/harness/device_timer.cuh"
#include "measure/read_rate.cuh"

namespace warpfold::bench {
namespace {

constexpr peer cuda_peers[] = {{"cub",
                                "cub::DeviceReduce, DeviceScan, DeviceRadixSort, "
                                "DeviceMergeSort of the same toolkit"},
                               {"thrust", "thrust::reduce, inclusive_scan, exclusive_scan, sort"}};

class cuda_backend final : public backend {
 public:
  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] measure::run_info about() const override { return cuda_run_info(); }
  [[nodiscard]] std::span<const peer> peers() const override { return cuda_peers; }

  [[nodiscard]] std::size_t memory_for(const bench_case& c) const override {
    const std::size_t cold = 4 * place_.cache_bytes, spare = std::size_t{256} << 20;
    const std::size_t input = c.n * size_of(c.type);
    switch (c.what) {
      case algorithm::reduce: return input + cold + spare;
      case algorithm::scan: return 2 * (input + cold) + spare;
      default: {  // keys and items as they were and as they get; Thrust's own copies beside ours
        const std::size_t array = std::max(input, std::size_t{1} << 30);
        return 4 * array + 4 * (input + 4 * c.n) + 2 * spare;
      }
    }
  }
  [[nodiscard]] std::size_t free_memory() const override {
    std::size_t free = 0, total = 0;
    cuda_check(cudaMemGetInfo(&free, &total), "ask for the free memory");
    return free;
  }
  [[nodiscard]] std::vector<std::size_t> default_sizes(algorithm what) const override {
    std::vector<std::size_t> sizes;
    const int last = what == algorithm::sort ? 24 : 28;
    for (int e = 12; e <= last; e += 4) sizes.push_back(std::size_t{1} << e);
    return sizes;
  }
  [[nodiscard]] unsigned default_samples() const override { return 60; }

  double read_rate() override {
    const device_buffer<char> memory(much());
    const device_buffer<unsigned> out(1);
    memory.set_bytes(0x5a, place_.stream());
    int processors = 0;
    cuda_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0),
               "ask for its multiprocessors");
    return measure::read_rate(
        memory.data(), memory.bytes(), out.data(), static_cast<unsigned>(processors),
        place_.stream(), [&](const auto& launch_it) { return place_.clock.time_us(launch_it); });
  }
  double copy_rate() override {
    const device_buffer<char> from(much() / 2), to(from.size());
    const auto stream = place_.stream();
    from.set_bytes(0x5a, stream);
    const auto copy = [&](std::size_t) {
      cuda_check(
          cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice, stream),
          "copy memory");
    };
    const measure::timing times{place_.clock.single_calls(copy, 11, [] {})};
    return 2 * static_cast<double>(from.bytes()) / times.median() * 1e-3;
  }

  measurements run(const bench_case& c, std::span<const std::string> against) override {
    switch (c.what) {
      case algorithm::reduce: return run_device_reduce(c, place_, against);
      case algorithm::scan: return run_device_scan(c, place_, against);
      default: return run_device_sort(c, place_, against);
    }
  }

 private:
  /// So much memory that what a cache holds of it does not count.
  [[nodiscard]] std::size_t much() const {
    return std::min(free_memory() / 2, std::size_t{8} << 30) / 4096 * 4096;
  }

  device_place place_ = open_device();
};

}  // namespace

bool has_cuda_backend() {
  int count = 0;
  const bool found = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  cudaGetLastError();
  return found;
}

std::unique_ptr<backend> make_cuda_backend() {
  if (!has_cuda_backend()) {
    throw device_error(
        "--backend cuda: no usable CUDA device; run `warpfold doctor`, or use "
        "--backend host");
  }
  return std::make_unique<cuda_backend>();
}

}  // namespace warpfold::bench
