// What compiler and machine tell each other: a table of the kernels of a file, and what a whole
// block's code asks of the machine. simt/src/run/plain.hpp has the machine's side.
#pragma once

#include <cstddef>
#include <cstdint>

/// A file's table is handed to the machine by the function of this name: whoever changes what
/// follows gives it another one, so that no program has parts that don't fit.
#define SIMT_TAKE_KERNELS simt_take_kernels_4
#define SIMT_NAME_OF(name) SIMT_NAME_AS_IT_IS(name)
#define SIMT_NAME_AS_IT_IS(name) #name

namespace simt::detail {

/// What a processor can run, each level all that the ones before it can: x86-64-v2, v3 and v4 less
/// what kernels make no use of. Others than x86-64 have the first alone.
enum class processor_level : unsigned { least, avx2, avx512 };
inline constexpr unsigned processor_levels = 3;

/// An entry of the table that the pass puts into each file of kernels.
struct plain_kernel {
  const void* kernel;  // as the launch names it
  /// Of the same type, by level; nullptr: as for the one before. None: as where somebody looks on.
  const void* code[processor_levels];
  const char* why;            // it is no call for each block, or ""
  const char* relies_at;      // where lanes must be in lockstep, "file.cu:7", or ""
  std::uint32_t kind;         // an engine_kind
  std::uint64_t frame_bytes;  // what a block's threads keep from one barrier to the next
};

/// What a block's code reads of the block that it shall run.
struct running_block {
  std::uint32_t block_index[3], block_size[3], grid_size[3], dynamic_bytes;
  void* dynamic_shared;
  void* frame;                           // plain_kernel::frame_bytes
  std::uint64_t barriers, applications;  // its code adds to these
};

/// What the lanes of a warp bring to operations that they meet in. Values have 4 bytes, or 8.
struct warp_meeting {
  std::uint32_t masks[32], sources[32];
  std::uint64_t values[32], all[32];  // `all`: what was brought when those that met had come
};

}  // namespace simt::detail
