// warpfold steps: one program a ladder, with the same options.
#pragma once

#include "cli/command.hpp"
#include "ladder/ladders.hpp"

namespace warpfold::cli {

void describe_steps(options& to, const ladder::ladder_entry& here);

}  // namespace warpfold::cli
