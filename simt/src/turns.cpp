#include "turns.hpp"

#include <algorithm>

#include "state.hpp"

namespace simt::detail {

void numbering::clear() {
  size_ = 0;
  if (++epoch_ != 0) return;
  slots_.clear();
  epoch_ = 1;
}

numbering::slot& numbering::find(std::uint64_t key) {
  std::size_t at = (key * 0x9E3779B97F4A7C15U) >> 32;
  for (;; ++at) {
    slot& s = slots_[at & (slots_.size() - 1)];
    if (s.epoch != epoch_ || s.key == key) return s;
  }
}

std::uint32_t numbering::operator()(std::uint32_t a, std::uint32_t b) {
  const std::uint64_t key = std::uint64_t{a} << 32 | b;
  if (2 * std::size_t{size_} >= slots_.size()) {
    std::vector<slot> fewer(std::max<std::size_t>(64, 2 * slots_.size()));
    fewer.swap(slots_);
    for (const slot& s : fewer) {
      if (s.epoch == epoch_) find(s.key) = s;
    }
  }
  slot& s = find(key);
  if (s.epoch != epoch_) s = {key, epoch_, size_++};
  return s.number;
}

namespace {

// Beside the numbers of loops, what leads from one turn to another.
constexpr std::uint32_t call_from = 1U << 31, again = call_from - 1;

}  // namespace

void turns::know_functions() {
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

bool turns::matter(std::span<const std::uint32_t> blocks) {
  know_functions();
  ++sequence_;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const std::uint32_t b = blocks[i];
    if (seen_[b] == sequence_ || (i != 0 && function_[b] == b)) return true;
    seen_[b] = sequence_;
  }
  return false;
}

void turns::begin_epoch() {
  for (const std::uint32_t b : blocks_) node_[b] = none;
  blocks_.clear();
  children_.clear();
  turns_.assign(1, {0, 0});
}

std::uint32_t turns::node_of(std::uint32_t block) {
  std::uint32_t& node = node_[block];
  if (node == none) {
    node = static_cast<std::uint32_t>(blocks_.size());
    blocks_.push_back(block);
    if (follow_.size() < blocks_.size()) follow_.emplace_back();
    follow_[node].clear();
  }
  return node;
}

void turns::begin_path(std::uint32_t carry) {
  frames_.assign(1, {function_[carry], carry != 0 ? node_of(carry) : none});
}

/// What was called last has returned to `function`, if that is known to have called.
void turns::leave_calls(std::uint32_t function) {
  auto f = frames_.end() - 1;
  while (f->function != function && f != frames_.begin()) --f;
  if (f->function == function) frames_.erase(f + 1, frames_.end());
}

/// The function that is running once `block` is entered.
turns::frame& turns::enter(std::uint32_t block) {
  const std::uint32_t function = function_[block];
  if (function == block && function != 0) {
    frame& from = frames_.back();
    from.call = from.call != none ? next(from.call)
                                  : child(from.turn, call_from | from.node, {from.turn, 0});
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

void turns::learn(const lane_path& p) {
  begin_path(p.carry);
  for (const std::uint32_t b : p.blocks) {
    frame& f = enter(b);
    const std::uint32_t from = std::exchange(f.node, node_of(b));
    if (from == none) continue;
    auto& known = follow_[from];
    if (std::find(known.begin(), known.end(), f.node) == known.end()) known.push_back(f.node);
  }
}

void turns::find_loops() {
  loops_.assign(1, {0, 0, none});
  inner_.assign(blocks_.size(), 0);
  for (std::uint32_t l = 0; l < loops_.size(); ++l) split(l);
}

/// Finds the cycles of a loop that don't pass its header: Tarjan's strongly connected components.
/// Without recursion, since a thread's stack is small.
void turns::split(std::uint32_t loop) {
  order_.assign(inner_.size(), 0);
  low_.assign(inner_.size(), 0);
  std::uint32_t visited = 0;
  const auto visit = [&](std::uint32_t node) {
    order_[node] = low_[node] = ++visited;
    open_.push_back(node);
    path_.emplace_back(node, 0);
  };
  for (std::uint32_t start = 0; start < inner_.size(); ++start) {
    if (inner_[start] != loop || order_[start] != 0) continue;
    visit(start);
    while (!path_.empty()) {
      const std::uint32_t node = path_.back().first;
      std::size_t& done = path_.back().second;
      if (done < follow_[node].size()) {
        const std::uint32_t to = follow_[node][done++];
        if (inner_[to] != loop || to == loops_[loop].header) continue;
        if (order_[to] == 0) {
          visit(to);
        } else if (order_[to] != none) {
          low_[node] = std::min(low_[node], order_[to]);
        }
        continue;
      }
      path_.pop_back();
      if (!path_.empty()) {
        std::uint32_t& low = low_[path_.back().first];
        low = std::min(low, low_[node]);
      }
      if (low_[node] != order_[node]) continue;
      const auto first = std::find(open_.begin(), open_.end(), node);
      for (auto n = first; n != open_.end(); ++n) order_[*n] = none;
      add_loop(loop, {first, open_.end()});
      open_.erase(first, open_.end());
    }
  }
}

/// If these nodes are one.
void turns::add_loop(std::uint32_t around, std::span<const std::uint32_t> nodes) {
  const std::uint32_t first = *std::min_element(nodes.begin(), nodes.end());
  const auto& after = follow_[first];
  const bool turns_to_itself =
      first != loops_[around].header && std::find(after.begin(), after.end(), first) != after.end();
  if (nodes.size() == 1 && !turns_to_itself) return;
  const auto made = static_cast<std::uint32_t>(loops_.size());
  for (const std::uint32_t n : nodes) inner_[n] = made;
  // The header is where it is entered; the first block seen if lanes began within.
  std::uint32_t header = none;
  for (std::uint32_t from = 0; from < inner_.size(); ++from) {
    if (inner_[from] == made) continue;
    for (const std::uint32_t to : follow_[from]) {
      if (inner_[to] == made) header = std::min(header, to);
    }
  }
  loops_.push_back({around, loops_[around].depth + 1, header != none ? header : first});
}

bool turns::contains(std::uint32_t outer, std::uint32_t inner) const {
  while (loops_[inner].depth > loops_[outer].depth) inner = loops_[inner].parent;
  return inner == outer;
}

std::uint32_t turns::child(std::uint32_t of, std::uint32_t tag, turn made) {
  const std::uint32_t t = children_(of, tag) + 1;
  if (t == turns_.size()) turns_.push_back(made);
  return t;
}

std::uint32_t turns::next(std::uint32_t t) { return child(t, again, turns_[t]); }

/// Leaves loops, enters others or begins their next turn.
void turns::move(frame& f, std::uint32_t node) {
  f.node = node;
  const std::uint32_t to = inner_[node];
  while (!contains(turns_[f.turn].loop, to)) f.turn = turns_[f.turn].parent;
  if (turns_[f.turn].loop == to) {
    if (loops_[to].header == node) f.turn = next(f.turn);
    return;
  }
  while (turns_[f.turn].loop != to) {
    std::uint32_t inner = to;
    while (loops_[inner].parent != turns_[f.turn].loop) inner = loops_[inner].parent;
    f.turn = child(f.turn, inner, {f.turn, inner});
  }
}

void turns::walk(const lane_path& p) {
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
      of_accesses.push_back(frames_.back().turn);
    }
    if (b == p.blocks.size()) return;
    frame& f = enter(p.blocks[b]);
    move(f, node_of(p.blocks[b]));
    of_blocks.push_back(f.turn);
  }
}

}  // namespace simt::detail
