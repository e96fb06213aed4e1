// warpfold ladder sort: every sort side by side.
#include <algorithm>

#include "cli/ladder/input.hpp"
#include "cli/ladder/run.hpp"
#include "ladder/run/sort_driver.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct sort_options : ladder_options {
  key_pattern keys = key_pattern::random;
  bool pairs = false, descending = false;
};

int run_sort_ladder(const sort_options& o) {
  std::vector<std::string> own{"--keys", std::string(name_of(o.keys))};
  if (o.pairs) own.emplace_back("--pairs");
  if (o.descending) own.emplace_back("--descending");
  return run_ladder(
      ladder::sort_entry(),
      {.name = "sort",
       .n = std::size_t{1} << 16,
       .types = ladder::key_types,
       .copies = o.pairs ? 12U : 8U,
       .own_arguments = own,
       .as_by_default = !o.pairs && !o.descending},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_keys(type, o.keys, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::run_sort_ladder({.keys = {input.type, input.bytes.data(), input.size()},
                                        .pairs = o.pairs,
                                        .descending = o.descending,
                                        .block = block,
                                        .samples = samples},
                                       where, rungs, report);
      });
}

}  // namespace

void describe(options& to) {
  const auto o = std::make_shared<sort_options>();
  add_ladder_options(to, *o, "u32, i32, f32, u64 or f64 (default: u32, or the file's)");
  to.flag("--pairs", o->pairs, "Also move u32 values with the keys");
  to.flag("--descending", o->descending, "Sort the greatest key first; NaN is the greatest");
  to.value("--keys", o->keys, parse_key_pattern,
           "random, sorted, reversed, constant, few (8 different)");
  to.then([o] { return run_sort_ladder(*o); });
}

}  // namespace warpfold::cli
