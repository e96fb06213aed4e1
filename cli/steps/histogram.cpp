// warpfold steps histogram/…
#include "cli/steps/steps.hpp"

namespace warpfold::cli {

void describe(options& to) { describe_steps(to, ladder::histogram_entry()); }

}  // namespace warpfold::cli
