// warpfold ladder select: every selection side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/run.hpp"
#include "cli/parse.hpp"
#include "ladder/run/select_driver.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct select_options : ladder_options {
  unsigned keep = 50;
};

unsigned parse_percent(std::string_view option, std::string_view text) {
  const std::size_t percent = parse_size(option, text);
  if (percent > 100)
    throw usage_error(std::string(option) + " " + std::string(text) + ": must be 0 to 100");
  return static_cast<unsigned>(percent);
}

int run_select_ladder(const select_options& o) {
  return run_ladder(
      ladder::select_entry(),
      {.name = "select",
       .n = std::size_t{1} << 20,
       .types = ladder::kernel_types,
       .copies = 8,
       .own_arguments = {"--keep", std::to_string(o.keep)}},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_kept(type, o.keep, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::run_select_ladder({.values = {input.type, input.bytes.data(), input.size()},
                                          .block = block,
                                          .samples = samples},
                                         where, rungs, report);
      });
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<select_options>();
  add_ladder_options(to, *o, "i32, i64, f32 or f64 (default: i32, or the file's)");
  to.value("--keep", o->keep, parse_percent, "Percent of the random values that are not 0");
  to.then([o] { return run_select_ladder(*o); });
}

}  // namespace warpfold::cli
