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
    (std::is_integral_v<T> &&
     is_one_of<Op, plus, pairwise_plus, multiplies, bit_and, bit_or, bit_xor>);

/// Whether a reduction at this place is a sum that is rounded once.
template <class Where, class Acc, class Op>
concept sums_exactly = is_gpu_to_gpu<Where> && summable<Acc> && std::is_same_v<Op, plus>;

/// Whether a call at this place meets its values in the canonical order (docs/canonical.md): its
/// result would depend on the order otherwise.
template <class Where, class Op, class Acc>
inline constexpr bool is_canonical = is_gpu_to_gpu<Where> && !is_order_free<Op, Acc>;

/// Does not compile where the place asks for the same bits on any machine and the call can't give
/// them.
template <class Where, class Op, class Acc>
constexpr void require_same_bits() {
  static_assert(!is_canonical<Where, Op, Acc>,
                "this call can't keep determinism::gpu_to_gpu: its result depends on which values "
                "meet first; leave the level out, or use a call that has a canonical order "
                "(docs/canonical.md)");
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
