// The steps of a rung as JSON, for your own drawings and animations.
#pragma once

#include <string>
#include <string_view>

#include "ladder/steps/steps.hpp"

namespace warpfold::cli {

/// One object, a line for each array and each step; docs/json.md has its keys.
std::string steps_json(const ladder::walkthrough& w, std::string_view rung);

}  // namespace warpfold::cli
