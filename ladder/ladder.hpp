// The ladders that there are.
#pragma once

#include <span>
#include <string_view>

#include "ladder/machines/machine.hpp"
#include "ladder/rung.hpp"

namespace warpfold::ladder {

struct ladder_entry {
  std::string_view name;
  std::span<const rung* const> (machine::*rungs)() const;
  std::span<const rung_source> (*sources)();
  std::span<const description> (*host)();  // the rungs of the host, which every climb begins with
};

std::span<const ladder_entry> ladders();

/// Throws usage_error when there is no ladder of this name.
const ladder_entry& find_ladder(std::string_view name);

}  // namespace warpfold::ladder
