// What the measurements of calibrate have in common: a device with memory to work on, ways to time
// it, and what was found.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/calibrate/calibrate.hpp"
#include "bench/calibrate/kernels.cuh"
#include "bench/calibrate/samples.cuh"

namespace warpfold::bench {

class device_bench : protected timed_stream {
 public:
  device_bench() : big_(big_bytes), other_(big_bytes), small_(mib) {
    check(cudaGetDeviceProperties(&properties_, 0));
    check(cudaMemset(big_.as<char>(), 0x5A, big_bytes));
    check(cudaMemset(other_.as<char>(), 0x5A, big_bytes));
    check(cudaMemset(small_.as<char>(), 0, mib));
  }

  [[nodiscard]] std::string name() const { return properties_.name; }

 protected:
  static constexpr std::size_t big_bytes = 1024 * mib;

  [[nodiscard]] unsigned processors() const {
    return static_cast<unsigned>(properties_.multiProcessorCount);
  }
  unsigned* sink() const { return small_.as<unsigned>() + 64; }

  void add(const std::string& name, double value, double spread) {
    found_.push_back({name, value, spread});
  }
  double cycles_in(double us) const { return us * 1000 * gigahertz_; }

  /// The bytes of shared memory with which a block of do_nothing_alone leaves no place for another.
  int fill_processor() {
    const int bytes = static_cast<int>(properties_.sharedMemPerMultiprocessor * 6 / 10);
    check(
        cudaFuncSetAttribute(do_nothing_alone, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    return bytes;
  }

  /// Of memory beyond this many bytes, nothing is in a cache.
  static constexpr std::size_t cached = 256 * mib;

  template <bool Far>
  summary latency(std::size_t bytes, std::size_t stride, unsigned hops) {
    std::vector<std::uint32_t> next(bytes / 4);
    const std::size_t step = stride / 4, places = next.size() / step;
    for (std::size_t i = 0; i < places; ++i) {  // a cycle through all places, far from in order
      next[i * step] = static_cast<std::uint32_t>((i + places / 3 * 2 + 1) % places * step);
    }
    check(cudaMemcpy(big_.as<char>(), next.data(), bytes, cudaMemcpyHostToDevice));
    std::vector<double> cycles;
    for (int i = 0; i < 5; ++i) {
      // Another buffer's bytes take the place of these in the caches.
      if (bytes > cached) check(cudaMemsetAsync(other_.as<char>(), 0x5A, big_bytes, stream_));
      follow<Far><<<1, 1, 0, stream_>>>(big_.as<std::uint32_t>(), hops / 4, hops,
                                        small_.as<float>(), sink());
      cycles.push_back(read_float());
    }
    return summary_of(cycles);
  }
  /// Of what a kernel tells, five times.
  template <class Launch>
  summary told_by(const Launch& launch) {
    std::vector<double> found;
    for (int i = 0; i < 5; ++i) {
      launch(small_.as<float>());
      found.push_back(read_float());
    }
    return summary_of(found);
  }
  double read_float() {
    float value = 0;
    check(
        cudaMemcpyAsync(&value, small_.as<float>(), sizeof value, cudaMemcpyDeviceToHost, stream_));
    check(cudaStreamSynchronize(stream_));
    return value;
  }
  /// Of a kernel that executes so many instructions in each of 64 warps of a multiprocessor.
  void add_rate(const char* name, double instructions, const std::function<void()>& kernel) {
    const summary s = time(kernel, 9);
    const double cycles = cycles_in(s.median - found_[1].value);
    add(name, instructions * 64 / cycles, s.spread);
  }

  cudaDeviceProp properties_{};
  device_buffer big_, other_, small_;
  double gigahertz_ = 1, queued_us_ = 0;
  std::vector<measured_constant> found_;
};

}  // namespace warpfold::bench
