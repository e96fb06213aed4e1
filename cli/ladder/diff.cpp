#include "cli/ladder/diff.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/ladder/source_items.hpp"

namespace warpfold::cli {

namespace {

using lines = std::vector<std::string>;

lines lines_of(const std::string& text) {
  lines all;
  for (std::size_t from = 0; from < text.size();) {
    const auto to = std::min(text.find('\n', from), text.size());
    all.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  while (!all.empty() && all.back().empty()) all.pop_back();
  return all;
}

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

struct edit {
  char sign;  // ' ', '-' or '+'
  const std::string* text;
};

/// Longest common subsequence, by the table: kernels have a page at most.
std::vector<edit> edits(const lines& a, const lines& b) {
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<edit> all;
  std::size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      all.push_back({' ', &a[i]});
      ++i, ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      all.push_back({'-', &a[i++]});
    } else {
      all.push_back({'+', &b[j++]});
    }
  }
  return all;
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

/// Lines as on a terminal, in colour or not.
class painter {
 public:
  explicit painter(bool color) : color_(color) {}
  std::string operator()(const char* code, const std::string& text) const {
    return color_ ? fmt::format("\x1b[{}m{}\x1b[0m\n", code, text) : text + "\n";
  }
  std::string changed(char sign, const std::string& text) const {
    return (*this)(sign == '-' ? "31" : "32", sign + text);
  }
  std::string hunk(const std::string& text) const { return (*this)("36", text); }

 private:
  bool color_;
};

std::string hunks(const std::vector<edit>& all, const painter& paint) {
  constexpr std::size_t context = 3;
  std::string out;
  std::size_t line_a = 1, line_b = 1;
  for (std::size_t i = 0; i < all.size();) {
    // A hunk: from three lines before a change until six unchanged lines follow one.
    std::size_t first = i;
    while (first < all.size() && all[first].sign == ' ') ++first;
    if (first == all.size()) break;
    const std::size_t start = first - std::min(context, first - i);
    std::size_t last = first;
    for (std::size_t k = first; k < all.size() && k <= last + 2 * context; ++k) {
      if (all[k].sign != ' ') last = k;
    }
    const std::size_t end = std::min(all.size(), last + 1 + context);
    line_a += start - i;
    line_b += start - i;
    const auto count = [&](char skip) {
      return std::count_if(all.begin() + static_cast<std::ptrdiff_t>(start),
                           all.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](const edit& e) { return e.sign != skip; });
    };
    out += paint.hunk(fmt::format("@@ -{},{} +{},{} @@", line_a, count('+'), line_b, count('-')));
    for (std::size_t k = start; k < end; ++k) {
      out +=
          all[k].sign == ' ' ? " " + *all[k].text + "\n" : paint.changed(all[k].sign, *all[k].text);
      line_a += all[k].sign != '+';
      line_b += all[k].sign != '-';
    }
    i = end;
  }
  return out;
}

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
  return paint("1", "--- " + title_of(from)) + paint("1", "+++ " + title_of(to)) +
         hunks(edits(a.text, b.text), paint) + helpers_only_in(a, b, '-', paint) +
         helpers_only_in(b, a, '+', paint);
}

}  // namespace warpfold::cli
