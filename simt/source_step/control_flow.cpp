#include "control_flow.hpp"

#include <algorithm>

namespace simt::source_step {

namespace {

using view = std::string_view;

view label_from(view text, std::size_t at) {
  if (text.substr(at, 1) == "\"") return text.substr(at, text.find('"', at + 1) + 1 - at);
  return name_from(text, at);
}

/// By label, with what stands in them.
std::unordered_map<view, std::size_t> parse(view body, std::vector<basic_block>& blocks) {
  std::unordered_map<view, std::size_t> by_label;
  blocks.emplace_back();
  for_each_line(body, [&](view line) {
    if (line.find(guard_call) != npos) {
      blocks.back().number = number_of(line);
    } else if (line.starts_with("  ")) {
      blocks.back().code.emplace_back(line);
    } else if (!line.empty() && line.find(':') != npos) {
      const auto end = line[0] == '"' ? line.find('"', 1) + 1 : line.find(':');
      if (!blocks.back().code.empty()) blocks.emplace_back();
      blocks.back().label = line.substr(0, end);
      by_label[blocks.back().label] = blocks.size() - 1;
    }
  });
  return by_label;
}

/// The strongly connected parts, by Tarjan's search without recursion.
class loop_search {
 public:
  explicit loop_search(std::vector<basic_block>& blocks)
      : blocks_(blocks),
        order_(blocks.size(), npos),
        low_(blocks.size()),
        next_(blocks.size(), 0),
        open_(blocks.size(), false) {}

  void run() {
    for (std::size_t root = 0; root < blocks_.size(); ++root) {
      if (order_[root] == npos) enter(root);
      while (!way_.empty()) go_on();
    }
  }

 private:
  void enter(std::size_t v) {
    order_[v] = low_[v] = time_++;
    stack_.push_back(v);
    open_[v] = true;
    way_.push_back(v);
  }
  void go_on() {
    const std::size_t v = way_.back();
    if (next_[v] < blocks_[v].successors.size()) {
      const std::size_t to = blocks_[v].successors[next_[v]++];
      if (order_[to] == npos) {
        enter(to);
      } else if (open_[to]) {
        low_[v] = std::min(low_[v], order_[to]);
      }
      return;
    }
    way_.pop_back();
    if (!way_.empty()) low_[way_.back()] = std::min(low_[way_.back()], low_[v]);
    if (low_[v] == order_[v]) close(v);
  }
  void close(std::size_t v) {
    const auto& to = blocks_[v].successors;
    const bool is_loop = stack_.back() != v || std::find(to.begin(), to.end(), v) != to.end();
    if (is_loop) ++parts_;
    for (bool last = false; !last; stack_.pop_back()) {
      last = stack_.back() == v;
      open_[stack_.back()] = false;
      blocks_[stack_.back()].loop = is_loop ? parts_ : 0;
    }
  }

  std::vector<basic_block>& blocks_;
  std::vector<std::size_t> order_, low_, next_, stack_, way_;
  std::vector<bool> open_;
  std::size_t time_ = 0, parts_ = 0;
};

}  // namespace

control_flow::control_flow(view body) {
  const auto by_label = parse(body, blocks);
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    basic_block& b = blocks[k];
    for (const instruction& i : b.code) {
      if (!i.to.empty()) made[i.to] = {k, &i};
      for (auto at = i.rest.find("label %"); at != npos; at = i.rest.find("label %", at + 1)) {
        const auto to = by_label.find(label_from(i.rest, at + 7));
        if (to != by_label.end()) b.successors.push_back(to->second);
      }
    }
    for (const std::size_t to : b.successors) ++blocks[to].ways_there;
  }
  loop_search(blocks).run();
}

}  // namespace simt::source_step
