// warpfold ladder reduce: every reduction side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/frame.hpp"
#include "cli/parse.hpp"
#include "ladder/climb.hpp"

namespace warpfold::cli {

namespace {

struct options : ladder_options {
  std::string op = "sum", finish = "relaunch";
};

ladder::finish parse_finish(const std::string& text) {
  if (text == "relaunch") return ladder::finish::relaunch;
  if (text == "host") return ladder::finish::host;
  throw usage_error("--finish " + text + ": there are relaunch and host");
}

int climb_reduce(const options& o) {
  const ladder::operation op = parse_operation(o.op);
  const ladder::finish finish = parse_finish(o.finish);
  return run_ladder(
      {.name = "reduce",
       .types = ladder::kernel_types,
       .copies = 3,
       .own_arguments = {"--op", o.op, "--finish", o.finish}},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_values(type, op, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::climb({.values = {input.type, input.bytes.data(), input.size()},
                              .op = op,
                              .block = block,
                              .finish = finish,
                              .samples = samples},
                             where, rungs, report);
      });
}

}  // namespace

void add_ladder_reduce(CLI::App& ladder, action& chosen) {
  auto* const reduce = ladder.add_subcommand("reduce", "The reductions, rung by rung");
  const auto o = std::make_shared<options>();
  add_frame_options(*reduce, *o, "i32, i64, f32 or f64 (default: i32, or the file's)");
  reduce->add_option("--op", o->op, "sum, product, min, max, mean, and, or, xor");
  reduce->add_option("--finish", o->finish, "How partials become one value: relaunch or host");
  reduce->callback([=, &chosen] { chosen = [o] { return climb_reduce(*o); }; });
}

}  // namespace warpfold::cli
