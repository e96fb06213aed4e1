// warpfold steps: one program a ladder, with the same options.
#pragma once

#include "cli/command.hpp"
#include "ladder/ladder.hpp"

namespace warpfold::cli {

void describe_steps(options& to, const ladder::ladder_entry& here);

}  // namespace warpfold::cli
