// Segments, cut into chunks that take equally long.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/detail/parallel.hpp"
#include "warpfold/host/detail/prefix_chain.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class Range>
inline constexpr bool are_integers = false;
template <values Range>
inline constexpr bool are_integers<Range> = std::integral<value_of<Range>>;

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

// Where segments lie: segment i is values at(i) to at(i + 1) - 1 of the sequence of all segments'
// values. In the range it lies shift(i) further on.

template <class Offset>
struct segment_offsets {
  std::span<const Offset> offsets;

  [[nodiscard]] std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  [[nodiscard]] std::size_t at(std::size_t i) const { return static_cast<std::size_t>(offsets[i]); }
  static std::size_t shift(std::size_t) { return 0; }
};
struct equal_segments {
  segments_of_length given;

  [[nodiscard]] std::size_t size() const { return given.count; }
  [[nodiscard]] std::size_t at(std::size_t i) const { return i * given.length; }
  static std::size_t shift(std::size_t) { return 0; }
};
struct summed_segments {
  std::vector<std::size_t> begins;  // one more than segments

  [[nodiscard]] std::size_t size() const { return begins.size() - 1; }
  [[nodiscard]] std::size_t at(std::size_t i) const { return begins[i]; }
  static std::size_t shift(std::size_t) { return 0; }
};
template <class Begin>
struct segment_pairs : summed_segments {
  std::span<const Begin> places;

  /// Modulo 2^64.
  [[nodiscard]] std::size_t shift(std::size_t i) const {
    return static_cast<std::size_t>(places[i]) - at(i);
  }
};

/// Values and ends of segments, merged: each end stands behind the values before it.
template <class Source>
struct merged_segments : Source {
  [[nodiscard]] std::size_t segments() const { return this->size(); }
  [[nodiscard]] std::size_t length() const {
    const std::size_t n = segments();
    return n == 0 ? 0 : n + this->at(n) - this->at(0);
  }
  /// How many ends come before place `place` of the sequence.
  [[nodiscard]] std::size_t ends_before(std::size_t place) const {
    std::size_t low = 0, high = segments();
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (this->at(middle + 1) - this->at(0) + middle < place) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Segments by offsets that are right.
template <class Offset>
merged_segments<segment_offsets<Offset>> segments_by(std::span<const Offset> offsets) {
  return {{offsets}};
}

// Each form of segments of n values; usage_error for those that are wrong.

template <values Offsets>
auto merge_segments(const char* call, const Offsets& offsets, std::size_t n) {
  check_offsets(call, view(offsets), n);
  return segments_by(view(offsets));
}
inline merged_segments<equal_segments> merge_segments(const char* call,
                                                      const segments_of_length& segments,
                                                      std::size_t n) {
  if (const std::size_t total = values_in_rows(segments.count, segments.length); total > n) {
    throw usage_error("warpfold::", call, ": ", segments.count, " segments of ", segments.length,
                      " and ", n, " values; no segment may pass them");
  }
  return {{segments}};
}
/// The places of segments in the sequence of their values; length_of(i) is none of a wrong one.
template <class LengthOf>
std::vector<std::size_t> add_up_lengths(const char* call, std::size_t segments, std::size_t n,
                                        std::size_t total, const LengthOf& length_of) {
  std::vector<std::size_t> begins(segments + 1, 0);
  for (std::size_t i = 0; i < segments; ++i) {
    const std::optional<std::size_t> length = length_of(i);
    if (!length) {
      throw usage_error("warpfold::", call, ": segment ", i,
                        " ends before it begins, or passes the ", n, " values");
    }
    if (*length > total - begins[i]) {
      throw usage_error("warpfold::", call, ": segment ", i, " of ", *length, " values behind ",
                        begins[i], "; all segments may have ", total, " together");
    }
    begins[i + 1] = begins[i] + *length;
  }
  return begins;
}
template <class Lengths>
merged_segments<summed_segments> merge_segments(const char* call,
                                                const segments_of_lengths<Lengths>& segments,
                                                std::size_t n) {
  const auto length_of = [&](std::size_t i) -> std::optional<std::size_t> {
    const auto length = static_cast<std::size_t>(segments.lengths[i]);
    return length <= n ? std::optional(length) : std::nullopt;
  };
  return {{add_up_lengths(call, segments.lengths.size(), n, n, length_of)}};
}
template <class Begins, class Ends>
auto merge_segments(const char* call, const segments_between<Begins, Ends>& segments,
                    std::size_t n) {
  check_pairs(call, segments.begins.size(), "ends of segments", segments.ends.size());
  const auto length_of = [&](std::size_t i) -> std::optional<std::size_t> {
    const auto begin = static_cast<std::size_t>(segments.begins[i]);
    const auto end = static_cast<std::size_t>(segments.ends[i]);
    return begin <= end && end <= n ? std::optional(end - begin) : std::nullopt;
  };
  return merged_segments<segment_pairs<value_of<Begins>>>{
      {{add_up_lengths(call, segments.begins.size(), n, segments.total_of(n), length_of)},
       segments.begins}};
}

/// A chunk of the sequence: values begin to end, and the segments that end in it.
struct segment_chunk {
  std::size_t begin, end, first_segment, last_segment;
};

/// f(s) for each segment: those of `most` values at most side by side, longer ones one after the
/// other, since each has work for all threads.
template <class Where, class Source, class F>
void for_each_segment(const Where& where, const merged_segments<Source>& all, std::size_t most,
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
/// is open. reduce(s, begin, end) reduces values of segment s, none if there are none.
template <class Acc, std::size_t ValueBytes, class Where, class Source, class Reduce, class Op,
          class Write>
void chain_segments(const Where& where, const merged_segments<Source>& all, const Reduce& reduce,
                    const Op& op, const Write& write) {
  using open = open_segment<Acc>;
  constexpr std::size_t length =
      std::max<std::size_t>(1, tuning_of<Where>::scan_chunk_bytes / ValueBytes);
  (void)chain_chunks<open>(where, all.length(), length, open(), [&] {
    return [&](std::size_t from, std::size_t to, const auto& pass) {
      const std::size_t first = all.ends_before(from), last = all.ends_before(to);
      const segment_chunk chunk{all.at(0) + from - first, all.at(0) + to - last, first, last};
      const bool ends = last > first;
      open rest = reduce(last, ends ? all.at(last) : chunk.begin, chunk.end);
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
