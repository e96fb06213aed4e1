// warpfold steps scan/…
#include "cli/steps/steps.hpp"

namespace warpfold::cli {

void describe(options& to) { describe_steps(to, ladder::scan_entry()); }

}  // namespace warpfold::cli
