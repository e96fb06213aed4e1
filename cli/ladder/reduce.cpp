// warpfold ladder reduce: every reduction side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/run.hpp"
#include "cli/parse.hpp"
#include "ladder/run/reduce_driver.hpp"

namespace warpfold::cli {

namespace {

struct reduce_options : ladder_options {
  ladder::operation op = ladder::operation::sum;
  ladder::finish finish = ladder::finish::relaunch;
};

ladder::finish parse_finish(std::string_view text) {
  if (text == "relaunch") return ladder::finish::relaunch;
  if (text == "host") return ladder::finish::host;
  throw usage_error("--finish " + std::string(text) + ": must be relaunch or host");
}

int run_reduce(const reduce_options& o) {
  const char* const finish = o.finish == ladder::finish::host ? "host" : "relaunch";
  return run_ladder(
      ladder::reduce_entry(),
      {.name = "reduce",
       .types = ladder::kernel_types,
       .copies = 3,
       .own_arguments = {"--op", std::string(name_of(o.op)), "--finish", finish},
       .as_by_default = o.op == ladder::operation::sum},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_values(type, o.op, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::run_reduce_ladder({.values = {input.type, input.bytes.data(), input.size()},
                                          .op = o.op,
                                          .block = block,
                                          .finish = o.finish,
                                          .samples = samples},
                                         where, rungs, report);
      });
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<reduce_options>();
  add_ladder_options(to, *o, "i32, i64, f32 or f64 (default: i32, or the file's)");
  to.value("--op", o->op, parse_operation, "sum, product, min, max, mean, and, or, xor");
  to.value("--finish", o->finish, parse_finish, "Where the partials are reduced: relaunch or host");
  to.then([o] { return run_reduce(*o); });
}

}  // namespace warpfold::cli
