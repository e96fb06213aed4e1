// OpenCL on this processor: POCL, where it is installed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace warpfold::bench {

class opencl_device {
 public:
  opencl_device();
  ~opencl_device();
  opencl_device(const opencl_device&) = delete;
  opencl_device& operator=(const opencl_device&) = delete;

  /// "Portable Computing Language …"; "" where there is no device of a processor.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Runs a kernel of peers/plain_kernels.cl and waits for it. The memory is used where it is.
  void run(const char* kernel, std::array<const void*, 3> memory, std::array<std::size_t, 3> bytes,
           std::uint32_t last, std::array<std::size_t, 2> threads,
           std::array<std::size_t, 2> group);

 private:
  struct state;
  std::unique_ptr<state> state_;
  std::string name_;
};

}  // namespace warpfold::bench
