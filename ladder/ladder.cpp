#include "ladder/ladder.hpp"

namespace warpfold::ladder {

std::span<const ladder_entry* const> ladders() {
  static const ladder_entry* const all[] = {&reduce_entry(), &scan_entry(), &sort_entry(),
                                            &histogram_entry(), &select_entry()};
  return all;
}

const ladder_entry& entry_of(ladder_kind kind) {
  return *ladders()[static_cast<std::size_t>(kind)];
}

}  // namespace warpfold::ladder
