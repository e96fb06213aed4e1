// What is made of predicates runs where they do.
#pragma once

#include "warpfold/device/detail/requirements.hpp"
#include "warpfold/predicates.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

template <class F>
struct called_by<opposite_of<F>> : called_by<F> {};
template <class F>
struct called_by<counted_by<F>> : called_by<F> {};

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
