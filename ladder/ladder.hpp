// The list of ladders.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ladder/kind.hpp"
#include "ladder/machines/machine.hpp"
#include "ladder/rung.hpp"

namespace warpfold::ladder {

struct cost_row;

struct ladder_entry {
  ladder_kind kind;
  std::span<const rung* const> (*rungs)(backend_kind);
  std::span<const rung_source> (*sources)();
  instances (*instances_here)();           // what this program was linked with
  std::span<const description> (*host)();  // the rungs of the host, which every run begins with
  /// Sums of these values as i32 (or selections; sorts or histograms of them as u32), once and
  /// untimed, with their depth.
  std::vector<measure::measurement> (*run_once)(std::span<const std::uint32_t> values,
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
const ladder_entry& histogram_entry();
const ladder_entry& select_entry();

/// All of them.
std::span<const ladder_entry* const> ladders();

const ladder_entry& entry_of(ladder_kind kind);

}  // namespace warpfold::ladder
