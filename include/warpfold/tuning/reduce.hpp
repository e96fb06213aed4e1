// How reductions are shaped, by the bytes they read. Found by `./dev bench tune` on an H100.
#pragma once

#include <cstddef>

namespace warpfold::tuning {

/// One block, up to here.
struct reduce_tiny {
  static constexpr unsigned threads = 256;
  static constexpr unsigned loads = 4;  // of 16 bytes, in flight a thread
  static constexpr std::size_t at_most_bytes = std::size_t{16} << 10;
};
struct reduce_small {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 4;
  static constexpr std::size_t at_most_bytes = std::size_t{32} << 10;
};

/// As many blocks as give each thread one round of loads.
struct reduce_middle {
  static constexpr unsigned threads = 256;
  static constexpr unsigned loads = 4;
  static constexpr unsigned bytes_per_thread = 64;
  static constexpr unsigned blocks_per_multiprocessor = 3;
  static constexpr std::size_t at_most_bytes = std::size_t{3} << 20;
};

/// Every multiprocessor full.
struct reduce_wide {
  static constexpr unsigned threads = 512;
  static constexpr unsigned loads = 4;
  static constexpr unsigned bytes_per_thread = 64;
  static constexpr unsigned blocks_per_multiprocessor = 1;
  static constexpr std::size_t at_most_bytes = std::size_t{32} << 20;
};
struct reduce_large {
  static constexpr unsigned threads = 384;
  static constexpr unsigned loads = 8;
  static constexpr unsigned bytes_per_thread = 128;
  static constexpr unsigned blocks_per_multiprocessor = 2;
};

}  // namespace warpfold::tuning
