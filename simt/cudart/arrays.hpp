// Arrays of CUDA's runtime: elements side by side, in memory of the device.
#pragma once

#include <vector>

#include "simt/cudart/state.hpp"

struct cudaArray {
  cudaChannelFormatDesc format;
  cudaExtent extent;  // in elements, as it was asked for: 0 where there is no such dimension
  unsigned flags;
  std::byte* data;
  bool of_mipmap = false;

  [[nodiscard]] std::size_t element() const;
  [[nodiscard]] std::size_t width() const { return extent.width; }
  [[nodiscard]] std::size_t height() const { return extent.height != 0 ? extent.height : 1; }
  [[nodiscard]] std::size_t depth() const { return extent.depth != 0 ? extent.depth : 1; }
  [[nodiscard]] std::size_t pitch() const { return width() * element(); }
  [[nodiscard]] bool layered() const { return (flags & cudaArrayLayered) != 0; }
  [[nodiscard]] bool cube() const { return (flags & cudaArrayCubemap) != 0; }
};
struct cudaMipmappedArray {
  std::vector<cudaArray> levels;
};

namespace simt::detail {
std::size_t element_bytes(const cudaChannelFormatDesc& format);
bool is_array(cudaArray_const_t array);
bool is_mipmapped(cudaMipmappedArray_const_t array);
}  // namespace simt::detail
