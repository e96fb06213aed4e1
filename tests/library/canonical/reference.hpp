// The canonical order, to carry away: docs/canonical.md describes it, and every implementation is
// held against this. `op` is any operator; it is applied to neighbours, the left one first.
#pragma once

#include <bit>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace canonical {

/// Of n >= 1 values: the left half is the largest power of two of them that is smaller than n.
template <class T, class Op>
T reduce(const T* x, std::size_t n, const Op& op) {
  if (n == 1) return x[0];
  const std::size_t left = std::bit_ceil(n) / 2;
  return op(reduce(x, left, op), reduce(x + left, n - left, op));
}

/// out[i] = what precedes x[i + 1]: init, and the complete nodes in front of it, from left to
/// right. An exclusive scan has init in out[0] and these results one place later.
template <class T, class Op>
void inclusive_scan(const T* x, std::size_t n, T* out, std::optional<T> init, const Op& op) {
  std::vector<std::pair<T, std::optional<T>>> nodes;  // each with what precedes it
  for (std::size_t i = 0; i < n; ++i) {
    std::pair<T, std::optional<T>> node{x[i], i == 0 ? init : out[i - 1]};
    for (std::size_t digit = 1; i & digit; digit *= 2) {  // the node on the left is as large
      node = {op(nodes.back().first, node.first), nodes.back().second};
      nodes.pop_back();
    }
    out[i] = node.second ? op(*node.second, node.first) : node.first;
    nodes.push_back(std::move(node));
  }
}

}  // namespace canonical
