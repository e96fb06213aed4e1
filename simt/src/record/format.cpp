#include "simt/src/record/format.hpp"

#include <algorithm>
#include <cstdio>

namespace simt::detail {

std::string with_separators(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string decimal(double value, int decimals) {
  std::string number = fixed(value, decimals);
  if (number.find('.') == std::string::npos) return number;
  if (number.find_last_not_of('0') == number.find('.')) number.erase(number.find('.'));
  return number;
}

std::string right(std::string text, std::size_t width) {
  const auto columns = static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
  if (columns < width) text.insert(0, width - columns, ' ');
  return text;
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace simt::detail
