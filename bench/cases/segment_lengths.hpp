// The lengths of segments that the benchmarks have: uniform, a power law, one giant among short
// ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace warpfold::bench {

/// Offsets of segments whose lengths length(i) gives, n values in all.
template <class Length>
std::vector<std::uint32_t> offsets_by(std::size_t n, Length length) {
  std::vector<std::uint32_t> offsets{0};
  while (offsets.back() < n) {
    const std::size_t end = offsets.back() + length(offsets.size() - 1);
    offsets.push_back(static_cast<std::uint32_t>(std::min(end, n)));
  }
  return offsets;
}

/// Calls run(name, offsets) for each.
template <class Run>
void for_each_lengths(std::size_t n, Run run) {
  for (const std::size_t length : {1, 3, 7, 32, 1000, 1'000'000}) {
    run("of " + std::to_string(length), offsets_by(n, [=](std::size_t) { return length; }));
  }
  std::mt19937 random(5);
  run("power law", offsets_by(n, [&](std::size_t) {
        const double u = (static_cast<double>(random()) + 1) / 4294967296.0;
        return static_cast<std::size_t>(std::min(1e8, 2 / std::pow(u, 0.9)));
      }));
  const std::size_t others = std::min<std::size_t>(1'000'000, n / 8);
  run("of 3, one giant",
      offsets_by(n, [=](std::size_t i) { return i == others / 2 ? n - 3 * (others - 1) : 3; }));
}

}  // namespace warpfold::bench
