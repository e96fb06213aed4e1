#include "constructors.hpp"

#include <utility>

#include "text_lines.hpp"

namespace simt::source_step {

namespace {

using view = std::string_view;

struct declaration {
  view name;
  std::string place;  // file:line
};

/// The variable that a mangled name is about: it has "15simt_shared_2_x" in it, its struct's name
/// behind the length of that.
declaration variable_in(view mangled, view rewritten) {
  constexpr view prefix = "simt_shared_";
  const auto at = mangled.find(prefix);
  if (at == npos) return {};
  for (auto digit = mangled.find_last_not_of("0123456789", at - 1) + 1; digit < at; ++digit) {
    const view group =
        mangled.substr(at, std::stoul(std::string(mangled.substr(digit, at - digit))));
    const auto declared = rewritten.find("struct " + std::string(group) + " {");
    if (declared == npos) continue;  // another name ends with a digit before
    const auto end = group.find('_', prefix.size());
    const auto quote = rewritten.find('"', rewritten.rfind("\n# ", declared)) + 1;
    return {group.substr(end + 1),
            std::string(rewritten.substr(quote, rewritten.find('"', quote) - quote)) + ":" +
                std::string(group.substr(prefix.size(), end - prefix.size()))};
  }
  return {};
}

}  // namespace

std::string warnings_of_constructors(std::string& messages, view rewritten) {
  constexpr view begin = "simt: constructor ";  // simt/observe/constructors.cpp
  std::string warnings, rest;
  for_each_line(messages, [&](view line) {
    if (!line.starts_with(begin)) return void(rest.append(line).append("\n"));
    const declaration variable = variable_in(line.substr(begin.size()), rewritten);
    warnings += variable.place + ": warning: no constructor runs for the __shared__ variable '" +
                std::string(variable.name) + "': assign to it in the kernel\n";
  });
  if (!warnings.empty()) messages = std::move(rest);
  return warnings;
}

}  // namespace simt::source_step
