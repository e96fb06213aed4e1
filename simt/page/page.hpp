// The page to look at: one file of HTML that shows JSON documents, and asks no network for
// anything.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace simt::page {

/// What docs/json.md describes: measurements, steps, a report.
struct document {
  std::string name;  // of the file that it came from, or of what made it
  std::string json;  // bytes that are no UTF-8 are shown as U+FFFD
};

std::string html_of(std::span<const document> documents, std::string_view title);

/// With U+FFFD for what is no UTF-8.
std::string valid_utf8(std::string_view text);

}  // namespace simt::page
