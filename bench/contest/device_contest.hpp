// How the contests of a CUDA device are timed: one call between two events on an idle stream, and
// one of many in a captured graph; on memory that no cache holds; every result is checked.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/contest/contest.hpp"
#include "bench/device/timing.cuh"

namespace warpfold::bench {

struct device_contestant {
  std::string name;
  std::function<void(std::size_t slot)> run;  // puts the call into the stream
  std::function<void()> settle = {};          // takes results that came to the host to the device
  bool in_graph = true;                       // else it allocates or waits
};

/// The slots that calls work in, in turn.
struct device_slots {
  std::size_t count;
  std::size_t calls_per_graph;
  std::function<void()> renew;  // inputs as they were, outputs poisoned
  /// How many of the first so many slots hold a wrong result, after all calls have ended.
  std::function<std::size_t(std::size_t)> wrong;
};

/// Device memory, given back at the end.
class device_bytes {
 public:
  explicit device_bytes(std::size_t bytes) {
    require(cudaMalloc(&data_, bytes == 0 ? 1 : bytes), "allocate memory for the benchmark");
  }
  device_bytes(const device_bytes&) = delete;
  device_bytes& operator=(const device_bytes&) = delete;
  ~device_bytes() { cudaFree(data_); }

  template <class T = char>
  [[nodiscard]] T* as(std::size_t byte = 0) const {
    return reinterpret_cast<T*>(static_cast<char*>(data_) + byte);
  }

 private:
  void* data_ = nullptr;
};

/// Where the contests of a device run.
struct device_place {
  explicit device_place(std::size_t cache) : cache_bytes(cache), other(4 * cache) {}

  timer clock;
  std::size_t cache_bytes;
  device_bytes other;  // to fill the cache with

  void empty_cache() const {
    require(cudaMemsetAsync(other.as(), 0, 4 * cache_bytes, clock.stream()), "empty the cache");
  }
  void wait() const { require(cudaStreamSynchronize(clock.stream()), "a call of the benchmark"); }
};

/// How many slots of so many bytes: as many as a graph has calls, but no more than pass the cache
/// four times.
inline std::size_t device_slots_of(std::size_t bytes, std::size_t cache) {
  return std::clamp<std::size_t>(4 * cache / std::max<std::size_t>(bytes, 1) + 1, 1, 1000);
}

bool is_asked(std::span<const std::string> against, std::string_view peer);

std::vector<measure::measurement> time_on_device(const problem& p, device_place& where,
                                                 const device_slots& slots,
                                                 std::span<const device_contestant> contestants);

std::vector<measure::measurement> run_device_reduce(const problem& p, device_place& where,
                                                    std::span<const std::string> against);
std::vector<measure::measurement> run_device_scan(const problem& p, device_place& where,
                                                  std::span<const std::string> against);
std::vector<measure::measurement> run_device_sort(const problem& p, device_place& where,
                                                  std::span<const std::string> against);

}  // namespace warpfold::bench
