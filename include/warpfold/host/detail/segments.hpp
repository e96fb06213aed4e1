// Segments, cut into chunks that take equally long.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

/// Throws usage_error unless offsets never fall, and none passes n.
template <class Offset>
void check_offsets(const char* call, std::span<const Offset> offsets, std::size_t n) {
  std::size_t wrong = 0;
  for (std::size_t i = 1; i < offsets.size(); ++i) wrong += offsets[i] < offsets[i - 1] ? 1 : 0;
  if (wrong > 0) {
    throw usage_error("warpfold::", call, ": ", wrong, " of ", offsets.size(),
                      " offsets are less than the one before; sort them");
  }
  if (offsets.empty()) return;
  const auto last = static_cast<std::size_t>(offsets.back());
  if (offsets.front() < Offset{} || last > n) {
    throw usage_error("warpfold::", call, ": offsets up to ", last, " and ", n,
                      " values; none may pass them");
  }
}

/// Values and ends of segments, merged: each end stands behind the values before it.
template <class Offset>
struct merged_segments {
  std::span<const Offset> offsets;

  [[nodiscard]] std::size_t segments() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::size_t at(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
  [[nodiscard]] std::size_t length() const {
    return offsets.empty() ? 0 : segments() + at(segments()) - at(0);
  }
  /// How many ends come before place `place` of the sequence.
  [[nodiscard]] std::size_t ends_before(std::size_t place) const {
    std::size_t low = 0, high = segments();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (at(middle + 1) - at(0) + middle < place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// A chunk of the sequence: values begin to end, and the segments that end in it.
struct segment_chunk {
  std::size_t begin, end, first_segment, last_segment;
};

/// f(s) for each segment: those of `most` values at most side by side, longer ones one after the
/// other, since each has work for all threads.
template <class Where, class Offset, class F>
void for_each_segment(const Where& where, const merged_segments<Offset>& all, std::size_t most,
                      const F& f) {
  const auto is_short = [&](std::size_t s) { return all.at(s + 1) - all.at(s) <= most; };
  const std::size_t length = all.length();
  run_on(where, [&] {
    for_each_index((length + most - 1) / most, [&](std::size_t c) {
      const std::size_t last = all.ends_before(std::min(length, (c + 1) * most));
      for (std::size_t s = all.ends_before(c * most); s < last; ++s) {
        if (is_short(s)) f(s);
      }
    });
  });
  for (std::size_t s = 0; s < all.segments(); ++s) {
    if (!is_short(s)) f(s);
  }
}

/// What the values of the open segment come to: none if there are none.
template <class Acc>
using open_segment = std::optional<Acc>;
template <class Acc, class Op>
open_segment<Acc> join(const open_segment<Acc>& a, open_segment<Acc> b, const Op& op) {
  if (!a) return b;
  return b ? open_segment<Acc>(op(*a, *std::move(b))) : a;
}

/// Calls write(before, chunk) for each chunk; `before` is what came before it in the segment that
/// is open. reduce(begin, end) reduces neighbours, none if there are none.
template <class Acc, std::size_t ValueBytes, class Where, class Offset, class Reduce, class Op,
          class Write>
void chain_segments(const Where& where, const merged_segments<Offset>& all, const Reduce& reduce,
                    const Op& op, const Write& write) {
  using open = open_segment<Acc>;
  constexpr std::size_t length =
      std::max<std::size_t>(1, tuning_of<Where>::scan_chunk_bytes / ValueBytes);
  (void)chain_chunks<open>(where, all.length(), length, open(), [&] {
    return [&](std::size_t from, std::size_t to, const auto& pass) {
      const std::size_t first = all.ends_before(from), last = all.ends_before(to);
      const segment_chunk chunk{all.at(0) + from - first, all.at(0) + to - last, first, last};
      const bool ends = last > first;
      open rest = reduce(ends ? all.at(last) : chunk.begin, chunk.end);
      std::optional<open> before;
      const auto after = [&](const std::optional<open>& b) {
        return ends ? std::move(rest) : join(*b, std::move(rest), op);
      };
      if (!pass(before, after)) return false;
      write(*before, chunk);
      return true;
    };
  });
}

}  // namespace host_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
