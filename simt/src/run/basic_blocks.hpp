// The basic blocks of all kernels in the process, as the compiler numbers and places them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "simt/abi/block_costs.hpp"

namespace simt::detail {

/// How many there are; their numbers are 1 to this.
std::uint32_t known_blocks();
/// Where one begins in the code; 0 if the compiler did not say.
std::uintptr_t position_of_block(std::uint32_t id);
/// Whether it is the position of a basic block.
bool begins_block(std::uintptr_t position);
/// Where every function begins in the code, and its first basic block.
std::vector<std::pair<std::uintptr_t, std::uint32_t>> known_functions();
/// What one costs.
instruction_counts cost_of_block(std::uint32_t id);
/// What each basic block costs, by its number.
std::vector<instruction_counts> known_costs();

}  // namespace simt::detail
