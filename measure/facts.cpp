#include "measure/facts.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

#include <fmt/format.h>

namespace warpfold::measure {
namespace {

bool says_nan(std::string_view text) {
  constexpr std::string_view nan = "nan";
  const auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), nan.begin(), nan.end(), same) != text.end();
}

}  // namespace

std::string rung_label(const measurement& row) {
  return row.reference ? row.name : fmt::format("{:02} {}", row.number, row.name);
}

bool is_right(const measurement& row) {
  const verdict& v = row.verdict;
  const bool due = says_nan(v.expected), got = says_nan(v.result);
  return v.right && row.skipped.empty() && due == got &&
         (got || v.result == v.expected || v.error <= v.bound);
}

}  // namespace warpfold::measure
