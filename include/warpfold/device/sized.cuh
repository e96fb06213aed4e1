// Values whose number is in device memory, written by an earlier call in the stream: a chain of
// calls needs no synchronisation, and its graph can be replayed with other numbers.
//
//   copy_if(device.on(stream), in, kept, count, is_wanted)
//   reduce_by_key(device.on(stream), device_sized(kept, count), …)
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "warpfold/device/detail/refused_calls.cuh"
#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// The first `*size` of `most` values: `*size` is read when the call runs, and counts as
/// most.size() where it is larger.
template <class T>
struct device_sized_values {
  std::span<const T> most;  ///< Device memory.
  const std::size_t* size;  ///< Device memory.
};
/// The first `*size` values of a range, all of them at most. Both lie in device memory.
template <values Range>
device_sized_values<value_of<Range>> device_sized(const Range& most, const std::size_t* size) {
  return {detail::device_view(most), size};
}

namespace detail {

template <class Given>
struct given_values;
template <values Range>
struct given_values<Range> {
  using value_type = value_of<Range>;
  static std::span<const value_type> most(const Range& range) { return device_view(range); }
  static value_count count(const Range& range) { return {std::ranges::size(range), nullptr}; }
  static host_size size(const Range&) { return {}; }
};
template <class T>
struct given_values<device_sized_values<T>> {
  using value_type = T;
  static std::span<const T> most(const device_sized_values<T>& given) { return given.most; }
  static value_count count(const device_sized_values<T>& given) {
    return {given.most.size(), given.size};
  }
  static device_size size(const device_sized_values<T>& given) { return device_size{given.size}; }
};

/// For calls that need the number of values before they run.
template <class Given>
constexpr bool has_host_size() {
  constexpr bool on_host = values<Given>;
  static_assert(
      on_host,
      "at determinism::gpu_to_gpu this call needs the number of values on the host, since "
      "the canonical order depends on it: pass a std::span, or leave the level out");
  return on_host;
}

/// What a pointer to a number of values must not point to.
template <class Count>
concept no_count = std::is_arithmetic_v<Count> && !std::is_same_v<Count, std::size_t>;

template <class Count>
status refuse_count(const Count*) {
  static_assert(!sizeof(Count), "a count is a std::size_t in device memory: pass a std::size_t*");
  return {};
}

}  // namespace detail

/// \cond
template <values Range, detail::no_count Size>
device_sized_values<value_of<Range>> device_sized(const Range&, const Size* size) {
  (void)detail::refuse_count(size);
  return {};
}
/// \endcond

/// A range in device memory, or `device_sized` of one.
template <class Given>
concept sized_values = values<Given> || detail::is_device_sized<Given>;
/// The type of its values.
template <sized_values Given>
using given_value_of = typename detail::given_values<Given>::value_type;

// Calls that take the number of values from the host alone.
/// \cond
template <device_place Where, class T, class... Rest>
detail::no_result reduce_rows(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result exact_mean(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result exact_mean_into(const Where&, const device_sized_values<T>& given,
                                  const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result exact_dot(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result exact_dot_into(const Where&, const device_sized_values<T>& given,
                                 const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result nth_element(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result nth_element_into(const Where&, const device_sized_values<T>& given,
                                   const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result top_k(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result top_k_by_key(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result argtop_k(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result merge(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
template <device_place Where, class T, class... Rest>
detail::no_result merge_by_key(const Where&, const device_sized_values<T>& given, const Rest&...) {
  return detail::refuse<detail::no_result>(given);
}
/// \endcond

// Calls whose count is a pointer to another type, and what to write instead.
/// \cond
template <device_place Where, sized_values In, values Out, detail::no_count Count, class... Rest>
status copy_if(const Where&, const In&, const Out&, const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Out, detail::no_count Count, class... Rest>
status remove_if(const Where&, const In&, const Out&, const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Out, detail::no_count Count, class... Rest>
status unique(const Where&, const In&, const Out&, const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Out, detail::no_count Count, class... Rest>
status indices_if(const Where&, const In&, const Out&, const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Flags, values Out, detail::no_count Count,
          class... Rest>
status copy_flagged(const Where&, const In&, const Flags&, const Out&, const Count* count,
                    const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Out, values Others, detail::no_count Count,
          class... Rest>
status partition_copy(const Where&, const In&, const Out&, const Others&, const Count* count,
                      const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Values, values OutKeys, values OutValues,
          detail::no_count Count, class... Rest>
status reduce_by_key(const Where&, const In&, const Values&, const OutKeys&, const OutValues&,
                     const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values OutValues, values OutLengths,
          detail::no_count Count, class... Rest>
status run_length_encode(const Where&, const In&, const OutValues&, const OutLengths&,
                         const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
template <device_place Where, sized_values In, values Values, values OutKeys, values OutValues,
          detail::no_count Count, class... Rest>
status unique_by_key(const Where&, const In&, const Values&, const OutKeys&, const OutValues&,
                     const Count* count, const Rest&...) {
  return detail::refuse_count(count);
}
/// \endcond

}  // namespace warpfold::inline WARPFOLD_MACHINE
