#include "cli/ladder/run.hpp"

#include "cli/ladder/report.hpp"
#include "cli/ladder/rungs.hpp"
#include "cli/ladder/scaling.hpp"
#include "cli/program.hpp"
#include "ladder/machines/ncu.hpp"
#include "measure/facts.hpp"
#include "measure/progress.hpp"

namespace warpfold::cli {

namespace {

/// Whether the instances that the table shows by default do: the others take long to compile, and
/// are in a program of their own where a first build shall be short.
bool is_default_problem(const ladder_command& what, const ladder_options& o) {
  return what.as_by_default && o.file.empty() && o.type.value_or(what.types[0]) == what.types[0] &&
         !o.scaling;
}

/// A rung that throws leaves no row, but findings that explain it.
std::vector<measure::measurement> run_rungs(ladder::machine& where,
                                            std::span<const ladder::rung* const> rungs,
                                            const data::array& input, const ladder_options& o,
                                            const run_function& run) {
  measure::progress progress(true);
  try {
    auto rows = run(where, rungs, input, o.block, o.samples,
                    [&](std::string_view which, std::size_t index, std::size_t total) {
                      progress.update(which, index, total);
                    });
    progress.erase();
    return rows;
  } catch (...) {
    progress.erase();
    print_findings(o, where);
    throw;
  }
}

}  // namespace

int run_ladder(const ladder::ladder_entry& here, const ladder_command& what,
               const ladder_options& o, const random_source& random, const run_function& run) {
  if (here.instances_here() == ladder::instances::one && !is_default_problem(what, o)) {
    throw other_program{program_of("ladder " + std::string(name_of(here.kind)) + " all")};
  }
  const auto on_simt = here.rungs(ladder::backend_kind::simt);
  if (o.why && !o.list) throw usage_error("--why: needs --list");
  if (o.list) {
    list_rungs(on_simt, here.host(), o.why);
    return 0;
  }
  if (o.scaling) {
    check_scaling(o);
    return run_scaling(here, choose_rungs(o.rungs, on_simt, here.host()),
                       o.n.value_or(std::size_t{1} << 20), o.block, o.json);
  }
  const auto machine = open_machine(o);
  const auto rungs = choose_rungs(o.rungs, here.rungs(machine->backend()), here.host());
  const data::array input = read_input(what, o, random);
  auto rows = run_rungs(*machine, rungs, input, o, run);
  if (o.counters && machine->backend() == ladder::backend_kind::cuda) {
    ladder::add_ncu_counters(rows, arguments_for_ncu(what, o));
  }
  return report_run(o, here, rungs, rows, *machine) ? 0 : 1;
}

}  // namespace warpfold::cli
