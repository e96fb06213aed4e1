// Reduces the chunks of a file on the host: every slot reads a chunk that fits in its core's cache
// and reduces it there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "files/reductions.hpp"
#include "warpfold/exact.hpp"
#include "warpfold/host/reduce.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace reductions {

/// One chunk is one thread's.
struct whole_chunks : tuning::host_cores {
  static constexpr std::size_t reduce_chunk_bytes = files::host_chunk_bytes;
  static constexpr std::size_t exact_chunk_bytes = files::host_chunk_bytes;
  static constexpr std::size_t scan_chunk_bytes = files::host_chunk_bytes;
};
inline constexpr tuned_host<whole_chunks> this_thread{};

/// The partial of `values`, the first of which is the `first`-th of all.
template <class T, class Op, class Acc>
Acc partial_of(reduce_by<T, Op, Acc>, std::span<const T> values, std::uint64_t /*first*/) {
  return reduce(this_thread, values, Op::template identity<Acc>(), Op{});
}
template <class T, class Op>
position<T> partial_of(place_of<T, Op>, std::span<const T> values, std::uint64_t first) {
  auto best =
      std::is_same_v<Op, minimum> ? argmin(this_thread, values) : argmax(this_thread, values);
  best.index += first;
  return best;
}
template <class T>
summary<T> partial_of(statistics_of<T>, std::span<const T> values, std::uint64_t first) {
  auto all = statistics(this_thread, values);
  all.min.index += first;
  all.max.index += first;
  return all;
}
template <class T, bool Mean>
exact_accumulator<T> partial_of(exactly<T, Mean>, std::span<const T> values, std::uint64_t) {
  return exact_accumulate(this_thread, values);
}

/// join(partial) for each chunk of this process's part, in order.
template <class Reduction, class Join>
void reduce_chunks(data::number_input& in, const files::run_options& o, std::uint64_t& bytes,
                   const Join& join) {
  using T = typename Reduction::value;
  const auto part = files::part_of(in, o, files::host_chunk_bytes);
  pipeline line({.chunk_bytes = files::host_chunk_bytes,
                 .slots = files::slots_for(o, in, files::host_chunk_bytes, files::host_chunk_bytes),
                 .stop = o.stop});
  std::vector<std::optional<typename Reduction::partial>> mine(line.slots());
  const auto done =
      files::run_watched(o, "reducing", line,
                         {.read = files::reader_of(in, o, part),
                          .read_in_order = in.in_order(),
                          .work =
                              [&](const pipeline::chunk& c) {
                                mine[c.slot] = partial_of(Reduction{}, files::values_in<T>(c),
                                                          (part.begin + c.offset) / sizeof(T));
                              },
                          .in_order = [&](const pipeline::chunk& c) { join(*mine[c.slot]); }},
                         files::bytes_in(in, part));
  bytes = done.bytes;
}

struct host_engine {
  template <class Reduction>
  static std::optional<typename Reduction::partial> reduce(data::number_input& in,
                                                           const files::run_options& o,
                                                           std::uint64_t& bytes) {
    using partial = typename Reduction::partial;
    static_assert(std::is_trivially_copyable_v<std::optional<partial>>);
    std::optional<partial> all;
    const auto join = [&](const partial& p) { all = all ? Reduction::join(*all, p) : p; };
    if (o.ranks == nullptr) {
      reduce_chunks<Reduction>(in, o, bytes, join);
      return all;
    }
    std::vector<partial> mine;
    reduce_chunks<Reduction>(in, o, bytes, [&](const partial& p) { mine.push_back(p); });
    // In the order of all chunks: sums of floats are added as by a process alone.
    o.ranks->in_turn(std::as_writable_bytes(std::span(&all, 1)), [&] {
      for (const partial& p : mine) join(p);
    });
    bytes = *in.bytes();
    return all;
  }
};

}  // namespace reductions
}  // namespace warpfold::inline WARPFOLD_MACHINE
