#include "ladder/ladder.hpp"

#include <fmt/format.h>

#include "ladder/run/reduce_driver.hpp"
#include "ladder/run/scan_driver.hpp"
#include "ladder/run/sort_driver.hpp"
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

std::span<const ladder_entry> ladders() {
  static constexpr ladder_entry all[] = {
      {"reduce", &machine::reduce_rungs, reduce_ladder::sources, reduce_rungs_of_host},
      {"scan", &machine::scan_rungs, scan_ladder::sources, scan_rungs_of_host},
      {"sort", &machine::sort_rungs, sort_ladder::sources, sort_rungs_of_host},
  };
  return all;
}

const ladder_entry& find_ladder(std::string_view name) {
  std::string known;
  for (const auto& entry : ladders()) {
    if (entry.name == name) return entry;
    known += known.empty() ? "" : ", ";
    known += entry.name;
  }
  throw usage_error(fmt::format("there is no ladder {}; there are {}", name, known));
}

}  // namespace warpfold::ladder
