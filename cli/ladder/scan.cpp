// warpfold ladder scan: every prefix scan side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/frame.hpp"
#include "cli/parse.hpp"
#include "ladder/climb_scan.hpp"

namespace warpfold::cli {

namespace {

struct options : ladder_options {
  std::string op = "sum";
  bool exclusive = false;
};

int climb_scan(const options& o) {
  const ladder::operation op = parse_operation(o.op);
  std::vector<std::string> own{"--op", o.op};
  if (o.exclusive) own.emplace_back("--exclusive");
  return run_ladder(
      {.name = "scan", .types = ladder::kernel_types, .copies = 6, .own_arguments = own}, o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_values(type, op, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::climb_scan({.values = {input.type, input.bytes.data(), input.size()},
                                   .op = op,
                                   .exclusive = o.exclusive,
                                   .block = block,
                                   .samples = samples},
                                  where, rungs, report);
      });
}

}  // namespace

void add_ladder_scan(CLI::App& ladder, action& chosen) {
  auto* const scan = ladder.add_subcommand("scan", "The prefix scans, rung by rung");
  const auto o = std::make_shared<options>();
  add_frame_options(*scan, *o, "i32, i64, f32 or f64 (default: i32, or the file's)");
  scan->add_option("--op", o->op, "sum, product, min, max, and, or, xor");
  scan->add_flag("--exclusive", o->exclusive, "Each result without the value at its own place");
  scan->callback([=, &chosen] { chosen = [o] { return climb_scan(*o); }; });
}

}  // namespace warpfold::cli
