// The report page, with hand-ins as rows of their ladder's table.
#pragma once

#include <span>
#include <string>

#include "cli/judge/hand_in.hpp"
#include "cli/judge/ladder_rows.hpp"

namespace warpfold::cli::judge {

/// HTML: the stored rungs and the hand-ins, and the steps of the rungs that the hand-ins are like
/// and of the next faster ones.
std::string page_of(std::span<const verdict> all, const ladder_rows& rows);

}  // namespace warpfold::cli::judge
