// Where basic blocks lie in the source, put into LLVM's assembly after the optimiser.
//
// The compiler gives a block's callback the line of the block's first instruction, which may be
// arithmetic that the optimiser moved there from another line, or have no line at all. What stays
// where the source has it is a call, a load or a store, and how the block ends.
#pragma once

#include <string>
#include <string_view>

namespace simt::source_step {

std::string with_block_positions(std::string_view assembly);

}  // namespace simt::source_step
