#include "kernel_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

struct extent {
  std::uint64_t alignment, bytes;
};

struct function {
  std::map<view, extent> variables;
  std::set<view> callees;
  std::uint64_t locals = 0;
  view kernel_body;                       // what it gives run_kernel, if it is a kernel
  std::array<std::uint64_t, 4> limits{};  // and what its attributes say
};
struct module {
  std::map<view, function> functions;
  std::map<view, view> structs;
};

std::uint64_t number_at(view text) {
  std::uint64_t n = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') break;
    n = 10 * n + static_cast<unsigned>(c - '0');
  }
  return n;
}
std::uint64_t last_number(view text) { return number_at(text.substr(text.rfind(' ') + 1)); }

/// A type of LLVM's, without what aligns the members of a struct.
std::uint64_t bytes_of(const module& m, view type) {
  constexpr std::uint64_t word = 8;
  while (type.starts_with(" ") || type.starts_with("<{")) type.remove_prefix(1);
  if (type.empty() || type.ends_with("*") || type.starts_with("ptr")) return word;
  if (type[0] == '[' || type[0] == '<') {
    const auto by = type.find(" x ");
    if (by == npos) return 0;
    return number_at(type.substr(1)) * bytes_of(m, type.substr(by + 3, type.size() - by - 4));
  }
  if (type[0] == '{') {
    std::size_t end = 0;
    std::uint64_t sum = 0;
    for (const view member : arguments_at(type, 0, end)) sum += bytes_of(m, member);
    return sum;
  }
  if (type[0] == '%') {
    const auto found = m.structs.find(type);
    return found != m.structs.end() ? bytes_of(m, found->second) : 0;
  }
  if (type[0] == 'i') return (number_at(type.substr(1)) + 7) / 8;
  return type == "float" ? word / 2 : word;
}

/// A line of a function's body.
void read(const module& m, view line, function& f) {
  if (const auto at = line.find(" = alloca "); at != npos) {
    const auto type = line.substr(at + 10);
    f.locals += bytes_of(m, type.substr(0, type.find(", align")));
    return;
  }
  const auto at = line.find('@');
  if (at == npos || (line.find("call ") == npos && line.find("invoke ") == npos)) return;
  const view callee = name_at(line, at);
  const auto open = at + 1 + callee.size();
  if (line.substr(open, 1) != "(") return;
  f.callees.insert(callee);
  if (callee.find("6detail13shared_objectE") != npos) {
    std::size_t end = 0;
    const auto arguments = arguments_at(line, open, end);
    const auto tag = arguments.at(0).find('@');
    if (tag == npos) return;
    f.variables[name_at(arguments[0], tag)] = {.alignment = last_number(arguments.at(2)),
                                               .bytes = last_number(arguments.at(1))};
  } else if (callee.find("6detail10run_kernelE") != npos) {
    const auto body = line.find('@', open);
    if (body == npos) return;
    f.kernel_body = name_at(line, body);
    std::size_t end = 0;
    const auto arguments = arguments_at(line, open, end);
    constexpr std::size_t first_limit = 4;
    for (std::size_t i = 0; i < f.limits.size(); ++i) {
      f.limits[i] = last_number(arguments.at(first_limit + i));
    }
  }
}

module read_module(view text) {
  module m;
  function* in = nullptr;
  for_each_line(text, [&](view line) {
    if (const auto type = line.find(" = type "); line.starts_with("%") && type != npos) {
      m.structs[line.substr(0, type)] = line.substr(type + 8);
    } else if (line.starts_with("define ")) {
      in = &m.functions[name_at(line, line.find('@'))];
    } else if (line == "}") {
      in = nullptr;
    } else if (in != nullptr) {
      read(m, line, *in);
    }
  });
  return m;
}

/// What `name` reaches: its variables, and the longest stack of locals, returned.
std::uint64_t reach(const module& m, view name, std::set<view>& seen,
                    std::map<view, extent>& variables) {
  const auto f = m.functions.find(name);
  if (f == m.functions.end() || !seen.insert(name).second) return 0;
  variables.insert(f->second.variables.begin(), f->second.variables.end());
  std::uint64_t deepest = 0;
  for (const view callee : f->second.callees) {
    deepest = std::max(deepest, reach(m, callee, seen, variables));
  }
  return f->second.locals + deepest;
}

/// As a device's linker lays them out: the most aligned ones first.
std::uint64_t laid_out(const std::map<view, extent>& variables) {
  std::multimap<std::uint64_t, std::uint64_t, std::greater<>> by_alignment;
  for (const auto& [tag, e] : variables) by_alignment.emplace(e.alignment, e.bytes);
  std::uint64_t end = 0;
  for (const auto& [alignment, bytes] : by_alignment) {
    end = (end + alignment - 1) / alignment * alignment + bytes;
  }
  return end;
}

view unquoted(view name) { return name.starts_with('"') ? name.substr(1, name.size() - 2) : name; }

}  // namespace

std::string with_kernel_sizes(view text) {
  const module m = read_module(text);
  std::string out(text);
  for (const auto& [name, f] : m.functions) {
    if (f.kernel_body.empty()) continue;
    std::set<view> seen;
    std::map<view, extent> variables;
    const std::uint64_t locals = reach(m, f.kernel_body, seen, variables);
    out.append("module asm \".pushsection simt_kernel_sizes,\\22aw\\22\"\n")
        .append("module asm \".quad \\22")
        .append(unquoted(name))
        .append("\\22, " + std::to_string(laid_out(variables)) + ", " + std::to_string(locals));
    for (const std::uint64_t limit : f.limits) out.append(", " + std::to_string(limit));
    out.append("\"\nmodule asm \".popsection\"\n");
  }
  return out;
}

}  // namespace simt::source_step
