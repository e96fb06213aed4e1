// What the benchmarks of sorts share: inputs that are made anew before each sample, out of the
// timed part, and are cold then; the checks of a result.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bench/contest/random.hpp"
#include "bench/device/memory.cuh"
#include "bench/own_order.hpp"
#include "warpfold/order.hpp"

namespace warpfold::bench {

static __global__ void number_slots_kernel(std::uint32_t* to, std::size_t n, std::size_t slot) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = static_cast<std::uint32_t>(i % slot);
  }
}
/// Floats of either sign below 2, without zeros: CUB does not tell -0 from +0.
static __global__ void finite_kernel(std::uint32_t* bits, std::size_t n) {
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    bits[i] = (bits[i] & 0xbfffffffU) | 1U;
  }
}

struct sort_check {
  unsigned wrong;
  unsigned long long checksum;
};

/// Keys ascend; each stands by the number of its place before, and equal ones in their order.
template <class K>
__global__ void check_sort_kernel(const K* keys, const std::uint32_t* values, const K* before,
                                  std::size_t n, sort_check* check) {
  unsigned long long sum = 0;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    const auto key = rank_of(keys[i]);
    bool wrong = i > 0 && key < rank_of(keys[i - 1]);
    if (values != nullptr) {
      wrong = wrong || values[i] >= n || rank_of(before[values[i]]) != key ||
              (i > 0 && key == rank_of(keys[i - 1]) && values[i] <= values[i - 1]);
    }
    if (wrong) check->wrong = 1;
    sum += mixed(key) - mixed(rank_of(before[i]));
  }
  atomicAdd(&check->checksum, sum);
}

class sort_inputs {
 public:
  /// Memory for slots of together `pool` bytes of keys, and as much for values; a workspace.
  explicit sort_inputs(cudaStream_t stream, std::size_t pool = std::size_t{4} << 30,
                       std::size_t work_size = std::size_t{5} << 30)
      : work_bytes(work_size), stream_(stream), pool_(pool) {
    for (char** p : {&keys_, &values_, &keys_before_, &values_before_}) {
      require(cudaMalloc(p, pool), "allocate the inputs");
    }
    require(cudaMalloc(&work, work_bytes), "allocate the workspace");
    require(cudaMalloc(&flush_, flush_bytes), "allocate a second cache's worth");
    require(cudaMalloc(&check_, sizeof(sort_check)), "allocate a check");
  }

  sort_inputs(const sort_inputs&) = delete;
  sort_inputs& operator=(const sort_inputs&) = delete;
  ~sort_inputs() {
    for (char* p : {keys_, values_, keys_before_, values_before_, work, flush_}) cudaFree(p);
    cudaFree(check_);
  }

  std::size_t work_bytes;
  char* work = nullptr;

  /// Random keys of K in slots of n. As many slots as a graph has calls.
  template <class K>
  void shape(std::size_t n, std::uint32_t seed = 77) {
    n_ = n;
    key_step_ = (n * sizeof(K) + 255) / 256 * 256;
    value_step_ = (n * 4 + 255) / 256 * 256;
    calls_ = static_cast<int>(std::clamp<std::size_t>(pool_ / std::max(key_step_, value_step_), 1,
                                                      n <= std::size_t{1} << 20 ? 64 : 16));
    auto* const bits = reinterpret_cast<std::uint32_t*>(keys_before_);
    fill_kernel<<<1024, 256, 0, stream_>>>(bits, slots_bytes(key_step_) / 4, seed);
    if (std::is_floating_point_v<K>) {
      finite_kernel<<<1024, 256, 0, stream_>>>(bits, slots_bytes(key_step_) / 4);
    }
    number_slots_kernel<<<1024, 256, 0, stream_>>>(reinterpret_cast<std::uint32_t*>(values_before_),
                                                   slots_bytes(value_step_) / 4, value_step_ / 4);
    restore();
  }

  /// All slots as they were, and out of the second-level cache.
  void restore() const {
    require(cudaMemcpyAsync(keys_, keys_before_, slots_bytes(key_step_), cudaMemcpyDeviceToDevice,
                            stream_),
            "restore the keys");
    require(cudaMemcpyAsync(values_, values_before_, slots_bytes(value_step_),
                            cudaMemcpyDeviceToDevice, stream_),
            "restore the values");
    require(cudaMemsetAsync(flush_, 0, flush_bytes, stream_), "flush the cache");
    require(cudaStreamSynchronize(stream_), "restore the inputs");
  }

  [[nodiscard]] int calls() const { return calls_; }
  template <class K>
  [[nodiscard]] K* keys(std::size_t call) const {
    return reinterpret_cast<K*>(keys_ + slot(call) * key_step_);
  }
  [[nodiscard]] std::uint32_t* values(std::size_t call) const {
    return reinterpret_cast<std::uint32_t*>(values_ + slot(call) * value_step_);
  }

  /// Is this slot sorted?
  template <class K>
  [[nodiscard]] bool right(std::size_t call, bool with_values) const {
    require(cudaMemsetAsync(check_, 0, sizeof(sort_check), stream_), "clear a check");
    check_sort_kernel<<<1024, 256, 0, stream_>>>(
        keys<K>(call), with_values ? values(call) : nullptr,
        reinterpret_cast<const K*>(keys_before_ + slot(call) * key_step_), n_, check_);
    sort_check found{};
    require(cudaMemcpyAsync(&found, check_, sizeof found, cudaMemcpyDeviceToHost, stream_),
            "read a check");
    require(cudaStreamSynchronize(stream_), "check a sort");
    return found.wrong == 0 && found.checksum == 0;
  }

 private:
  static constexpr std::size_t flush_bytes = std::size_t{256} << 20;

  [[nodiscard]] std::size_t slot(std::size_t call) const {
    return call % static_cast<std::size_t>(calls_);
  }
  [[nodiscard]] std::size_t slots_bytes(std::size_t step) const {
    return static_cast<std::size_t>(calls_) * step;
  }

  cudaStream_t stream_;
  std::size_t pool_;
  char *keys_ = nullptr, *values_ = nullptr, *keys_before_ = nullptr, *values_before_ = nullptr;
  char* flush_ = nullptr;
  sort_check* check_ = nullptr;
  std::size_t n_ = 0, key_step_ = 0, value_step_ = 0;
  int calls_ = 1;
};

struct sort_times {
  bool right;
  samples stream, graph;
};

/// Times `call(i)`, which sorts slot i, both ways, and checks the first sort and the last.
template <class K, class Call>
sort_times time_sort(sort_inputs& inputs, timer& clock, std::size_t n, bool with_values, Call call,
                     int effort) {
  const auto restore = [&] { inputs.restore(); };
  const auto last = static_cast<std::size_t>(inputs.calls() - 1);
  inputs.restore();
  call(0);
  sort_times t{inputs.right<K>(0, with_values), {}, {}};
  const bool large = n > std::size_t{1} << 24;
  t.stream = clock.stream_calls(call, large ? 5 * effort : 10 * effort, restore);
  t.graph = clock.graph_calls(call, inputs.calls(), large ? 2 * effort : 3 * effort, restore);
  t.right = t.right && inputs.right<K>(last, with_values);
  return t;
}

}  // namespace warpfold::bench
