#include "cli/text_diff.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace warpfold::cli {

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

namespace {

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

std::string painter::in(const char* code, const std::string& text) const {
  return color_ ? fmt::format("\x1b[{}m{}\x1b[0m\n", code, text) : text + "\n";
}

std::string painter::titles(const std::string& from, const std::string& to) const {
  return in("1", "--- " + from) + in("1", "+++ " + to);
}

std::string painter::hunk(const std::string& text) const { return in("36", text); }

std::string painter::changed(char sign, const std::string& text) const {
  return in(sign == '-' ? "31" : "32", sign + text);
}

std::string hunks(const lines& from, const lines& to, const painter& paint) {
  const std::vector<edit> all = edits(from, to);
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

}  // namespace warpfold::cli
