// Textures and surfaces as CUDA's objects: textures.cpp makes them, fetches.cpp reads them.
#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include "simt/cudart/state.hpp"

namespace simt::detail {

/// One level: elements in rows and layers.
struct texture_image {
  const std::byte* data = nullptr;
  cudaChannelFormatDesc format{};
  long width = 1, height = 1, depth = 1;
  std::size_t row = 0, layer = 0;
};

struct texture_object {
  cudaResourceDesc resource{};
  cudaTextureDesc how{};
  std::vector<texture_image> levels;
  std::size_t elements = 0;  // of linear memory
  bool layered = false, cube = false;
  std::atomic<bool> alive{false};
};
/// Null: there is none, or it was destroyed.
texture_object* find_texture(unsigned long long number);

}  // namespace simt::detail
