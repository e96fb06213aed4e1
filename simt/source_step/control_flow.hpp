// The basic blocks of a function in LLVM's assembly: where each leads, and the loops that they
// form.
#pragma once

#include <cstddef>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "instruction.hpp"
#include "text_lines.hpp"

namespace simt::source_step {

using value_names = std::unordered_set<std::string_view>;

inline bool has_any_of(std::string_view text, const value_names& of) {
  bool found = false;
  for_each_value(text, [&](std::string_view name) { found |= of.contains(name); });
  return found;
}

/// Where a load or store goes: what stands behind the type of what is loaded; the last value of a
/// store, or all of one between constants.
inline std::string_view pointer_of(const instruction& i) {
  const auto at = i.opcode == "load" ? i.rest.find(", ") : i.rest.rfind('%');
  return at == npos ? i.rest : i.rest.substr(at);
}

struct basic_block {
  std::string_view label;
  std::size_t number = npos;  // npos: it has no callback
  std::vector<instruction> code;
  std::vector<std::size_t> successors;
  std::size_t loop = 0;  // its strongly connected part; 0: of no loop
  unsigned ways_there = 0;
};

struct control_flow {
  struct maker {
    std::size_t block;
    const instruction* by;
  };
  std::vector<basic_block> blocks;
  std::unordered_map<std::string_view, maker> made;  // by the value's name

  explicit control_flow(std::string_view body);
  control_flow(const control_flow&) = delete;
  control_flow& operator=(const control_flow&) = delete;
};

}  // namespace simt::source_step
