// How the first k of many keys are found: who samples, what is listed, and from when on a row is
// read by many blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpfold/language.hpp"

namespace warpfold::tuning {

struct top_k {
  static constexpr unsigned threads = 512;          // of a block that reads
  static constexpr unsigned finish_threads = 1024;  // of one that samples or orders for many
  static constexpr unsigned blocks_per_multiprocessor = 2;
  static constexpr unsigned words = 4;      // of 16 bytes that a thread loads at a time
  static constexpr unsigned staged = 1024;  // candidates that a block gathers for the common list
  static constexpr unsigned listed = 6144;  // candidates of a block that reads a row alone
  static constexpr unsigned finish_listed = 22'528;  // that one orders in its shared memory
  static constexpr unsigned sorted_at_once = 512;    // candidates that need no selection before
  static constexpr unsigned most = 2048;             // k; more are found by a sort of all keys
  static constexpr unsigned most_samples = 16'384;
  /// A block reads a row of so many bytes in less time than three launches take. (On an H200, rows
  /// of 128 KiB take 20 us alone, those of 512 KiB 28; of 1 MiB, by many blocks, 21.)
  static constexpr std::size_t alone_to = std::size_t{128} << 10;
  static constexpr std::size_t most_shared_rows = 1024;  // rows that many blocks read, at most
};

/// What a sample of n keys says of the k that come first.
struct top_k_sample {
  unsigned size;  // keys
  unsigned rank;  // the first k come up to the sample's key of this rank, but for bad luck

  /// Samples of 32 bytes each cost an eighth of a row of 4-byte keys. The number of keys in the
  /// sample that are among the first k is distributed like Poisson's, `expected` times; the rank is
  /// 4.5 deviations above, so one row in 100,000 is read again.
  constexpr top_k_sample(std::size_t n, std::size_t k) : size(threads), rank(0) {
    while (size < top_k::most_samples && std::size_t{size} * 128 <= n) size *= 2;
    const std::size_t in_256ths = (k * size * 256 + n - 1) / n;
    std::size_t root = 0;
    while ((root + 1) * (root + 1) <= in_256ths) ++root;
    const std::size_t wanted = (in_256ths + 255) / 256 + (root * 9 / 2 + 15) / 16 + 2;
    rank = static_cast<unsigned>(wanted < threads ? wanted : threads);
  }
  /// Candidates to have room for: as many as there seldom are.
  [[nodiscard]] constexpr std::size_t room(std::size_t n) const {
    const std::size_t most = (n / size + 1) * (2 * std::size_t{rank} + 16);
    return most < n ? most : n;
  }

 private:
  static constexpr unsigned threads = top_k::threads;
};

}  // namespace warpfold::tuning
