// How work and depth grow with n, as JSON.
#pragma once

#include <span>
#include <string>

#include "ladder/ladder.hpp"
#include "ladder/run/scaling.hpp"

namespace warpfold::cli {

struct scaling_result {
  unsigned block = 0;
  std::span<const ladder::scaling_row> one_block, blocks;
  std::span<const ladder::cost_row> cost;
};

/// One object; docs/json.md has its keys.
std::string scaling_json(const ladder::ladder_entry& here, const scaling_result& found);

}  // namespace warpfold::cli
