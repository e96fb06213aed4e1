#include "bench/harness/host_memory.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include <tbb/parallel_reduce.h>

namespace warpfold::bench {
namespace {

constexpr std::size_t chunk = 16384;  // words

template <unsigned Places>
std::uint64_t read_words(const std::uint64_t* words, std::size_t n) {
  using pack [[gnu::vector_size(16)]] = std::uint64_t;
  constexpr std::size_t packs = 8, of_each = 2 * packs / Places;  // words of a place at a time
  const std::size_t stretch = n / (2 * packs) * of_each;
  pack sum[packs] = {};
  for (std::size_t i = 0; i < stretch; i += of_each) {
    pack now[packs];
    for (unsigned p = 0; p < Places; ++p) {
      std::memcpy(&now[p * packs / Places], words + p * stretch + i, of_each * sizeof *words);
    }
    for (std::size_t k = 0; k < packs; ++k) sum[k] += now[k];
  }
  const pack all = std::accumulate(sum + 1, sum + packs, sum[0]);
  std::uint64_t whole = all[0] + all[1];
  for (std::size_t i = Places * stretch; i < n; ++i) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + i, sizeof word);
    whole += word;
  }
  return whole;
}

template <unsigned Places>
std::uint64_t read_chunks(std::span<const std::uint64_t> words) {
  using chunks = tbb::blocked_range<std::size_t>;
  return tbb::parallel_reduce(
      chunks(0, (words.size() + chunk - 1) / chunk), std::uint64_t{0},
      [&](const chunks& part, std::uint64_t sum) {
        for (std::size_t c = part.begin(); c < part.end(); ++c) {
          const std::size_t begin = c * chunk, end = std::min(begin + chunk, words.size());
          sum += read_words<Places>(words.data() + begin, end - begin);
        }
        return sum;
      },
      std::plus<>());
}

}  // namespace

std::uint64_t read_all(std::span<const std::uint64_t> words, unsigned places) {
  return places == 1   ? read_chunks<1>(words)
         : places == 4 ? read_chunks<4>(words)
                       : read_chunks<8>(words);
}

void copy_all(void* to, const void* from, std::size_t bytes) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, bytes), [&](const auto& part) {
    std::memcpy(static_cast<char*>(to) + part.begin(),
                static_cast<const char*>(from) + part.begin(), part.size());
  });
}

std::size_t host_slots_of(std::size_t bytes, std::size_t calls) {
  return std::clamp<std::size_t>(2 * cache_bytes() / std::max<std::size_t>(bytes, 1) + 1, 1,
                                 std::max<std::size_t>(calls, 1));
}

}  // namespace warpfold::bench
