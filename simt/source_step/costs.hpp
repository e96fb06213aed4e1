// What each basic block of a kernel file costs a device, put beside its place in clang's table of
// basic blocks.
#pragma once

#include <string>
#include <string_view>

#include "simt/abi/block_costs.hpp"

namespace simt::source_step {

/// LLVM's assembly of a kernel file, with the costs.
std::string with_costs(std::string_view assembly);

}  // namespace simt::source_step
