// Exact order statistics of a CUDA device, without a sort. Each call has two forms:
//
//   m = median(device.on(stream), values)                     waits for the result; throws
//   median_into(device.on(stream).with(memory), values, out)  returns at once; returns a status
//
// The second form never synchronises; with temp_storage (quantiles_temp_storage_bytes) it allocates
// nothing, and it can be captured in a graph either way. Values are integers of 1 to 8 bytes, f16,
// bf16, f32 or f64; they stay as they are, and are read once for each of their digits of 11 bits.
// NaN counts as the greatest of values. Quantiles are NumPy's, in f64; they take `device_sized`
// values too, and are NaN of none.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/quantiles/kernel.cuh"
#include "warpfold/device/reduce.cuh"
#include "warpfold/device/sized.cuh"

namespace warpfold::inline WARPFOLD_MACHINE {

/// Bytes of temp_storage for order statistics of values of T, however many.
template <class T>
constexpr std::size_t quantiles_temp_storage_bytes() {
  return detail::statistics_storage<T>().bytes;
}

namespace detail {
template <class K>
constexpr memory_size quantiles_memory() {
  return {quantiles_temp_storage_bytes<K>(),
          "the temp_storage is smaller than quantiles_temp_storage_bytes<T>()"};
}
}  // namespace detail

/// Leaves in `*out` the value that a sort would put at index `nth`, in ascending order.
template <device_place Where, values Range>
  requires has_order_statistics<value_of<Range>>
status nth_element_into(const Where& where, const Range& range, std::size_t nth,
                        value_of<Range>* out) {
  using K = value_of<Range>;
  const auto keys = detail::device_view(range);
  if (nth >= keys.size()) {
    return {1, "there is no n-th of fewer values", nth + 1, keys.size(), "values"};
  }
  const detail::scratch memory(detail::for_sorts(where), detail::quantiles_memory<K>(),
                               quantiles_temp_storage_bytes<K>(), false);
  if (!memory.state().ok()) return memory.state();
  return detail::find_statistics(where.stream(), detail::statistics_storage<K>(memory.data()), keys,
                                 detail::wanted_indices{{nth}}, 1, detail::found_key<K>{out});
}
/// The same; the value. Throws device_error.
template <device_place Where, values Range>
  requires has_order_statistics<value_of<Range>>
value_of<Range> nth_element(const Where& where, const Range& range, std::size_t nth) {
  return detail::result_of<value_of<Range>>(
      where, "nth_element", std::ranges::size(range),
      [&](auto* out) { return nth_element_into(where, range, nth, out); });
}

/// Leaves in out[i] the quantile q[i] of the values: q is the host's memory, out the device's. Four
/// are looked for at a time.
template <device_place Where, sized_values Range>
  requires has_order_statistics<given_value_of<Range>>
status quantiles_into(const Where& where, const Range& range, std::span<const double> q,
                      double* out, interpolation how = interpolation::linear) {
  using K = given_value_of<Range>;
  using given = detail::given_values<Range>;
  const auto keys = given::most(range);
  status s = detail::refuse_quantiles(q, keys.size());
  if (!s.ok() || q.empty()) return s;
  const detail::scratch memory(detail::for_sorts(where), detail::quantiles_memory<K>(),
                               quantiles_temp_storage_bytes<K>(), false);
  if (!memory.state().ok()) return memory.state();
  const detail::statistics_storage<K> storage(memory.data());
  // Each has two indices, and bins for both; a device of little shared memory has fewer at a time.
  constexpr std::size_t bytes = 2 * detail::order_statistics::bins * sizeof(unsigned);
  const std::size_t room = (detail::current_device().shared_bytes - 1024) / bytes;
  const std::size_t at_once = std::min<std::size_t>(detail::order_statistics::at_once / 2, room);
  for (std::size_t first = 0; first < q.size() && s.ok(); first += at_once) {
    const std::size_t count = std::min(at_once, q.size() - first);
    const auto wanted = static_cast<unsigned>(2 * count);
    if constexpr (detail::is_device_sized<Range>) {
      const auto size = given::size(range);
      detail::wanted_quantiles places{{}, how, keys.size(), size};
      std::copy_n(q.begin() + static_cast<std::ptrdiff_t>(first), count, places.q);
      s = detail::find_statistics(where.stream(), storage, keys, places, wanted,
                                  detail::found_sized_quantiles<K>{out + first, places}, size);
    } else {
      detail::wanted_indices indices{};
      detail::found_quantiles<K> found{out + first, {}};
      for (std::size_t i = 0; i < count; ++i) {
        const auto place = detail::place_of_quantile(q[first + i], keys.size(), how);
        indices.index[2 * i] = place.low;
        indices.index[2 * i + 1] = place.high;
        found.share[i] = place.share;
      }
      s = detail::find_statistics(where.stream(), storage, keys, indices, wanted, found);
    }
  }
  return s;
}
/// The same; the quantiles. Throws device_error.
template <device_place Where, sized_values Range, std::size_t Count>
  requires has_order_statistics<given_value_of<Range>>
std::array<double, Count> quantiles(const Where& where, const Range& range,
                                    const std::array<double, Count>& q,
                                    interpolation how = interpolation::linear) {
  return detail::result_of<std::array<double, Count>>(
      where, "quantiles", detail::most_of(range),
      [&](auto* out) { return quantiles_into(where, range, q, out->data(), how); });
}

/// Leaves the median in `*out`: of an even number of values the mean of the two in the middle.
template <device_place Where, sized_values Range>
  requires has_order_statistics<given_value_of<Range>>
status median_into(const Where& where, const Range& range, double* out) {
  constexpr double half[] = {0.5};
  return quantiles_into(where, range, half, out);
}
/// The median. Throws device_error.
template <device_place Where, sized_values Range>
  requires has_order_statistics<given_value_of<Range>>
double median(const Where& where, const Range& range) {
  return quantiles(where, range, std::array{0.5})[0];
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
