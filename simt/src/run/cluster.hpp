// The blocks that one OS thread runs together: their memory, how they begin and end.
#pragma once

#include <cstdint>

#include "simt/src/run/model.hpp"

namespace simt::detail {

uint3 unflatten(std::uint64_t i, const dim3& shape);
/// Where the block is that has this number when clusters come one after another.
uint3 block_at(std::uint64_t number, const dim3& grid, const dim3& cluster);
/// Its number in the grid.
unsigned number_of(const block& b);
/// Its shared memory is what nobody wrote.
void clear_shared(block& b);
/// Whether this thread has written past the end of its stack.
bool overflowed(const lane& l);
/// The lane that was running has ended.
void end_lane(lane& self);

}  // namespace simt::detail
