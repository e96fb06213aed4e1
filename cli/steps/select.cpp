// warpfold steps select/…
#include "cli/steps/steps.hpp"

namespace warpfold::cli {

void describe(options& to) { describe_steps(to, ladder::select_entry()); }

}  // namespace warpfold::cli
