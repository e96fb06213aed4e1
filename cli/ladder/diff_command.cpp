// warpfold ladder: one subcommand a ladder, and diff.
#include <cstdio>
#include <memory>

#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/ladder/diff.hpp"
#include "cli/parse.hpp"
#include "ladder/ladders.hpp"

namespace warpfold::cli {

namespace {

struct diff_options {
  std::string ladder, from, to;
};

int show_diff(const diff_options& d) {
  const auto& chosen = ladder::find_ladder(d.ladder);
  const auto machine = ladder::make_simt_machine();
  const auto rungs = (*machine.*chosen.rungs)();
  const std::string text =
      kernel_diff(chosen.sources(), choose_rung(d.from, rungs, chosen.host()),
                  choose_rung(d.to, rungs, chosen.host()), isatty(STDOUT_FILENO) == 1);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

void add_ladder(CLI::App& app, action& chosen) {
  auto* const ladder = app.add_subcommand("ladder", "Run the steps of an algorithm side by side");
  ladder->require_subcommand(1);
  add_ladder_reduce(*ladder, chosen);
  add_ladder_scan(*ladder, chosen);
  add_ladder_sort(*ladder, chosen);
  add_ladder_streams(*ladder, chosen);

  auto* const diff = ladder->add_subcommand("diff", "What changed between two rungs' kernels");
  const auto d = std::make_shared<diff_options>();
  diff->add_option("LADDER", d->ladder, "reduce, scan or sort")->required();
  diff->add_option("FROM", d->from, "A rung's number or name")->required();
  diff->add_option("TO", d->to, "A rung's number or name")->required();
  diff->callback([=, &chosen] { chosen = [d] { return show_diff(*d); }; });
}

}  // namespace warpfold::cli
