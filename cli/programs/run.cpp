// warpfold run: a CUDA program on the CPU machine, in one step.
#include <memory>

#include "cli/programs/program.hpp"

namespace warpfold::cli {

void describe(options& to) {
  const auto o = std::make_shared<programs::program_options>();
  describe_program(to, *o);
  to.then([o] { return programs::same_ending(programs::run_program(*o, {})); });
}

}  // namespace warpfold::cli
