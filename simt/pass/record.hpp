// What the pass and the machine tell each other: a table of the kernels of a file, and what a whole
// block's code asks of the machine. simt/src/run/plain.hpp has the machine's side.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simt::detail {

/// An entry of the table that the pass puts into each file of kernels.
struct plain_kernel {
  const void* kernel;         // as the launch names it
  const void* code;           // of the same type; nullptr: as where somebody looks on
  const char* why;            // it is no call for each block, or ""
  std::uint32_t kind;         // an engine_kind
  std::uint32_t ends;         // 1: all its loops are known to end
  std::uint64_t frame_bytes;  // what a block's threads keep from one barrier to the next
};

/// What a block's code reads of the block that it shall run.
struct running_block {
  std::uint32_t block_index[3], block_size[3], grid_size[3], dynamic_bytes;
  void* dynamic_shared;
  void* frame;                           // plain_kernel::frame_bytes
  std::uint64_t barriers, applications;  // its code adds to these
};

}  // namespace simt::detail
