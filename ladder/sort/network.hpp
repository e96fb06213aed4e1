// Sorting networks as lists of comparators, for any number of wires.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpfold/language.hpp"

namespace warpfold {

/// Afterwards wire `low` carries the smaller and wire `high` the greater of the two keys.
struct comparator {
  std::size_t low;   ///< The wire of the smaller key.
  std::size_t high;  ///< The wire of the greater key; low < high.
};

/// The networks there are.
enum class network_kind : std::uint8_t {
  odd_even_transposition,  ///< n layers, n(n - 1)/2 comparators: bubble sort side by side
  bitonic,                 ///< merges of runs, the first layer of each compares mirror images
  odd_even_merge,          ///< Batcher's other one: as deep as the bitonic, fewer comparators
};

/// The layers of a network that sorts n wires. The comparators of a layer share no wire, so they
/// work at the same time: the number of layers is the network's depth.
inline std::vector<std::vector<comparator>> network(std::size_t n, network_kind kind) {
  std::vector<std::vector<comparator>> layers;
  const auto add_layer = [&](std::size_t count, auto comparator_at) {
    std::vector<comparator> layer;
    for (std::size_t i = 0; i < count; ++i) {
      const comparator c = comparator_at(i);
      if (c.low < c.high && c.high < n) layer.push_back(c);
    }
    if (!layer.empty()) layers.push_back(std::move(layer));
  };
  // Wires beyond n carry keys greater than all others, which no comparator moves.
  const std::size_t wires = n < 2 ? n : std::bit_ceil(n);
  switch (kind) {
    case network_kind::odd_even_transposition:
      for (std::size_t round = 0; round < n; ++round) {
        add_layer(n / 2, [&](std::size_t t) {
          return comparator{2 * t + round % 2, 2 * t + round % 2 + 1};
        });
      }
      break;
    case network_kind::bitonic:
      for (std::size_t size = 2; size <= wires; size *= 2) {
        add_layer(wires, [&](std::size_t i) { return comparator{i, i ^ (size - 1)}; });
        for (std::size_t stride = size / 4; stride > 0; stride /= 2) {
          add_layer(wires, [&](std::size_t i) { return comparator{i, i ^ stride}; });
        }
      }
      break;
    case network_kind::odd_even_merge:
      for (std::size_t half = 1; half < wires; half *= 2) {
        for (std::size_t stride = half; stride > 0; stride /= 2) {
          add_layer(wires, [&](std::size_t i) {
            // The first layer compares the runs; the others skip a stride at each run's end.
            const std::size_t from = stride % half;
            const bool starts = i >= from && (i - from) / stride % 2 == 0;
            const bool in_one_pair = i / (2 * half) == (i + stride) / (2 * half);
            return starts && in_one_pair ? comparator{i, i + stride} : comparator{i, i};
          });
        }
      }
      break;
  }
  return layers;
}

}  // namespace warpfold
