// A pipeline over generated numbers that do not fit in memory: the mean distance of a random walk
// from its start. The walk is one long sum, so each chunk needs the end of the chunk before: this
// value is passed in order, while other chunks are generated and measured.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <warpfold/pipeline.hpp>

namespace {

/// The i-th step, -1 or 1, the same on every machine.
int step(std::uint64_t i) {
  std::uint64_t z = (i + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  return (z >> 40 & 1) != 0 ? 1 : -1;
}

constexpr std::uint64_t steps = std::uint64_t{1} << 26;

}  // namespace

int main() {
  using warpfold::pipeline;
  pipeline line({.chunk_bytes = 1 << 20});

  // What one slot knows of its chunk.
  struct slot_state {
    std::int64_t end = 0, start = 0;
    double distances = 0;
  };
  std::vector<slot_state> slots(line.slots());
  std::int64_t position = 0;
  std::vector<double> distances(steps / line.chunk_bytes());

  line.run({.read = [](const pipeline::chunk& room) -> std::size_t {
              if (room.offset >= steps) return 0;
              for (std::size_t i = 0; i < room.bytes.size(); ++i) {
                room.bytes[i] = static_cast<std::byte>(step(room.offset + i));
              }
              return room.bytes.size();
            },
            .work =
                [&](const pipeline::chunk& c) {
                  slot_state& mine = slots[c.slot];
                  mine.end = 0;
                  for (const std::byte b : c.bytes) mine.end += static_cast<signed char>(b);
                },
            .in_order =
                [&](const pipeline::chunk& c) {
                  slots[c.slot].start = position;
                  position += slots[c.slot].end;
                },
            .finish =
                [&](const pipeline::chunk& c) {
                  std::int64_t at = slots[c.slot].start;
                  double sum = 0;
                  for (const std::byte b : c.bytes) {
                    at += static_cast<signed char>(b);
                    sum += static_cast<double>(std::abs(at));
                  }
                  distances[c.index] = sum;
                }});

  double sum = 0;
  for (const double d : distances) sum += d;
  const double mean = sum / static_cast<double>(steps);
  // A walk of n steps is about 0.53 sqrt(n) away on average; this one is what it is.
  std::printf("after %llu steps at %lld, on average %.1f away\n",
              static_cast<unsigned long long>(steps), static_cast<long long>(position), mean);
  return position % 2 == 0 && mean > 0 && mean < std::sqrt(static_cast<double>(steps)) * 4 ? 0 : 1;
}
