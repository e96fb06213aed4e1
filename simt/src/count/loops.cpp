#include "simt/src/count/loops.hpp"

#include <algorithm>

namespace simt::detail {

std::uint32_t loop_nest::add_node() {
  if (next_.size() == nodes_) next_.emplace_back();
  next_[nodes_].clear();
  return nodes_++;
}

void loop_nest::add_edge(std::uint32_t from, std::uint32_t to) {
  auto& known = next_[from];
  if (std::find(known.begin(), known.end(), to) == known.end()) known.push_back(to);
}

void loop_nest::find() {
  loops_.assign(1, {0, 0, none});
  inner_.assign(nodes_, 0);
  for (std::uint32_t l = 0; l < loops_.size(); ++l) split(l);
}

/// Finds the cycles in a loop that don't pass its header: Tarjan's strongly connected components.
/// Without recursion, since a thread's stack is small.
void loop_nest::split(std::uint32_t loop) {
  order_.assign(nodes_, 0);
  low_.assign(nodes_, 0);
  std::uint32_t visited = 0;
  const auto visit = [&](std::uint32_t node) {
    order_[node] = low_[node] = ++visited;
    open_.push_back(node);
    path_.emplace_back(node, 0);
  };
  for (std::uint32_t start = 0; start < nodes_; ++start) {
    if (inner_[start] == loop && order_[start] == 0) visit(start);
    while (!path_.empty()) {
      auto& [node, done] = path_.back();
      if (done < next_[node].size()) {
        const std::uint32_t to = next_[node][done++];
        if (inner_[to] != loop || to == loops_[loop].header) continue;
        if (order_[to] == 0) {
          visit(to);
        } else {
          low_[node] = std::min(low_[node], order_[to]);  // none where a component is complete
        }
        continue;
      }
      const std::uint32_t root = node;
      path_.pop_back();
      if (!path_.empty()) {
        std::uint32_t& low = low_[path_.back().first];
        low = std::min(low, low_[root]);
      }
      if (low_[root] != order_[root]) continue;
      const auto first = std::find(open_.begin(), open_.end(), root);
      for (auto n = first; n != open_.end(); ++n) order_[*n] = none;
      add_loop(loop, {first, open_.end()});
      open_.erase(first, open_.end());
    }
  }
}

/// If these nodes are one.
void loop_nest::add_loop(std::uint32_t around, std::span<const std::uint32_t> nodes) {
  const std::uint32_t first = *std::min_element(nodes.begin(), nodes.end());
  if (nodes.size() == 1) {
    const auto& next = next_[first];
    if (first == loops_[around].header) return;
    if (std::find(next.begin(), next.end(), first) == next.end()) return;
  }
  const auto made = static_cast<std::uint32_t>(loops_.size());
  for (const std::uint32_t n : nodes) inner_[n] = made;
  // Where nobody entered it, the first block of all is as good as any.
  std::uint32_t header = none;
  for (std::uint32_t from = 0; from < nodes_; ++from) {
    if (inner_[from] == made) continue;
    for (const std::uint32_t to : next_[from]) {
      if (inner_[to] == made) header = std::min(header, to);
    }
  }
  loops_.push_back({around, loops_[around].depth + 1, header != none ? header : first});
}

bool loop_nest::contains(std::uint32_t outer, std::uint32_t inner) const {
  while (loops_[inner].depth > loops_[outer].depth) inner = loops_[inner].parent;
  return inner == outer;
}

}  // namespace simt::detail
