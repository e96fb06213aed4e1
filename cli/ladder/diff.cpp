#include "cli/ladder/diff.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace warpfold::cli {

namespace {

using lines = std::vector<std::string>;

/// The kernel: from its template line to the description that follows it.
lines kernel_of(const ladder::rung_source& source) {
  const std::string_view text = source.text;
  const auto start = text.rfind("\ntemplate", text.find("__global__"));
  const auto end = text.find("\nstruct ", text.find("__global__"));
  std::string body(text.substr(start + 1, end - start - 1));
  const std::string own = std::string(source.stem.substr(3)) + "_kernel";
  if (const auto at = body.find(own); at != std::string::npos)
    body.replace(at, own.size(), "kernel");
  lines all;
  for (std::size_t from = 0; from < body.size();) {
    const auto to = std::min(body.find('\n', from), body.size());
    all.push_back(body.substr(from, to - from));
    from = to + 1;
  }
  while (!all.empty() && all.back().empty()) all.pop_back();
  return all;
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

std::string kernel_diff(const ladder::rung_source& from, const ladder::rung_source& to,
                        bool color) {
  const lines a = kernel_of(from);
  const lines b = kernel_of(to);
  const auto all = edits(a, b);
  const auto painted = [&](const char* code, const std::string& text) {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m\n", code, text) : text + "\n";
  };
  std::string out = painted("1", "--- " + title_of(from)) + painted("1", "+++ " + title_of(to));
  constexpr std::size_t context = 3;
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
    out +=
        painted("36", fmt::format("@@ -{},{} +{},{} @@", line_a, count('+'), line_b, count('-')));
    for (std::size_t k = start; k < end; ++k) {
      const std::string text = all[k].sign + *all[k].text;
      out += all[k].sign == ' ' ? text + "\n" : painted(all[k].sign == '-' ? "31" : "32", text);
      line_a += all[k].sign != '+';
      line_b += all[k].sign != '-';
    }
    i = end;
  }
  return out;
}

}  // namespace warpfold::cli
