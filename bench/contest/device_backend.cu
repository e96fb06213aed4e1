// The first CUDA device as a place for contests.
#include <algorithm>
#include <optional>

#include "bench/contest/device_contest.hpp"
#include "bench/device/run_info.cuh"
#include "measure/read_rate.cuh"

namespace warpfold::bench {
namespace {

constexpr peer cuda_peers[] = {{"cub",
                                "cub::DeviceReduce, DeviceScan, DeviceRadixSort, "
                                "DeviceMergeSort of the same toolkit"},
                               {"thrust", "thrust::reduce, inclusive_scan, exclusive_scan, sort"}};

class cuda_backend final : public backend {
 public:
  cuda_backend() {
    require(cudaSetDevice(0), "open the device");
    require(cudaGetDeviceProperties(&properties_, 0), "ask what the device is");
    place_.emplace(static_cast<std::size_t>(std::max(properties_.l2CacheSize, 1 << 20)));
  }
  [[nodiscard]] std::string_view name() const override { return "cuda"; }
  [[nodiscard]] measure::run_info about() const override { return cuda_run_info("", ""); }
  [[nodiscard]] std::span<const peer> peers() const override { return cuda_peers; }

  [[nodiscard]] std::size_t memory_for(const problem& p) const override {
    const std::size_t cold = 4 * place_->cache_bytes, spare = std::size_t{256} << 20;
    const std::size_t input = p.n * size_of(p.type);
    switch (p.what) {
      case algorithm::reduce: return input + cold + spare;
      case algorithm::scan: return 2 * (input + cold) + spare;
      default: {  // keys and items as they were and as they get; Thrust's own copies beside ours
        const std::size_t array = std::max(input, std::size_t{1} << 30);
        return 4 * array + 4 * (input + 4 * p.n) + 2 * spare;
      }
    }
  }
  [[nodiscard]] std::size_t free_memory() const override {
    std::size_t free = 0, total = 0;
    require(cudaMemGetInfo(&free, &total), "ask for the free memory");
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
    const std::size_t bytes = much();
    const device_bytes memory(bytes), out(4);
    require(cudaMemsetAsync(memory.as(), 0x5a, bytes, place_->clock.stream()), "fill memory");
    return measure::read_rate(
        memory.as(), bytes, out.as<unsigned>(),
        static_cast<unsigned>(properties_.multiProcessorCount), place_->clock.stream(),
        [&](const auto& launch_it) {
          return median_of(place_->clock.stream_calls([&](std::size_t) { launch_it(); }, 1));
        });
  }
  double copy_rate() override {
    const std::size_t bytes = much() / 2;
    const device_bytes from(bytes), to(bytes);
    const auto stream = place_->clock.stream();
    require(cudaMemsetAsync(from.as(), 0x5a, bytes, stream), "fill memory");
    const double us = median_of(place_->clock.stream_calls(
        [&](std::size_t) {
          require(cudaMemcpyAsync(to.as(), from.as(), bytes, cudaMemcpyDeviceToDevice, stream),
                  "copy memory");
        },
        11));
    return 2 * static_cast<double>(bytes) / us * 1e-3;
  }

  std::vector<measure::measurement> run(const problem& p,
                                        std::span<const std::string> against) override {
    switch (p.what) {
      case algorithm::reduce: return run_device_reduce(p, *place_, against);
      case algorithm::scan: return run_device_scan(p, *place_, against);
      default: return run_device_sort(p, *place_, against);
    }
  }

 private:
  /// So much memory that what a cache holds of it does not count.
  [[nodiscard]] std::size_t much() const {
    return std::min(free_memory() / 2, std::size_t{8} << 30) / 4096 * 4096;
  }

  cudaDeviceProp properties_{};
  std::optional<device_place> place_;
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
        "--backend cuda: no CUDA device answers; `warpfold doctor` says what is missing, and "
        "--backend host runs everywhere");
  }
  return std::make_unique<cuda_backend>();
}

}  // namespace warpfold::bench
