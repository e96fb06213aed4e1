// From a call on segments to its launches: tiles or chunks, and before them, where segments are
// given by lengths or by begins and ends, the launch that adds up their lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "warpfold/bounds.hpp"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/segments/canonical.cuh"
#include "warpfold/device/segments/ends.cuh"
#include "warpfold/device/segments/kernel.cuh"
#include "warpfold/device/select.cuh"
#include "warpfold/device/sized.cuh"
#include "warpfold/segment_forms.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// Status words for n values in segments with `offsets` offsets.
template <class Acc>
constexpr std::size_t segment_status_bytes(std::size_t n, std::size_t offsets) {
  const std::size_t tiles = segment_bytes<Acc>(n, offsets);
  return n < tuning::segment_chunks_from
             ? tiles
             : at_least(tiles, canonical_segment_bytes<Acc>(n, long_chunk_bits));
}
template <class Acc>
constexpr std::size_t canonical_status_bytes(std::size_t n) {
  return canonical_segment_bytes<Acc>(n, tuning::canonical_least_chunk_bits);
}

/// The temp_storage of a call that adds up lengths: status words, and behind them the ends.
struct summed_storage {
  std::size_t ends, bytes;

  constexpr summed_storage(std::size_t status_bytes, std::size_t segments)
      : ends((at_least(status_bytes, segment_ends_bytes(segments)) + 255) / 256 * 256),
        bytes(ends + segments * sizeof(std::uint64_t)) {}
};

/// Whether there are so many values in so long segments that tiles are slower than chunks.
inline bool suits_chunks(std::size_t n, std::size_t segments) {
  return n >= tuning::segment_chunks_from && n / tuning::segment_chunks_length >= segments;
}

template <bool Canonical, class Problem>
status launch_on_segments(const work_place& place, const Problem& problem) {
  using Acc = typename Problem::acc_type;
  if constexpr (Canonical) {
    return reduce_chunks(
        place, problem,
        {canonical_status_bytes<Acc>(problem.n),
         "the workspace is smaller than canonical_segmented_workspace_bytes<Out>(n)"});
  } else {
    if constexpr (Problem::output == segment_output::reductions) {
      const std::size_t segments = problem.source.most();
      if (suits_chunks(problem.n, segments)) {
        return reduce_chunks(
            place, problem,
            {segment_status_bytes<Acc>(problem.n, segments + 1), too_small_for_segments});
      }
    }
    return reduce_segments(place, problem);
  }
}

// Each form: how many segments it has at most, and what becomes of it before the launches.

template <sized_values Offsets>
std::size_t most_segments(const Offsets& offsets) {
  const std::size_t n = given_values<Offsets>::count(offsets).n;
  return n == 0 ? 0 : n - 1;
}
inline std::size_t most_segments(const segments_of_length& segments) { return segments.count; }
template <class Lengths>
std::size_t most_segments(const segments_of_lengths<Lengths>& segments) {
  return given_values<decltype(segments.lengths)>::count(segments.lengths).n;
}
template <class Begins, class Ends>
std::size_t most_segments(const segments_between<Begins, Ends>& segments) {
  return given_values<decltype(segments.begins)>::count(segments.begins).n;
}

/// Values, or segments, of a call: their sum is a size.
inline constexpr std::size_t most_in_segments = std::size_t{1} << 62;

/// A call on `n` values. `launch` takes a place, a source of segments, and how many values these
/// have at most.
template <bool Canonical, class Acc, device_place Where>
struct segment_call {
  const Where& where;
  std::size_t n;
  std::size_t* refused;

  template <sized_values Offsets, class Launch>
  status on(const Offsets& offsets, Launch launch) const {
    using given = given_values<Offsets>;
    return launch(for_cleared(where),
                  offset_source<typename given::value_type>{given::most(offsets).data(),
                                                            given::count(offsets)},
                  n);
  }
  template <class Launch>
  status on(const segments_of_length& segments, Launch launch) const {
    const std::size_t total = values_in_rows(segments.count, segments.length);
    if (total > n) return {1, "the segments have more values than there are", total, n, "values"};
    const status s = refuse_fewer("a call takes fewer segments", segments.count, most_in_segments);
    if (!s.ok()) return s;
    return launch(for_cleared(where), length_source{segments.length, segments.count}, total);
  }
  template <class Lengths, class Launch>
  status on(const segments_of_lengths<Lengths>& segments, Launch launch) const {
    using given = given_values<decltype(segments.lengths)>;
    using length = typename given::value_type;
    require_device_memory<Lengths>();
    const value_count count = given::count(segments.lengths);
    return with_ends(listed_lengths<length>{given::most(segments.lengths).data(), n}, count, n,
                     [&](const work_place& place, const std::uint64_t* ends) {
                       return launch(place, end_source{ends, count}, n);
                     });
  }
  template <class Begins, class Ends, class Launch>
  status on(const segments_between<Begins, Ends>& segments, Launch launch) const {
    using given = given_values<decltype(segments.begins)>;
    using begin = typename given::value_type;
    using end = value_of<Ends>;
    require_device_memory<Begins>();
    require_device_memory<Ends>();
    const value_count count = given::count(segments.begins);
    if (segments.ends.size() != count.n) {
      return {1, "there are not as many ends of segments as begins", count.n, segments.ends.size(),
              "values"};
    }
    const begin* const begins = given::most(segments.begins).data();
    const std::size_t total = segments.total_of(n);
    const status s =
        refuse_fewer("the total of segments_between is too large", total, most_in_segments);
    if (!s.ok()) return s;
    return with_ends(lengths_between<begin, end>{begins, segments.ends.data(), n}, count, total,
                     [&](const work_place& place, const std::uint64_t* ends) {
                       return launch(place, pair_source<begin>{{ends, count}, begins}, total);
                     });
  }

 private:
  template <class Lengths, class Launch>
  status with_ends(const Lengths& lengths, const value_count& count, std::size_t total,
                   Launch launch) const {
    if (count.n == 0) return {};
    const summed_storage storage(Canonical ? canonical_status_bytes<Acc>(total)
                                           : segment_status_bytes<Acc>(total, count.n + 1),
                                 count.n);
    const memory_size needed{storage.bytes,
                             Canonical ? "the temp_storage is smaller than "
                                         "canonical_segmented_temp_storage_bytes<Out>(n, segments)"
                                       : "the temp_storage is smaller than "
                                         "segmented_temp_storage_bytes<Out>(n, segments)"};
    const scratch memory(for_sorts(where), needed, storage.bytes, false);
    if (!memory.state().ok()) return memory.state();
    auto* const begin = static_cast<std::byte*>(memory.data());
    auto* const ends = reinterpret_cast<std::uint64_t*>(begin + storage.ends);
    const work_place words{where.stream(), begin, storage.ends};
    status s = zero_async(words.data, words.bytes, words.stream);
    if (s.ok()) {
      s = store_segment_ends(words, ends_problem<Lengths>{lengths, count, ends, refused});
    }
    return s.ok() ? launch(words, ends) : s;
  }
};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
