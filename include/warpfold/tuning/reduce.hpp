// How reductions are shaped, by the bytes they read. Found by `./dev bench tune` on an H100.
#pragma once

#include <cstddef>

namespace warpfold::tuning {

/// A block, at most.
inline constexpr unsigned reduce_threads = 512;

/// One warp, as long as each lane has no more values than these.
struct reduce_few {
  static constexpr unsigned items = 8;
};
/// One block, up to here.
struct reduce_tiny {
  static constexpr unsigned threads = 256;
  static constexpr unsigned loads = 4;  // of 16 bytes, in flight a thread
  static constexpr std::size_t at_most_bytes = std::size_t{16} << 10;
};
struct reduce_small {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 4;
  static constexpr std::size_t at_most_bytes = std::size_t{64} << 10;
};

/// As many blocks as give each thread one round of loads, or a multiprocessor's full.
struct reduce_middle {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 4;
  static constexpr unsigned bytes_per_thread = 64;
  static constexpr unsigned blocks_per_multiprocessor = 2;
  static constexpr std::size_t at_most_bytes = std::size_t{96} << 20;
};
struct reduce_large {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 8;
  static constexpr unsigned bytes_per_thread = 128;
  static constexpr unsigned blocks_per_multiprocessor = 4;
};
/// Where what is accumulated fills the registers.
struct reduce_heavy {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 8;
  static constexpr unsigned bytes_per_thread = 64;
  static constexpr unsigned blocks_per_multiprocessor = 1;
};

// Of many rows. A warp or less folds a short one.
inline constexpr unsigned rows_threads = 256;
inline constexpr std::size_t most_bytes_of_short_row = 4096;
/// A block folds a long row, or no less than this of it.
struct rows_long {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 4;
  static constexpr unsigned blocks_per_multiprocessor = 2;
};
inline constexpr std::size_t least_part_bytes = std::size_t{32} << 10;

}  // namespace warpfold::tuning
