#include "docs/cluster_model.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "docs/plot.hpp"
#include "warpfold/exact/accumulator.hpp"

namespace {

/// Microseconds. InfiniBand under MVAPICH2 as Netgauge measured it on the cluster Tukey of Argonne
/// National Laboratory: messages of 256 bytes (L, o, g) and of a megabyte (G).
namespace network {
constexpr double latency = 7.40;  // from the call of the sender to the end of the receiver's
constexpr double gap = 1.03;      // from a message of a rank to its next; its own work is shorter
constexpr double per_byte = 0.000497;
}  // namespace network

constexpr std::size_t rank_counts[] = {2,   4,   8,    16,   32,   64,   128,
                                       256, 512, 1024, 2048, 4096, 8192, 10'000};
constexpr double f64_partial = 24, exact_partial = warpfold::exact_accumulator<double>::bytes + 2;
constexpr double keys_per_rank = 1 << 20, key_bytes = 4;
constexpr double offer = 24, pivot = 24, count = 8;  // of a round of the search for splitters

/// When each rank is done.
using clocks = std::vector<double>;

double sent(double begin, double bytes) {
  return begin + network::latency + bytes * network::per_byte;
}
/// Rank r hears from from(r), and all send at once.
template <class From>
void exchange(clocks& now, std::size_t ranks, double bytes, const From& from) {
  const clocks before = now;
  for (std::size_t r = 0; r < ranks; ++r) {
    const double free = before[r] + std::max(network::gap, bytes * network::per_byte);
    now[r] = std::max(free, sent(before[from(r)], bytes));
  }
}

/// Recursive doubling; the ranks beyond a power of two give theirs to another, and get the result.
void all_reduce(clocks& now, double bytes) {
  const std::size_t power = std::bit_floor(now.size()), rest = now.size() - power;
  for (std::size_t r = 0; r < rest; ++r) {
    now[r] = std::max(now[r], sent(now[power + r], bytes));
  }
  for (std::size_t step = 1; step < power; step *= 2) {
    exchange(now, power, bytes, [&](std::size_t r) { return r ^ step; });
  }
  for (std::size_t r = 0; r < rest; ++r) now[power + r] = sent(now[r], bytes);
}
/// Bruck's steps: in each a rank sends `bytes_of(step)` to one that is `step` away.
template <class Bytes>
void disseminate(clocks& now, const Bytes& bytes_of) {
  const std::size_t ranks = now.size();
  for (std::size_t step = 1; step < ranks; step *= 2) {
    exchange(now, ranks, bytes_of(step), [&](std::size_t r) { return (r + step) % ranks; });
  }
}
double last(const clocks& now) { return *std::max_element(now.begin(), now.end()); }

double reduction(std::size_t ranks, double bytes) {
  clocks now(ranks, 0);
  all_reduce(now, bytes);
  return last(now);
}

/// Its messages alone: what the ranks do with their own rows is not in it.
double sort(std::size_t ranks) {
  clocks now(ranks, 0);
  const auto all = static_cast<double>(ranks);
  for (int round = 0; round <= 20; ++round) {
    disseminate(now, [&](std::size_t) { return all / 2 * offer; });
    disseminate(now, [&](std::size_t step) {
      return pivot * static_cast<double>(std::min(step, ranks - step));
    });
    if (round < 20) all_reduce(now, count * all);  // the last finds that nothing is left
  }
  const double part = keys_per_rank * key_bytes / all;
  const double each = std::max(network::gap, part * network::per_byte);
  return last(now) + (all - 2) * each + network::latency + part * network::per_byte;
}

/// The least that any call takes in which all ranks must hear of one: those who know tell others,
/// one message after the other (Karp, Sahay, Santos and Schauser, 1993).
double least_reduction(std::size_t ranks) {
  std::vector<double> free{0};  // when each that knows can send next; a heap, the soonest first
  for (std::size_t known = 1; known < ranks; ++known) {
    std::pop_heap(free.begin(), free.end(), std::greater<>());
    const double begin = free.back();
    free.back() = begin + network::gap;
    std::push_heap(free.begin(), free.end(), std::greater<>());
    free.push_back(begin + network::latency);
    std::push_heap(free.begin(), free.end(), std::greater<>());
    if (known + 1 == ranks) return begin + network::latency;
  }
  return 0;
}
/// Of random keys all but one in `ranks` are on another rank's side.
double least_sort(std::size_t ranks) {
  const auto all = static_cast<double>(ranks);
  return network::latency + keys_per_rank * key_bytes * network::per_byte * (all - 1) / all;
}

template <class Time>
curve curve_of(const char* name, const char* color, const Time& time) {
  curve c{name, color};
  for (const std::size_t ranks : rank_counts) c.points.emplace_back(ranks, time(ranks));
  return c;
}

}  // namespace

void draw_cluster_model(const std::filesystem::path& file) {
  const std::vector<panel> panels{
      {.title = "Exact sum of f64",
       .curves = {curve_of("least", "dim", least_reduction),
                  curve_of("exact_sum", "w0", [](auto r) { return reduction(r, exact_partial); })},
       .unit = "µs",
       .over = "ranks",
       .is_free_above = true},
      {.title = "Sort of 2^20 keys of 4 bytes a rank: messages",
       .curves = {curve_of("least", "dim", least_sort), curve_of("sort", "w0", sort)},
       .unit = "µs",
       .over = "ranks",
       .is_free_above = true}};
  std::ofstream(file, std::ios::binary) << plot(panels);
}

std::string cluster_model_table() {
  std::string text =
      "| ranks | `reduce` of f64, µs | `exact_sum` of f64, µs | least, µs | a sort's messages, ms "
      "| "
      "least, ms |\n|---:|---:|---:|---:|---:|---:|\n";
  for (const std::size_t ranks : rank_counts) {
    if (ranks != 2 && ranks != 64 && ranks != 1024 && ranks != 10'000) continue;
    text += fmt::format("| {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} |\n", ranks,
                        reduction(ranks, f64_partial), reduction(ranks, exact_partial),
                        least_reduction(ranks), sort(ranks) / 1e3, least_sort(ranks) / 1e3);
  }
  return text + fmt::format("\nL = {} µs, g = {} µs, G = {:.3g} ns a byte.\n", network::latency,
                            network::gap, network::per_byte * 1e3);
}
