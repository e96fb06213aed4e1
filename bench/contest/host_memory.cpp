#include "bench/contest/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <thread>

#include <unistd.h>

namespace warpfold::bench {
namespace {

/// Four times four words at a time.
std::uint64_t read_words(const std::uint64_t* words, std::size_t n) {
  using pack [[gnu::vector_size(16)]] = std::uint64_t;
  pack sum[4] = {};
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    pack now[4];
    std::memcpy(now, words + i, sizeof now);
    sum[0] += now[0], sum[1] += now[1], sum[2] += now[2], sum[3] += now[3];
  }
  const pack all = sum[0] + sum[1] + (sum[2] + sum[3]);
  return std::accumulate(words + n / 8 * 8, words + n, all[0] + all[1]);
}

}  // namespace

std::size_t cache_bytes() {
  const long found = std::max(sysconf(_SC_LEVEL3_CACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE));
  return found > 0 ? static_cast<std::size_t>(found) : std::size_t{32} << 20;
}

std::uint64_t read_all(const std::vector<std::uint64_t>& words) {
  const std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::uint64_t> part(threads);
  std::vector<std::thread> running;
  for (std::size_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      const std::size_t begin = words.size() / 8 * t / threads * 8;
      const std::size_t end =
          t + 1 == threads ? words.size() : words.size() / 8 * (t + 1) / threads * 8;
      part[t] = read_words(words.data() + begin, end - begin);
    });
  }
  for (std::thread& thread : running) thread.join();
  return std::accumulate(part.begin(), part.end(), std::uint64_t{0});
}

std::size_t slots_of(std::size_t bytes, std::size_t calls) {
  return std::clamp<std::size_t>(2 * cache_bytes() / std::max<std::size_t>(bytes, 1) + 1, 1,
                                 std::max<std::size_t>(calls, 1));
}

}  // namespace warpfold::bench
