#include "cli/words.hpp"

#include <algorithm>

namespace warpfold::cli {

namespace {

/// Insertions, removals, replacements and swaps of neighbours that lead from one to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] =
          std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(' ');
  return from == text.npos ? "" : text.substr(from, text.find_last_not_of(' ') - from + 1);
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (auto end = text.find(at); end != text.npos; end = text.find(at)) {
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end + at.size());
  }
  parts.push_back(text);
  return parts;
}

std::string without_parentheses(std::string_view text) {
  std::string out;
  int open = 0;
  for (const char c : text) {
    open += c == '(';
    if (open == 0) out += c;
    open -= c == ')';
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out;
}

std::string nearest(std::string_view word, std::span<const std::string> known) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : known) {
    const std::size_t d = distance(word, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

std::vector<listed_value> listed_values(std::string_view description) {
  std::vector<listed_value> all;
  const auto lines = split(description, "\n");
  for (const std::string_view line : std::span(lines).subspan(1)) {
    const std::string_view text = trimmed(line);
    const auto end = std::min(text.find(' '), text.size());
    all.push_back({std::string(text.substr(0, end)), std::string(trimmed(text.substr(end)))});
  }
  if (!all.empty()) return all;
  const std::string text = without_parentheses(lines.front());
  for (const std::string_view part : split(split(text, ": ").back(), ", ")) {
    for (const std::string_view each :
         split(part.substr(part.starts_with("or ") ? 3 : 0), " or ")) {
      const std::string_view value = trimmed(each);
      if (value == "…") continue;
      if (value.empty() || value.find(' ') != value.npos) return {};
      all.push_back({std::string(value), ""});
    }
  }
  if (all.size() < 2) all.clear();
  return all;
}

std::string nearest_or(std::string_view word, std::span<const std::string> known,
                       const std::string& otherwise) {
  const std::string near = nearest(word, known);
  return near.empty() ? otherwise : "did you mean " + near + "?";
}

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  std::string all;
  for (const auto& one : known) all += (all.empty() ? "there are " : ", ") + one;
  return nearest_or(word, known, all);
}

}  // namespace warpfold::cli
