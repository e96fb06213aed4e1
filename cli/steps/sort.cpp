// warpfold steps sort/…
#include "cli/steps/steps.hpp"

namespace warpfold::cli {

void describe(options& to) { describe_steps(to, ladder::sort_entry()); }

}  // namespace warpfold::cli
