#include "simt/registers.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace simt {

namespace {

constexpr auto npos = std::string_view::npos;

/// What stands between two texts; empty where they don't.
std::string_view between(std::string_view line, std::string_view before, std::string_view after) {
  const auto at = line.find(before);
  if (at == npos) return {};
  const auto from = at + before.size();
  const auto to = line.find(after, from);
  return to == npos ? std::string_view{} : line.substr(from, to - from);
}

int number_behind(std::string_view line, std::string_view before) {
  const auto at = line.find(before);
  int number = 0;
  if (at != npos)
    std::from_chars(line.data() + at + before.size(), line.data() + line.size(), number);
  return number;
}

/// void kernel<int>(int const*, int): without what stands around its name.
std::string kernel_of(std::string_view symbol) {
  const std::string mangled(symbol);
  const std::unique_ptr<char, void (*)(void*)> known(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr), std::free);
  if (known == nullptr) return mangled;
  std::string_view name = known.get();
  if (name.ends_with(")")) {
    std::size_t at = name.size(), depth = 0;
    do {
      --at;
      if (name[at] == ')') ++depth;
      if (name[at] == '(') --depth;
    } while (depth != 0 && at != 0);
    name = name.substr(0, at);
  }
  if (name.starts_with("void ")) name.remove_prefix(5);
  return std::string(name);
}

}  // namespace

register_table::register_table(std::string_view printed) {
  std::string kernel;
  int capability = 0;
  while (!printed.empty()) {
    const auto line = printed.substr(0, printed.find('\n'));
    printed.remove_prefix(std::min(printed.size(), line.size() + 1));
    if (const int of = number_behind(line, "sm_"); of != 0) capability = of;
    for (const auto symbol :
         {between(line, "entry function '", "'"), between(line, " Function ", ":")}) {
      if (!symbol.empty() && symbol.find(' ') == npos) kernel = kernel_of(symbol);
    }
    const int used = number_behind(line, line.find("REG:") == npos ? ": Used " : "REG:");
    if (used > 0 && capability != 0 && !kernel.empty())
      of_[kernel][capability] = static_cast<unsigned>(used);
  }
}

std::map<int, unsigned> register_table::of(const std::string& kernel) const {
  const auto known = of_.find(kernel);
  return known == of_.end() ? std::map<int, unsigned>{} : known->second;
}

}  // namespace simt
