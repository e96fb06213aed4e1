// Calls that can't be, and what to write instead: a pointer or a container of Thrust's where a
// range belongs, a range where a pointer does, a stream or CUB's storage where a place does, init
// and operator exchanged, keys that can't be written. Without these the compiler lists every
// overload.
#pragma once

#include <type_traits>

#include "warpfold/device/detail/value_count.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Argument>
inline constexpr bool is_exchangeable = false;
template <class T>
inline constexpr bool is_exchangeable<exchangeable<T>> = true;

/// What stands where a range belongs.
template <class Argument>
concept no_range = !values<Argument> && !is_exchangeable<std::remove_cvref_t<Argument>>;
/// The same in calls that take `device_sized` too.
template <class Argument>
concept no_sized_range = no_range<Argument> && !is_device_sized<std::remove_cvref_t<Argument>>;

template <class Argument>
concept thrust_vector = requires(const std::remove_cvref_t<Argument>& v) {
  v.data().get();
  v.size();
};

/// In place of a result, so that there is one message.
struct no_result {
  template <class T>
  operator T() const;  // NOLINT(google-explicit-constructor)
};

template <class Result = status, class Argument>
Result refuse(const Argument&) {
  constexpr bool wrong = !sizeof(Argument);  // what depends on it is said when a call is compiled
  if constexpr (std::is_pointer_v<std::decay_t<Argument>>) {
    static_assert(wrong, "a range belongs here, and this is a pointer: pass std::span(pointer, n)");
  } else if constexpr (thrust_vector<Argument>) {
    static_assert(wrong,
                  "a range belongs here, and a thrust::device_vector is none: pass "
                  "std::span(thrust::raw_pointer_cast(v.data()), v.size())");
  } else if constexpr (is_device_sized<Argument>) {
    static_assert(
        wrong,
        "this call takes the number of values from the host: pass a std::span in place of "
        "device_sized");
  } else {
    static_assert(wrong, "a range of values that lie side by side belongs here: pass a std::span");
  }
  return {};
}

template <class Out>
status refuse_range(const Out&) {
  static_assert(!sizeof(Out), "a result is one value, and out a pointer to it: pass out.data()");
  return {};
}

/// What stands first in a call of CUB, or is a stream.
template <class Argument>
concept no_place = std::is_pointer_v<Argument> || std::is_null_pointer_v<Argument>;

template <class Result = status, class Argument>
Result refuse_place(const Argument&) {
  static_assert(
      !sizeof(Argument),
      "a place belongs here: pass device, or device.on(stream).with(memory), where memory "
      "replaces CUB's temporary storage; spans replace pointers and n");
  return {};
}

/// An operator on the range's values, where init belongs.
template <class Init, class Range>
concept no_init =
    std::is_class_v<Init> && std::is_invocable_v<Init, value_of<Range>, value_of<Range>>;

template <class Result = status, class Init>
Result refuse_init(const Init&) {
  static_assert(!sizeof(Init),
                "init belongs here, and this is an operator: pass init, then the operator, as in "
                "exclusive_scan(device, in, out, init, op) and reduce(device, in, init, op)");
  return {};
}

template <class Range>
concept read_only = values<Range> &&
                    std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

template <class Keys>
status refuse_const(const Keys&) {
  static_assert(!sizeof(Keys),
                "a sort in place writes its ranges, and one is const: pass a span that can be "
                "written, or outputs behind the inputs, as in sort(device, keys, out)");
  return {};
}

}  // namespace detail

/// \cond
template <detail::no_place First, class... Rest>
detail::no_result reduce(const First& first, const Rest&...) {
  return detail::refuse_place<detail::no_result>(first);
}
template <detail::no_place First, class... Rest>
detail::no_result transform_reduce(const First& first, const Rest&...) {
  return detail::refuse_place<detail::no_result>(first);
}
template <detail::no_place First, class... Rest>
status reduce_into(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status transform_reduce_into(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status inclusive_scan(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status exclusive_scan(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status sort(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status stable_sort(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status sort_by_key(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status stable_sort_by_key(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}
template <detail::no_place First, class... Rest>
status argsort(const First& first, const Rest&...) {
  return detail::refuse_place(first);
}

template <device_place Where, values Range, detail::no_init<Range> Init, class Op = plus>
detail::no_result reduce(const Where&, const Range&, Init init, Op = {}) {
  return detail::refuse_init<detail::no_result>(init);
}
template <device_place Where, values In, values Out, detail::no_init<In> Init, class Op = plus>
status exclusive_scan(const Where&, const In&, Out&&, Init init, Op = {}) {
  return detail::refuse_init(init);
}

template <device_place Where, detail::read_only Keys, no_values... Less>
status sort(const Where&, const Keys& keys, const Less&...) {
  return detail::refuse_const(keys);
}
template <device_place Where, detail::read_only Keys, no_values... Less>
status stable_sort(const Where&, const Keys& keys, const Less&...) {
  return detail::refuse_const(keys);
}
template <device_place Where, values Keys, values Items, no_values... Less>
  requires(detail::read_only<Keys> || detail::read_only<Items>)
status sort_by_key(const Where&, const Keys& keys, const Items&, const Less&...) {
  return detail::refuse_const(keys);
}
template <device_place Where, values Keys, values Items, no_values... Less>
  requires(detail::read_only<Keys> || detail::read_only<Items>)
status stable_sort_by_key(const Where&, const Keys& keys, const Items&, const Less&...) {
  return detail::refuse_const(keys);
}

template <device_place Where, detail::no_sized_range Range, class... Rest>
detail::no_result reduce(const Where&, const Range& range, const Rest&...) {
  return detail::refuse<detail::no_result>(range);
}
template <device_place Where, detail::no_sized_range Range, class... Rest>
detail::no_result transform_reduce(const Where&, const Range& range, const Rest&...) {
  return detail::refuse<detail::no_result>(range);
}
template <device_place Where, detail::no_sized_range Range, class... Rest>
status reduce_into(const Where&, const Range& range, const Rest&...) {
  return detail::refuse(range);
}
template <device_place Where, values Range, values Out, class... Rest>
status reduce_into(const Where&, const Range&, const Out& out, const Rest&...) {
  return detail::refuse_range(out);
}
template <device_place Where, values Range, values Out, class... Rest>
status transform_reduce_into(const Where&, const Range&, const Out& out, const Rest&...) {
  return detail::refuse_range(out);
}

template <device_place Where, detail::no_sized_range In, class... Rest>
status inclusive_scan(const Where&, const In& in, const Rest&...) {
  return detail::refuse(in);
}
template <device_place Where, values In, detail::no_range Out, class... Rest>
status inclusive_scan(const Where&, const In&, const Out& out, const Rest&...) {
  return detail::refuse(out);
}
template <device_place Where, detail::no_sized_range In, class... Rest>
status exclusive_scan(const Where&, const In& in, const Rest&...) {
  return detail::refuse(in);
}
template <device_place Where, values In, detail::no_range Out, class... Rest>
status exclusive_scan(const Where&, const In&, const Out& out, const Rest&...) {
  return detail::refuse(out);
}

template <device_place Where, detail::no_range Keys, class... Rest>
status sort(const Where&, const Keys& keys, const Rest&...) {
  return detail::refuse(keys);
}
template <device_place Where, detail::no_range Keys, class... Rest>
status stable_sort(const Where&, const Keys& keys, const Rest&...) {
  return detail::refuse(keys);
}
template <device_place Where, detail::no_range Keys, class... Rest>
status sort_by_key(const Where&, const Keys& keys, const Rest&...) {
  return detail::refuse(keys);
}
template <device_place Where, values Keys, detail::no_range Items, class... Rest>
status sort_by_key(const Where&, const Keys&, const Items& items, const Rest&...) {
  return detail::refuse(items);
}
template <device_place Where, detail::no_range Keys, class... Rest>
status stable_sort_by_key(const Where&, const Keys& keys, const Rest&...) {
  return detail::refuse(keys);
}
template <device_place Where, values Keys, detail::no_range Items, class... Rest>
status stable_sort_by_key(const Where&, const Keys&, const Items& items, const Rest&...) {
  return detail::refuse(items);
}
template <device_place Where, detail::no_range Keys, class... Rest>
status argsort(const Where&, const Keys& keys, const Rest&...) {
  return detail::refuse(keys);
}
/// \endcond

}  // namespace warpfold::inline WARPFOLD_MACHINE
