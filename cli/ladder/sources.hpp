// The texts of the ladders' files.
#pragma once

#include <span>

#include "ladder/kind.hpp"
#include "ladder/rung.hpp"

namespace warpfold::cli {

struct ladder_sources {
  std::span<const ladder::rung_source> rungs, helpers;
};
ladder_sources sources_of(ladder::ladder_kind kind);

}  // namespace warpfold::cli
