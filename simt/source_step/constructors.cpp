#include "constructors.hpp"

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

std::string warnings_of_constructors(view assembly, view rewritten) {
  constexpr view function = "_ZN4simt6detail11constructedI";
  std::string warnings;
  declaration inside;
  for_each_line(assembly, [&](view line) {
    if (line.starts_with("define ") && line.find(function) != npos) {
      inside = variable_in(name_at(line, line.find('@')), rewritten);
    } else if (line == "}" || line.starts_with("  ret void")) {
      inside = {};
    } else if (!inside.name.empty() && line.starts_with("  ")) {
      warnings += inside.place + ": warning: no constructor runs for the __shared__ variable '" +
                  std::string(inside.name) + "': assign to it in the kernel\n";
      inside = {};
    }
  });
  return warnings;
}

}  // namespace simt::source_step
