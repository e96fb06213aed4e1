#include "simt/src/count/loop_iterations.hpp"

#include <algorithm>

#include "simt/src/run/basic_blocks.hpp"

namespace simt::detail {

namespace {

// Beside the numbers of loops, what leads from one iteration to another.
constexpr std::uint32_t call_from = 1U << 31, again = call_from - 1;

}  // namespace

void loop_iterations::know_functions() {
  if (function_.size() == known_blocks() + 1) return;
  function_.assign(known_blocks() + 1, 0);
  seen_.assign(function_.size(), 0);
  node_.assign(function_.size(), none);
  blocks_.clear();
  functions_ = known_functions();
  for (const auto& [position, first] : functions_) function_[first] = first;
  for (std::size_t b = 1; b < function_.size(); ++b) {
    if (function_[b] == 0) function_[b] = function_[b - 1];
  }
  std::sort(functions_.begin(), functions_.end());
}

bool loop_iterations::matter(std::span<const std::uint32_t> blocks) {
  know_functions();
  ++sequence_;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t b = blocks[i];
    if (seen_[b] == sequence_ || (i != 0 && function_[b] == b)) return true;
    seen_[b] = sequence_;
  }
  return false;
}

void loop_iterations::begin_epoch() {
  for (const std::uint32_t b : blocks_) node_[b] = none;
  blocks_.clear();
  loops_.clear();
  children_.clear();
  iterations_.assign(1, {0, 0});
}

std::uint32_t loop_iterations::node_of(std::uint32_t block) {
  std::uint32_t& node = node_[block];
  if (node == none) {
    node = loops_.add_node();
    blocks_.push_back(block);
  }
  return node;
}

void loop_iterations::begin_path(std::uint32_t carry) {
  frames_.assign(1, {function_[carry], carry != 0 ? node_of(carry) : none});
}

/// What was called last has returned to `function`, if that is known to have called.
void loop_iterations::leave_calls(std::uint32_t function) {
  auto f = frames_.end() - 1;
  while (f->function != function && f != frames_.begin()) --f;
  if (f->function == function) frames_.erase(f + 1, frames_.end());
}

/// The function that is running once `block` is entered.
loop_iterations::frame& loop_iterations::enter(std::uint32_t block) {
  const std::uint32_t function = function_[block];
  if (function == block && function != 0) {
    frame& from = frames_.back();
    from.call = from.call != none
                    ? next(from.call)
                    : child(from.iteration, call_from | from.node, {from.iteration, 0});
    frames_.push_back({function, none, from.call});
    return frames_.back();
  }
  if (frames_.back().function != function) {
    leave_calls(function);
    if (frames_.back().function != function) frames_.assign(1, {function});
  }
  frames_.back().call = none;
  return frames_.back();
}

void loop_iterations::learn(const lane_path& p) {
  begin_path(p.carry);
  for (const std::uint32_t b : p.blocks) {
    frame& f = enter(b);
    const std::uint32_t from = std::exchange(f.node, node_of(b));
    if (from != none) loops_.add_edge(from, f.node);
  }
}

std::uint32_t loop_iterations::child(std::uint32_t of, std::uint32_t tag, iteration made) {
  const std::uint32_t t = children_(of, tag) + 1;
  if (t == iterations_.size()) {
    iterations_.push_back(made);
    if (made.first == 0) iterations_.back().first = t;
  }
  return t;
}

std::uint32_t loop_iterations::next(std::uint32_t t) {
  iteration made = iterations_[t];
  ++made.number;
  return child(t, again, made);
}

/// Leaves loops, enters others or begins their next iteration.
void loop_iterations::move(frame& f, std::uint32_t node) {
  f.node = node;
  const std::uint32_t to = loops_.around(node);
  while (!loops_.contains(iterations_[f.iteration].loop, to))
    f.iteration = iterations_[f.iteration].parent;
  if (iterations_[f.iteration].loop == to && loops_.at(to).header == node)
    f.iteration = next(f.iteration);
  while (iterations_[f.iteration].loop != to) {
    std::uint32_t inner = to;
    while (loops_.at(inner).parent != iterations_[f.iteration].loop)
      inner = loops_.at(inner).parent;
    f.iteration = child(f.iteration, inner, {f.iteration, inner});
  }
}

void loop_iterations::follow(const lane_path& p) {
  of_blocks.clear();
  of_accesses.clear();
  begin_path(p.carry);
  if (frames_.front().node != none) move(frames_.front(), frames_.front().node);
  for (std::size_t b = 0;; ++b) {
    while (of_accesses.size() < p.accesses.size() && p.accesses[of_accesses.size()].after == b) {
      if (frames_.size() > 1) {  // whose access it is: what that function called has returned
        const std::pair at{position_of(p.accesses[of_accesses.size()].site), none};
        const auto above = std::upper_bound(functions_.begin(), functions_.end(), at);
        if (above != functions_.begin()) leave_calls(above[-1].second);
      }
      of_accesses.push_back(frames_.back().iteration);
    }
    if (b == p.blocks.size()) return;
    frame& f = enter(p.blocks[b]);
    move(f, node_of(p.blocks[b]));
    of_blocks.push_back(f.iteration);
  }
}

}  // namespace simt::detail
