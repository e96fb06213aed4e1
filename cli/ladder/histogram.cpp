// warpfold ladder histogram: every histogram side by side.
#include "cli/ladder/input.hpp"
#include "cli/ladder/run.hpp"
#include "ladder/run/histogram_driver.hpp"

namespace warpfold::cli {

namespace {

struct histogram_options : ladder_options {
  key_pattern values = key_pattern::random;
  unsigned bins = ladder::default_bins;
};

int run_histogram_ladder(const histogram_options& o) {
  return run_ladder(
      ladder::histogram_entry(),
      {.name = "histogram",
       .n = std::size_t{1} << 20,
       .types = ladder::counted_types,
       .copies = 4,
       .own_arguments = {"--bins", std::to_string(o.bins), "--values",
                         std::string(name_of(o.values))}},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_bins(type, o.values, n, o.bins, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::run_histogram_ladder(
            {.values = {input.type, input.bytes.data(), input.size()},
             .bins = o.bins,
             .block = block,
             .samples = samples},
            where, rungs, report);
      });
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<histogram_options>();
  add_ladder_options(to, *o, "u32, i32, u64 or i64 (default: u32, or the file's)");
  to.value("--bins", o->bins, parse_bins, "Number of bins; bin k counts the values that are k");
  to.value("--values", o->values, parse_key_pattern,
           "random, sorted, reversed, constant, few (8 different)");
  to.then([o] { return run_histogram_ladder(*o); });
}

}  // namespace warpfold::cli
