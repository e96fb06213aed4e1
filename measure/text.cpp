#include "measure/text.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace warpfold::measure {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

}  // namespace

std::string unbroken(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n' && result.ends_with('/')) continue;
    result += c == '\n' ? ' ' : c;
  }
  return result;
}

std::size_t display_width(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues));
}

std::string truncated(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return "";
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (!continues(text[end]) && ++columns == width) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string one_line(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
  return result;
}

std::string with_separators(double value, int decimals) {
  std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
  if (!std::isfinite(value)) return fmt::format("{}", value);
  const bool zero = digits.find_first_not_of("0.") == std::string::npos;
  for (std::size_t at = std::min(digits.find('.'), digits.size()); at > 3; at -= 3) {
    digits.insert(at - 3, ",");
  }
  return (value < 0 && !zero ? "-" : "") + digits;
}

std::string humanised(double value, std::string_view unit) {
  constexpr std::string_view prefixes = " kMGTPE";
  std::size_t prefix = 0;
  // 999.5 would round to a fourth digit.
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  const int decimals = prefix == 0 ? 0 : decimals_for(value);
  std::string result = with_separators(value, decimals);
  if (prefix == 0 && unit.empty()) return result;
  result += ' ';
  if (prefix > 0) result += prefixes[prefix];
  return result.append(unit);
}

std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

int decimals_for(double value) {
  const double size = std::abs(value);
  if (size == 0 || size >= 99.95) return 0;
  return size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : 4;
}

std::string significant(double value) { return with_separators(value, decimals_for(value)); }

}  // namespace warpfold::measure
