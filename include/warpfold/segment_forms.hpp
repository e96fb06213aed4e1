// What calls on segments take in place of offsets:
//
//   segmented_reduce(device, values, segments_of_length(100, 7), out)
//   segmented_reduce(device, values, segments_of_lengths(lengths), out)
//   segmented_reduce(device, values, segments_between(begins, ends), out)
//
// Ranges are those of the call's place: device memory for a device. A form refers to them and owns
// nothing.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "warpfold/ranges.hpp"

namespace warpfold {

namespace detail {

template <class Given>
struct referred {
  using type = Given;  // device_sized of a range
};
template <values Range>
struct referred<Range> {
  using type = std::span<const value_of<Range>>;
};
template <class Given>
typename referred<Given>::type refer_to(const Given& given) {
  if constexpr (values<Given>) {
    return view(given);
  } else {
    return given;
  }
}

}  // namespace detail

/// Segment i is values[i * length] to values[(i + 1) * length - 1].
struct segments_of_length {
  std::size_t length;  ///< Of each segment.
  std::size_t count;   ///< The number of segments.

  /// `count` segments of `length` values.
  constexpr segments_of_length(std::size_t of_each, std::size_t segments)
      : length(of_each), count(segments) {}
};

/// Segment i has lengths[i] values and follows segment i - 1; segment 0 begins at the first value.
/// Lengths are integers of any type; on a device they may be `device_sized`.
template <class Lengths>
struct segments_of_lengths {
  typename detail::referred<Lengths>::type lengths;  ///< One for each segment.

  /// Of the segments that have these lengths.
  explicit segments_of_lengths(const Lengths& of_each) : lengths(detail::refer_to(of_each)) {}
};

/// Segment i is values[begins[i]] to values[ends[i] - 1]. Segments lie in any order, with gaps, and
/// may overlap where a call reduces them. Begins and ends are integers of any type; on a device
/// begins may be `device_sized`.
template <class Begins, class Ends>
struct segments_between {
  /// As many values as the call has: the total if none is given.
  static constexpr std::size_t as_many_as_given = static_cast<std::size_t>(-1);

  typename detail::referred<Begins>::type begins;  ///< One for each segment.
  typename detail::referred<Ends>::type ends;      ///< As many.
  std::size_t total;  ///< How many values the segments have at most, their lengths added up.

  /// Segments that overlap can have more values than the call is given: then `of_all` is their
  /// greatest number.
  segments_between(const Begins& first, const Ends& behind_last,
                   std::size_t of_all = as_many_as_given)
      : begins(detail::refer_to(first)), ends(detail::refer_to(behind_last)), total(of_all) {}

  /// `total`, of a call on n values.
  [[nodiscard]] constexpr std::size_t total_of(std::size_t n) const {
    return total == as_many_as_given ? n : total;
  }
};

namespace detail {

template <class Segments>
inline constexpr bool is_segment_form = std::is_same_v<Segments, segments_of_length>;
template <class Lengths>
inline constexpr bool is_segment_form<segments_of_lengths<Lengths>> = true;
template <class Begins, class Ends>
inline constexpr bool is_segment_form<segments_between<Begins, Ends>> = true;

}  // namespace detail

/// Segments in another form than by offsets.
template <class Segments>
concept segment_form = detail::is_segment_form<Segments>;

/// The same, each segment behind the one before: segments_of_length or segments_of_lengths.
template <class Segments>
concept segments_in_a_row =
    segment_form<Segments> && !requires(const Segments& segments) { segments.begins; };

}  // namespace warpfold
