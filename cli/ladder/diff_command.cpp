// warpfold ladder diff: what one rung's kernel changes in another's.
#include <cstdio>
#include <iterator>
#include <memory>
#include <span>

#include <fmt/format.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/ladder/diff.hpp"
#include "cli/ladder/rungs.hpp"
#include "ladder/rung.hpp"
#include "measure/progress.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace reduce_ladder {
std::span<const rung_source> sources();
}
namespace scan_ladder {
std::span<const rung_source> sources();
}
namespace sort_ladder {
std::span<const rung_source> sources();
}

}  // namespace warpfold::ladder

namespace warpfold::cli {

namespace {

struct diff_options {
  ladder::ladder_kind ladder = ladder::ladder_kind::reduce;
  std::string from, to;
};

std::span<const ladder::rung_source> sources_of(ladder::ladder_kind kind) {
  switch (kind) {
    case ladder::ladder_kind::reduce: return ladder::reduce_ladder::sources();
    case ladder::ladder_kind::scan: return ladder::scan_ladder::sources();
    case ladder::ladder_kind::sort: return ladder::sort_ladder::sources();
  }
  return {};
}

const ladder::rung_source& choose_source(const diff_options& d, const std::string& wanted) {
  for (const auto& source : sources_of(d.ladder)) {
    if (is_named(number_of(source), name_of(source), wanted)) return source;
  }
  throw usage_error(fmt::format(
      "--rung {}: there is no kernel of that number or name; `warpfold ladder {} --list` lists "
      "the rungs",
      wanted, name_of(d.ladder)));
}

int show_diff(const diff_options& d) {
  const std::string text = kernel_diff(choose_source(d, d.from), choose_source(d, d.to),
                                       measure::shows_color(STDOUT_FILENO));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return 0;
}

}  // namespace

void describe(options& to) {
  const auto d = std::make_shared<diff_options>();
  to.value("LADDER", d->ladder, parse_ladder, "reduce, scan or sort", {.required = true});
  to.value("FROM", d->from, "A rung's number or name", {.required = true});
  to.value("TO", d->to, "A rung's number or name", {.required = true});
  to.then([d] { return show_diff(*d); });
}

}  // namespace warpfold::cli
