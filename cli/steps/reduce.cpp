// warpfold steps reduce/…
#include "cli/steps/steps.hpp"

namespace warpfold::cli {

void describe(options& to) { describe_steps(to, ladder::reduce_entry()); }

}  // namespace warpfold::cli
