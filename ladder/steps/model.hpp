// From the record of a launch to readable steps: accesses become cells of named arrays, values that
// lanes exchange become an array of registers, phases that belong together become one step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ladder/steps/steps.hpp"
#include "simt/watch.hpp"

namespace warpfold::ladder {

/// An array in device memory, as the launch was given it.
struct device_array_name {
  std::string name;
  value_type type;
  std::uintptr_t begin;
  std::size_t bytes;
  bool is_input = false;
};

struct shared_layout {
  value_type type;          // of the values, or of the keys
  std::size_t value_bytes;  // of what travels with each key; 0: nothing does
};

/// Fills `arrays`, `steps` of `walk`; `known` come first among the arrays, in their order.
void add_steps(walkthrough& walk, std::span<const simt::watched_step> watched,
               std::span<const device_array_name> known, const shared_layout& shared);

}  // namespace warpfold::ladder
