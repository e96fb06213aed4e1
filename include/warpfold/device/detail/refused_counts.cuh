// Calls whose count is a pointer to another type than std::size_t, and what to write instead.
#pragma once

#include <cstddef>
#include <type_traits>

#include "warpfold/device/sized.cuh"
#include "warpfold/environment.hpp"
#include "warpfold/ranges.hpp"
#include "warpfold/status.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

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
