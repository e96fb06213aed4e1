// Launches that hang: who waits where, and who will never come.
#pragma once

#include <vector>

#include "simt/src/run/model.hpp"

namespace simt::detail {

/// Ends the launch: no lane of `stuck` can go on, or all that can `spins` without progress.
void give_up(const cluster& stuck, bool spins);

/// The threads that do the same, and the first of them.
struct crowd {
  const lane* first;
  place at;
  bool spins;
  unsigned count;
};
std::vector<crowd> crowds_of(const block& b);

}  // namespace simt::detail
