#include "bench/contest/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include <tbb/parallel_reduce.h>
#include <unistd.h>

namespace warpfold::bench {
namespace {

/// 16 words at a time.
std::uint64_t read_words(const std::uint64_t* words, std::size_t n) {
  using pack [[gnu::vector_size(16)]] = std::uint64_t;
  constexpr std::size_t packs = 8, at_once = 2 * packs;
  pack sum[packs] = {};
  for (std::size_t i = 0; i + at_once <= n; i += at_once) {
    pack now[packs];
    std::memcpy(now, words + i, sizeof now);
    for (std::size_t k = 0; k < packs; ++k) sum[k] += now[k];
  }
  const pack all = std::accumulate(sum + 1, sum + packs, sum[0]);
  std::uint64_t whole = all[0] + all[1];
  for (std::size_t i = n / at_once * at_once; i < n; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + i, sizeof word);
    whole += word;
  }
  return whole;
}

}  // namespace

std::size_t cache_bytes() {
  const long found = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  return found > 0 ? static_cast<std::size_t>(found) : std::size_t{32} << 20;
}

std::uint64_t read_all(std::span<const std::uint64_t> words) {
  constexpr std::size_t chunk = 8192;
  using chunks = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      chunks(0, (words.size() + chunk - 1) / chunk), std::uint64_t{0},
      [&](const chunks& part, std::uint64_t sum) {
        const std::size_t begin = part.begin() * chunk;
        const std::size_t end = std::min(part.end() * chunk, words.size());
        return sum + read_words(words.data() + begin, end - begin);
      },
      std::plus<>());
}

std::size_t slots_of(std::size_t bytes, std::size_t calls) {
  return std::clamp<std::size_t>(2 * cache_bytes() / std::max<std::size_t>(bytes, 1) + 1, 1,
                                 std::max<std::size_t>(calls, 1));
}

}  // namespace warpfold::bench
