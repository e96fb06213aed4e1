// Kernels as simt/pass compiles them for launches that nobody looks on at: which there are, and how
// a worker runs blocks as a whole.
#pragma once

#include "simt/abi/kernel_table.hpp"
#include "simt/launch.hpp"
#include "simt/src/run/model.hpp"

namespace simt::detail {

/// What the pass made of the kernel, or of the function that calls it; nullptr: nothing, or of no
/// use on this processor.
const plain_kernel* find_plain(const void* code);

/// In whole blocks: the thread with this number in its block is now the one that runs.
void name_thread(std::uint32_t thread);

/// In whole blocks: the block's threads can't go on so. Fibers say where they are.
[[noreturn]] void part_threads(const char* why);

/// Lets the grid run the plain kernel, if there is one and nobody needs more.
void choose_engine(grid& g, const run_options& options);

}  // namespace simt::detail
