// The page's sources: they are put in when the program is compiled.
#pragma once

#include <span>
#include <string_view>

namespace simt::page {

struct asset {
  std::string_view name, text;  // "player.js"
};

/// In the order in which the page has them.
std::span<const asset> assets();

}  // namespace simt::page
