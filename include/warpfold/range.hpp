// What counts as a range of values: all that std::span can be made of.
#pragma once

#include <concepts>
#include <span>
#include <type_traits>

namespace warpfold {

/// Arrays, vectors, spans and their like; no pointers.
template <class R>
concept contiguous_values = requires(R& range) { std::span(range); };

template <contiguous_values R>
using element_of = typename decltype(std::span(std::declval<R&>()))::element_type;

template <contiguous_values R>
using value_of = std::remove_cv_t<element_of<R>>;

/// A range whose values can be written.
template <class R>
concept contiguous_output =
    contiguous_values<R> && !std::is_const_v<element_of<std::remove_reference_t<R>>>;

}  // namespace warpfold
