// Values by their indices on the host's threads: gather, scatter.
//
// Indices are integers. The indices of a scatter differ from each other. usage_error: an index out
// of range, an output that is too short or overlaps what is read, fewer values than indices;
// nothing is written then.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>

#include "warpfold/host/detail/compact.hpp"
#include "warpfold/host/search.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace host_detail {

template <class Where, class Indices>
void check_indices(const char* call, const Where& where, const Indices& indices, std::size_t most) {
  const auto all = view(indices);
  const std::size_t wrong = find_first(
      where, all.size(), [&](std::size_t i) { return static_cast<std::size_t>(all[i]) >= most; });
  if (wrong == all.size()) return;
  throw usage_error(call, ": indices[", wrong, "] passes the end of ", most,
                    " values; indices count from 0");
}
template <class In, class Indices, class Out>
void check_apart(const char* call, const In& in, const Indices& indices, const Out& out) {
  const detail::column read[] = {{in, "values"}, {indices, "indices"}};
  const detail::column outputs[] = {
      {out, "values", "the output of a gather or scatter overlaps what is read"}};
  throw_refused(call, detail::refuse_outputs("", 0, read, outputs));
}

}  // namespace host_detail

/// out[i] = values[indices[i]]
template <host_place Where, values In, values Indices, sortable Out>
  requires std::same_as<value_of<In>, value_of<Out>> && std::integral<value_of<Indices>>
void gather(Where where, const In& in, const Indices& indices, Out&& out) {
  constexpr const char* call = "warpfold::gather(host, values, indices, out)";
  host_detail::check_room("gather(host, values, indices, out)", "out", out,
                          std::ranges::size(indices));
  host_detail::check_apart(call, in, indices, out);
  host_detail::check_indices(call, where, indices, std::ranges::size(in));
  host_detail::for_each_needle(where, view(indices), [&](std::size_t i, const auto& index) {
    std::ranges::data(out)[i] = std::ranges::data(in)[static_cast<std::size_t>(index)];
  });
}

/// out[indices[i]] = values[i]; values at no index stay unchanged. There are as many values as
/// indices, or more.
template <host_place Where, values In, values Indices, sortable Out>
  requires std::same_as<value_of<In>, value_of<Out>> && std::integral<value_of<Indices>>
void scatter(Where where, const In& in, const Indices& indices, Out&& out) {
  constexpr const char* call = "warpfold::scatter(host, values, indices, out)";
  if (std::ranges::size(in) < std::ranges::size(indices)) {
    throw usage_error(call, ": ", std::ranges::size(in), " values and ", std::ranges::size(indices),
                      " indices; pass a value for each index");
  }
  host_detail::check_apart(call, in, indices, out);
  host_detail::check_indices(call, where, indices, std::ranges::size(out));
  host_detail::for_each_needle(where, view(indices), [&](std::size_t i, const auto& index) {
    std::ranges::data(out)[static_cast<std::size_t>(index)] = std::ranges::data(in)[i];
  });
}

}  // namespace warpfold::inline WARPFOLD_MACHINE
