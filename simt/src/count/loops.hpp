// The loops of a control flow graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace simt::detail {

/// A loop is a cycle of the graph, or several with a node in common; loops within it are the cycles
/// that are left without the edges to its header, where it is entered. Nodes are numbered from 0.
class loop_nest {
 public:
  static constexpr std::uint32_t none = ~0U;
  struct loop {
    std::uint32_t parent, depth, header;
  };

  void clear() { nodes_ = 0; }
  std::uint32_t add_node();
  void add_edge(std::uint32_t from, std::uint32_t to);
  /// Once all edges are known; from then on the rest.
  void find();

  /// The innermost loop of a node; 0 for none.
  [[nodiscard]] std::uint32_t around(std::uint32_t node) const { return inner_[node]; }
  [[nodiscard]] const loop& at(std::uint32_t l) const { return loops_[l]; }
  [[nodiscard]] bool contains(std::uint32_t outer, std::uint32_t inner) const;

 private:
  void split(std::uint32_t loop);
  void add_loop(std::uint32_t around, std::span<const std::uint32_t> nodes);

  std::uint32_t nodes_ = 0;
  std::vector<std::vector<std::uint32_t>> next_;  // by node
  std::vector<std::uint32_t> inner_;              // by node
  std::vector<loop> loops_;                       // the first is none at all

  // Of split: by node, and the nodes that may still turn out to be in one cycle.
  std::vector<std::uint32_t> order_, low_, open_;
  std::vector<std::pair<std::uint32_t, std::size_t>> path_;
};

}  // namespace simt::detail
