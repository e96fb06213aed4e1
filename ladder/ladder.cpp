#include "ladder/ladder.hpp"

#include <fmt/format.h>

#include "warpfold/error.hpp"

namespace warpfold::ladder {

std::span<const ladder_entry* const> ladders() {
  static const ladder_entry* const all[] = {&reduce_entry(), &scan_entry(), &sort_entry()};
  return all;
}

const ladder_entry& find_ladder(std::string_view name) {
  std::string known;
  for (const auto* entry : ladders()) {
    if (entry->name == name) return *entry;
    known += known.empty() ? "" : ", ";
    known += entry->name;
  }
  throw usage_error(fmt::format("there is no ladder {}; there are {}", name, known));
}

}  // namespace warpfold::ladder
