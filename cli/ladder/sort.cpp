// warpfold ladder sort: every sort side by side.
#include <algorithm>

#include "cli/ladder/input.hpp"
#include "cli/ladder/frame.hpp"
#include "ladder/climb_sort.hpp"
#include "warpfold/error.hpp"

namespace warpfold::cli {

namespace {

struct options : ladder_options {
  options() { n = "2^16"; }
  std::string keys = "random";
  bool pairs = false, descending = false;
};

int climb_sort(const options& o) {
  const key_pattern pattern = parse_key_pattern(o.keys);
  std::vector<std::string> own{"--keys", o.keys};
  if (o.pairs) own.emplace_back("--pairs");
  if (o.descending) own.emplace_back("--descending");
  return run_ladder(
      {.name = "sort",
       .types = ladder::key_types,
       .copies = o.pairs ? 12U : 8U,
       .own_arguments = own},
      o,
      [&](value_type type, std::size_t n, std::uint64_t seed) {
        return random_keys(type, pattern, n, seed);
      },
      [&](ladder::machine& where, auto rungs, const data::array& input, unsigned block,
          unsigned samples, const ladder::report_progress& report) {
        return ladder::climb_sort({.keys = {input.type, input.bytes.data(), input.size()},
                                   .pairs = o.pairs,
                                   .descending = o.descending,
                                   .block = block,
                                   .samples = samples},
                                  where, rungs, report);
      });
}

}  // namespace

void add_ladder_sort(CLI::App& ladder, action& chosen) {
  auto* const sort = ladder.add_subcommand("sort", "The sorts, rung by rung");
  const auto o = std::make_shared<options>();
  add_frame_options(*sort, *o, "u32, i32, f32, u64 or f64 (default: u32, or the file's)");
  sort->add_flag("--pairs", o->pairs, "u32 values travel with the keys");
  sort->add_flag("--descending", o->descending, "The greatest key first; NaN is the greatest");
  sort->add_option("--keys", o->keys, "random, sorted, reversed, constant, few (8 different)");
  sort->callback([=, &chosen] { chosen = [o] { return climb_sort(*o); }; });
}

}  // namespace warpfold::cli
