// Which calls keep determinism::gpu_to_gpu: the same bits on any machine.
#pragma once

#include <type_traits>

#include "warpfold/environment.hpp"
#include "warpfold/exact/format.hpp"
#include "warpfold/operators.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class Where>
inline constexpr bool is_gpu_to_gpu = false;
template <class Host>
inline constexpr bool is_gpu_to_gpu<host_execution_with<determinism::gpu_to_gpu_level, Host>> =
    true;
#if WARPFOLD_HAS_DEVICE
template <class Memory>
inline constexpr bool is_gpu_to_gpu<device_execution_with<determinism::gpu_to_gpu_level, Memory>> =
    true;
#endif

template <class Op, class... Ops>
inline constexpr bool is_one_of = (std::is_same_v<Op, Ops> || ...);

/// Whether values of T come to the same in any order and grouping. Of operators of one's own that
/// is not known.
template <class Op, class T>
inline constexpr bool is_order_free =
    is_one_of<Op, minimum, maximum> ||
    (std::is_integral_v<T> && is_one_of<Op, plus, multiplies, bit_and, bit_or, bit_xor>);

/// Whether a reduction at this place is a sum that is rounded once.
template <class Where, class Acc, class Op>
concept sums_exactly = is_gpu_to_gpu<Where> && summable<Acc> && std::is_same_v<Op, plus>;

/// Does not compile where the place asks for the same bits on any machine and the call can't give
/// them.
template <class Where, class Op, class Acc>
constexpr void require_same_bits() {
  static_assert(!is_gpu_to_gpu<Where> || is_order_free<Op, Acc>,
                "this call can't keep determinism::gpu_to_gpu: its result depends on which values "
                "meet first; leave the level out, or sum exactly (docs/exact.md)");
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
