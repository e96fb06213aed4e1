// The program's functions: each copies its input to the device, runs a kernel, and copies back.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

/// `in` has `height` rows of `width` values. With `padded`, the kernel's tile is one column wider.
std::vector<float> transpose(const std::vector<float>& in, int width, int height, bool padded);

/// How often each byte occurs.
std::array<unsigned, 256> histogram(const std::vector<unsigned char>& bytes);

inline constexpr int radius = 3;
/// Each value with its neighbours, three on each side, weighed; beyond the ends there are zeros.
std::vector<float> stencil(const std::vector<float>& in,
                           const std::array<float, 2 * radius + 1>& weights);

float dot(const std::vector<float>& a, const std::vector<float>& b);
