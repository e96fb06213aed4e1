// Shifts in code of the device: what C++ leaves undefined, a device clamps.
#pragma once

#include <cstddef>

#include "source.hpp"

namespace simt::source_step {

/// `t` is the first of << or >> or of <<= or >>=: the amount that follows is marked, so that
/// simt/shift.hpp sees to it. Nothing where it is a small number, or no shift.
void mark_shift(source& s, std::size_t t);

}  // namespace simt::source_step
