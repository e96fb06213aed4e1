// Values by their indices on a CUDA device: stream-ordered, one launch.
//
//   gather(device.on(stream), values, indices, out)     out[i] = values[indices[i]]
//   scatter(device.on(stream), values, indices, out)    out[indices[i]] = values[i]
//
// They never synchronise, need no memory and can be captured in a graph. Values are trivially
// copyable, of any size; a thread copies a word. Indices are integers; an index out of range is
// found on the device: nothing is read or written for it, and `*refused`, an optional last argument
// in device memory, is the number of these. The indices of a scatter differ from each other: for
// two equal ones, either value may be the result. Outputs must not overlap inputs: otherwise the
// call returns a status and writes nothing.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/device/sort/items.cuh"
#include "warpfold/sorted_ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

inline constexpr char gather_overlaps[] = "the output of a gather or scatter overlaps what is read";

/// Word w of the n values goes from from[indices[i]] to to[i], or with `Scatters` from from[i] to
/// to[indices[i]]; there are `most` values at the side of the indices.
template <bool Scatters, class Index, class T>
__global__ void __launch_bounds__(256)
    by_index_kernel(const Index* indices, std::size_t n, const T* from, T* to, std::size_t most,
                    std::size_t* refused) {
  using word = word_of_item<T>;
  constexpr unsigned words = words_of_item<T>;
  const std::size_t w = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  wait_for_primary();
  trigger_dependents();
  if (w >= n * words) return;
  const std::size_t i = w / words;
  const auto index = static_cast<std::size_t>(indices[i]);
  if (index >= most) {
    if (refused != nullptr && w % words == 0) {
      atomicAdd(reinterpret_cast<unsigned long long*>(refused), 1ULL);
    }
    return;
  }
  const auto* const source = reinterpret_cast<const word*>(from + (Scatters ? i : index));
  reinterpret_cast<word*>(to + (Scatters ? index : i))[w % words] = source[w % words];
}

template <bool Scatters, device_place Where, values In, values Indices, values Out>
status by_index(const Where& where, const In& in, const Indices& indices, Out&& out,
                std::size_t* refused) {
  using T = value_of<In>;
  const column read[] = {{in, "values"}, {indices, "indices"}};
  const column outputs[] = {{out, "values", gather_overlaps}};
  const std::size_t n = std::ranges::size(indices);
  status s = Scatters ? refuse_outputs("a scatter has more indices than values", n, {}, {read, 1})
                      : status{};
  if (s.ok()) {
    s = refuse_outputs("the output of a gather is too short", Scatters ? 0 : n, read, outputs);
  }
  if (s.ok() && refused != nullptr) s = zero_async(refused, sizeof *refused, where.stream());
  if (!s.ok() || n == 0) return s;
  const std::size_t blocks = (n * words_of_item<T> + 255) / 256;
  return try_launch({.grid = static_cast<unsigned>(blocks),
                     .block = 256,
                     .stream = where.stream(),
                     .programmatic_launch = true},
                    by_index_kernel<Scatters, value_of<Indices>, T>, std::ranges::data(indices), n,
                    std::ranges::data(in), std::ranges::data(out),
                    std::ranges::size(Scatters ? view(out) : view(in)), refused);
}

}  // namespace detail

/// out[i] = values[indices[i]]
template <device_place Where, values In, values Indices, sortable Out>
  requires std::same_as<value_of<In>, value_of<Out>> && std::integral<value_of<Indices>>
status gather(const Where& where, const In& in, const Indices& indices, Out&& out,
              std::size_t* refused = nullptr) {
  if constexpr (detail::can_write<Out>()) {
    return detail::by_index<false>(where, detail::device_view(in), detail::device_view(indices),
                                   out, refused);
  } else {
    return {};
  }
}

/// out[indices[i]] = values[i]; values at no index stay unchanged. There are as many values as
/// indices, or more.
template <device_place Where, values In, values Indices, sortable Out>
  requires std::same_as<value_of<In>, value_of<Out>> && std::integral<value_of<Indices>>
status scatter(const Where& where, const In& in, const Indices& indices, Out&& out,
               std::size_t* refused = nullptr) {
  if constexpr (detail::can_write<Out>()) {
    return detail::by_index<true>(where, detail::device_view(in), detail::device_view(indices), out,
                                  refused);
  } else {
    return {};
  }
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
