// The kernels of examples/own_kernel with fixed inputs, one launch each: run on a card under ncu by
// example_probe.cpp, and on the CPU machine by the test that compares the two.
#pragma once

#include <functional>
#include <vector>

#include "examples/own_kernel/kernels.hpp"

namespace example_runs {

struct run {
  const char* kernel;
  std::function<void()> launch;
};

inline std::vector<run> all() {
  const auto matrix = [](int width, int height, bool padded) {
    return [=] { transpose(std::vector<float>(width * height, 1), width, height, padded); };
  };
  const auto bytes = [](unsigned n, auto value) {
    return [=] {
      std::vector<unsigned char> in(n);
      for (unsigned i = 0; i < n; ++i) in[i] = static_cast<unsigned char>(value(i));
      histogram(in);
    };
  };
  const auto neighbours = [](int n) {
    return [=] { stencil(std::vector<float>(n, 1), {1, 2, 3, 4, 3, 2, 1}); };
  };
  const auto product = [](int n) {
    return [=] { dot(std::vector<float>(n, 1), std::vector<float>(n, 1)); };
  };
  return {
      {"transpose_kernel", matrix(256, 128, false)},
      {"transpose_kernel", matrix(256, 128, true)},
      {"transpose_kernel", matrix(70, 45, false)},
      {"transpose_kernel", matrix(70, 45, true)},
      {"histogram_kernel", bytes(10000, [](unsigned i) { return i; })},
      {"histogram_kernel", bytes(5001, [](unsigned i) { return i * i * 7; })},
      {"stencil_kernel", neighbours(4096)},
      {"stencil_kernel", neighbours(1001)},
      {"dot_kernel", product(1 << 14)},
      {"dot_kernel", product(10001)},
  };
}

}  // namespace example_runs
