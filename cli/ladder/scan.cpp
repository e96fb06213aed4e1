// warpfold ladder scan: every prefix scan side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/run.hpp"
#include "cli/parse.hpp"
#include "ladder/run/scan_driver.hpp"

namespace warpfold::cli {

namespace {

struct scan_options : ladder_options {
  ladder::operation op = ladder::operation::sum;
  bool exclusive = false;
};

int run_scan_ladder(const scan_options& o) {
  std::vector<std::string> own{"--op", std::string(name_of(o.op))};
  if (o.exclusive) own.emplace_back("--exclusive");
  return run_ladder(
      ladder::scan_entry(),
      {.name = "scan",
       .types = ladder::kernel_types,
       .copies = 6,
       .own_arguments = own,
       .as_by_default = o.op == ladder::operation::sum},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_values(type, o.op, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::run_scan_ladder({.values = {input.type, input.bytes.data(), input.size()},
                                        .op = o.op,
                                        .exclusive = o.exclusive,
                                        .block = block,
                                        .samples = samples},
                                       where, rungs, report);
      });
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<scan_options>();
  add_ladder_options(to, *o, "i32, i64, f32 or f64 (default: i32, or the file's)");
  to.value("--op", o->op, parse_operation, "sum, product, min, max, and, or, xor");
  to.flag("--exclusive", o->exclusive, "Exclude each value from its own result");
  to.then([o] { return run_scan_ladder(*o); });
}

}  // namespace warpfold::cli
