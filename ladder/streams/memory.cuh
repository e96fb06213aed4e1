// The executor's memory: pinned, and the device's.
#pragma once

#include <algorithm>

#include "ladder/streams/calls.cuh"

namespace warpfold::ladder::streams_ladder {
inline namespace WARPFOLD_MACHINE {

/// Throws device_error with the size when the machine has not that much memory.
inline void check_allocation(cudaError_t error, const char* call, std::size_t bytes) {
  if (error == cudaSuccess) return;
  cudaGetLastError();
  throw device_error(std::string(call) + " of " + std::to_string(bytes >> 20) +
                     " MiB: " + cudaGetErrorString(error) + "; take a smaller --n");
}

class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(cudaMallocHost(&p, std::max<std::size_t>(1, bytes)), "cudaMallocHost", bytes);
    bytes_ = static_cast<std::byte*>(p);
  }
  pinned_memory(const pinned_memory&) = delete;
  pinned_memory& operator=(const pinned_memory&) = delete;
  ~pinned_memory() { cudaFreeHost(bytes_); }
  [[nodiscard]] std::byte* get() const { return bytes_; }

 private:
  std::byte* bytes_ = nullptr;
};

class global_memory {
 public:
  explicit global_memory(std::size_t bytes) {
    void* p = nullptr;
    check_allocation(cudaMalloc(&p, std::max<std::size_t>(1, bytes)), "cudaMalloc", bytes);
    bytes_ = static_cast<std::byte*>(p);
  }
  global_memory(const global_memory&) = delete;
  global_memory& operator=(const global_memory&) = delete;
  ~global_memory() { cudaFree(bytes_); }
  [[nodiscard]] std::byte* get() const { return bytes_; }

 private:
  std::byte* bytes_ = nullptr;
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::ladder::streams_ladder
