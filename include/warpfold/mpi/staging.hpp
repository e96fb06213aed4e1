// A rank's columns in the host's memory: those of a device are copied there, and results back.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpfold/mpi/transport.hpp"
#include "warpfold/ranges.hpp"

#if WARPFOLD_HAS_DEVICE
#include "warpfold/device/detail/device_buffer.cuh"
#endif

namespace warpfold::inline WARPFOLD_MACHINE {
namespace mpi_detail {

/// The values of a range.
template <host_place Where, values Range>
std::span<const value_of<Range>> staged(const Where&, const Range& range) {
  return view(range);
}
/// Room for what goes to `out`.
template <host_place Where, values Out>
std::span<value_of<Out>> room_for(const Where&, Out& out) {
  return {std::ranges::data(out), std::ranges::size(out)};
}
/// The same for values that are rounded there: a device's are reduced in their accumulator.
template <host_place Where, values Out>
auto unrounded_room_for(const Where& where, Out& out) {
  return room_for(where, out);
}
/// The first n results in that room go to `out`, where they are.
template <host_place Where, class Room, values Out>
void put(const Where&, const Room&, Out&, std::size_t) {}

#if WARPFOLD_HAS_DEVICE
template <class T, class Where>
void copy_rows(const Where& where, void* to, const void* from, std::size_t n) {
  if (n == 0) return;
  detail::copy_async(to, from, n * sizeof(T), where.stream())
      .throw_if_failed("a copy of ", n, " rows");
  detail::wait_for(where.stream()).throw_if_failed("a copy of ", n, " rows");
}
/// n values of this rank's device memory.
template <class T, class Where>
std::vector<T> copied(const Where& where, const T* from, std::size_t n) {
  std::vector<T> values(n);
  copy_rows<T>(where, values.data(), from, n);
  return values;
}

template <device_place Where, values Range>
std::vector<value_of<Range>> staged(const Where& where, const Range& range) {
  return copied(where, std::ranges::data(range), std::ranges::size(range));
}
template <device_place Where, values Out>
std::vector<value_of<Out>> room_for(const Where&, Out& out) {
  return std::vector<value_of<Out>>(std::ranges::size(out));
}
template <device_place Where, values Out>
auto unrounded_room_for(const Where&, Out& out) {
  return std::vector<accumulator_for<value_of<Out>>>(std::ranges::size(out));
}
template <device_place Where, class Room, values Out>
void put(const Where& where, const Room& room, Out& out, std::size_t n) {
  using T = value_of<Out>;
  if constexpr (std::is_same_v<value_of<Room>, T>) {
    copy_rows<T>(where, std::ranges::data(out), room.data(), n);
  } else {
    const std::vector<T> rounded(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(n));
    copy_rows<T>(where, std::ranges::data(out), rounded.data(), n);
  }
}
#endif

/// What is staged on a rank of this place.
template <class Where, class Range>
using staged_values = decltype(staged(std::declval<const Where&>(), std::declval<const Range&>()));
template <class Where, class Out>
using staged_room = decltype(room_for(std::declval<const Where&>(), std::declval<Out&>()));
template <class Where, class Out>
using unrounded_room =
    decltype(unrounded_room_for(std::declval<const Where&>(), std::declval<Out&>()));

}  // namespace mpi_detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
