// Device memory and errors, as every CUDA program has them.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include <cuda_runtime.h>

inline void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(status));
}

/// Device memory for `n` values.
template <class T>
class device_array {
 public:
  explicit device_array(std::size_t n) : n_(n) {
    check(cudaMalloc(&data_, n * sizeof(T)), "cudaMalloc");
  }
  explicit device_array(const std::vector<T>& values) : device_array(values.size()) {
    check(cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  device_array(const device_array&) = delete;
  device_array& operator=(const device_array&) = delete;
  ~device_array() { cudaFree(data_); }

  T* data() const { return data_; }

  std::vector<T> to_host() const {
    std::vector<T> values(n_);
    check(cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return values;
  }

 private:
  T* data_ = nullptr;
  std::size_t n_;
};
