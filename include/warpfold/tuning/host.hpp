// How the host's algorithms partition their work. Nothing here depends on the number of threads, so
// neither does a result.
#pragma once

#include <cstddef>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

struct host_cores {
  /// Folded by one thread at a time; what several passes over it read comes from the cache.
  static constexpr std::size_t reduce_chunk_bytes = std::size_t{128} << 10;
  static constexpr std::size_t exact_chunk_bytes = std::size_t{1} << 20;
  /// Read, then read again and written: in and out fit in the second-level cache together.
  static constexpr std::size_t scan_chunk_bytes = std::size_t{64} << 10;

  /// A radix sort parts more values than these among the threads.
  static constexpr std::size_t radix_parallel = std::size_t{1} << 16;
  /// It splits what takes more bytes by the highest digit, and sorts the rest from the lowest.
  static constexpr std::size_t radix_cache_bytes = std::size_t{512} << 10;
  /// It writes more bytes than these past the cache.
  static constexpr std::size_t radix_stream_bytes = std::size_t{4} << 20;
  /// So few values are merged instead.
  static constexpr std::size_t radix_merge = 128;

  /// More keys than these are partitioned among the threads for Highway's quicksort.
  static constexpr std::size_t vqsort_run = std::size_t{1} << 15;

  /// A merge sort parts its runs and its merges into shares of so many values.
  static constexpr std::size_t merge_share = std::size_t{1} << 13;
};

}  // namespace warpfold::tuning
