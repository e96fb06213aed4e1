#include "cli/ladder/diff.hpp"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

using lines = std::vector<std::string>;
using rung_sources = std::span<const ladder::rung_source>;

const ladder::rung_source& source_of(rung_sources sources, const ladder::rung& r) {
  for (const auto& s : sources) {
    if (s.stem.starts_with(fmt::format("{:02}_", r.about.number))) return s;
  }
  throw error("ladder diff: the source of rung " + std::string(r.about.name) + " is not built in");
}

/// The kernel: from its template line to the description that follows it.
lines kernel_of(rung_sources sources, const ladder::rung& r) {
  const auto& source = source_of(sources, r);
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

std::string kernel_diff(std::span<const ladder::rung_source> sources, const ladder::rung& from,
                        const ladder::rung& to, bool color) {
  const lines a = kernel_of(sources, from);
  const lines b = kernel_of(sources, to);
  const auto all = edits(a, b);
  const auto painted = [&](const char* code, const std::string& text) {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m\n", code, text) : text + "\n";
  };
  std::string out = painted("1", fmt::format("--- {:02} {}", from.about.number, from.about.name)) +
                    painted("1", fmt::format("+++ {:02} {}", to.about.number, to.about.name));
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
