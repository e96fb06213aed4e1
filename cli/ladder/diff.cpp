#include "cli/ladder/diff.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/ladder/source_items.hpp"
#include "cli/text_diff.hpp"

namespace warpfold::cli {

namespace {

/// One side of the comparison.
struct compared {
  lines text;
  std::vector<source_item> helpers;  // that the text names, and that these name
};

/// How the host launches the rung: its members but for what it says of itself.
std::string host_part(const source_item& rung) {
  std::string text = rung.text.substr(0, rung.text.find('\n') + 1);
  for (const source_item& member : members_of(rung)) {
    constexpr std::string_view said[] = {"about", "work", "depth_limit", "textbook"};
    if (std::find(std::begin(said), std::end(said), member.name) == std::end(said)) {
      text += member.text;
    }
  }
  return text + "};\n";
}

/// The rung's kernels, or how the host launches them. A rung that calls the library has no kernel:
/// the call is its lesson.
compared side_of(const ladder::rung_source& rung, std::span<const source_item> shared,
                 diff_of what) {
  const auto items = items_of(rung);
  std::string kernels, host;
  std::vector<source_item> helpers(shared.begin(), shared.end());
  for (const source_item& item : items) {
    if (item.kind == item_kind::helper) helpers.push_back(item);
    if (item.kind == item_kind::kernel) kernels += (kernels.empty() ? "" : "\n") + item.text;
    if (item.kind == item_kind::rung) host = host_part(item);
  }
  std::string text = what == diff_of::host || kernels.empty() ? host : kernels;
  compared side;
  for (const source_item* helper : used_by(text, helpers)) side.helpers.push_back(*helper);
  const std::string own = std::string(rung.stem.substr(3)) + "_kernel";
  for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos;) {
    text.replace(at, own.size(), "kernel");
  }
  side.text = lines_of(text);
  return side;
}

/// "12 sequential"
std::string title_of(const ladder::rung_source& rung) {
  return fmt::format("{} {}", rung.stem.substr(0, 2), name_of(rung));
}

}  // namespace

int number_of(const ladder::rung_source& rung) {
  return (rung.stem[0] - '0') * 10 + rung.stem[1] - '0';
}

std::string name_of(const ladder::rung_source& rung) {
  std::string name(rung.stem.substr(3));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

namespace {

/// The helpers of one side that the other does not use, each as a hunk of its own.
std::string helpers_only_in(const compared& side, const compared& other, char sign,
                            const painter& paint) {
  std::string out;
  for (const source_item& helper : side.helpers) {
    const bool shared = std::any_of(other.helpers.begin(), other.helpers.end(), [&](const auto& h) {
      return h.name == helper.name && h.text == helper.text;
    });
    if (shared) continue;
    out += paint.hunk(fmt::format("@@ {}: {} @@", helper.file, helper.name));
    for (const std::string& line : lines_of(helper.text)) out += paint.changed(sign, line);
  }
  return out;
}

}  // namespace

std::string rung_diff(const ladder::rung_source& from, const ladder::rung_source& to,
                      std::span<const ladder::rung_source> shared, diff_of what, bool color) {
  std::vector<source_item> helpers;
  for (const auto& file : shared) {
    for (source_item& item : items_of(file)) helpers.push_back(std::move(item));
  }
  const compared a = side_of(from, helpers, what), b = side_of(to, helpers, what);
  const painter paint(color);
  return paint.titles(title_of(from), title_of(to)) + hunks(a.text, b.text, paint) +
         helpers_only_in(a, b, '-', paint) + helpers_only_in(b, a, '+', paint);
}

}  // namespace warpfold::cli
