// The ladders that there are.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "ladder/machines/machine.hpp"
#include "ladder/rung.hpp"

namespace warpfold::ladder {

struct cost_row;

struct ladder_entry {
  std::string_view name;
  std::span<const rung* const> (machine::*rungs)() const;
  std::span<const rung_source> (*sources)();
  instances (*instances_here)();  // what this program was linked with
  std::span<const description> (*host)();  // the rungs of the host, which every climb begins with
  /// Sums of these values as i32 (or sorts of them as u32), once and untimed, with their depth.
  std::vector<measure::measurement> (*climb_once)(std::span<const std::uint32_t> values,
                                                  unsigned block, machine& where,
                                                  std::span<const rung* const> rungs);
  bool to_one_value = false;  // launches go on until one value is left
  /// What a sum costs by the number of threads; null where nobody reckons it.
  std::vector<cost_row> (*cost)(std::size_t n, unsigned block) = nullptr;
};

/// Each in its ladder's own library: a program with one of them holds no other ladder's kernels.
const ladder_entry& reduce_entry();
const ladder_entry& scan_entry();
const ladder_entry& sort_entry();

/// All three.
std::span<const ladder_entry* const> ladders();

/// Throws usage_error when there is no ladder of this name.
const ladder_entry& find_ladder(std::string_view name);

}  // namespace warpfold::ladder
