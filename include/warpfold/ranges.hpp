// What the calls take as a range: anything with contiguous values, such as a span, or on the host a
// vector.
#pragma once

#include <cstddef>
#include <span>  // its constructor needs the concepts of ranges; all of <ranges> takes a second more
#include <type_traits>

#include "warpfold/language.hpp"

namespace warpfold {

/// Contiguous values with a size.
template <class Range>
concept values = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range>;

/// The type of its values.
template <values Range>
using value_of = std::remove_cv_t<std::ranges::range_value_t<Range>>;

/// A range whose values can be written, as bytes.
template <class Range>
concept sortable = values<Range> && std::is_trivially_copyable_v<value_of<Range>> &&
                   std::is_lvalue_reference_v<std::ranges::range_reference_t<Range>> &&
                   !std::is_const_v<std::remove_reference_t<std::ranges::range_reference_t<Range>>>;

/// Two buffers of n values each; `current` holds the values. A sort may leave them in either
/// buffer; it exchanges the two if the result is in the other one.
///
///   exchangeable keys{a, b};
///   sort(device, keys);  // keys.current is a, or b
template <class T>
  requires std::is_trivially_copyable_v<T>
struct exchangeable {
  std::span<T> current;  ///< The values.
  std::span<T> other;    ///< Room for as many; its contents are unspecified before and after.
};
/// Of two spans; clang before 17 does not deduce it from the members.
template <class T>
exchangeable(std::span<T>, std::span<T>) -> exchangeable<T>;

/// What an argsort numbers keys with.
template <class I>
concept index_type = std::is_integral_v<I> && (sizeof(I) == 4 || sizeof(I) == 8);
/// How many keys such numbers tell apart.
template <index_type I>
inline constexpr std::size_t most_indexed = ~std::size_t{0} >>
                                            (64 - 8 * sizeof(I) + (std::is_signed_v<I> ? 1 : 0));

/// What stands for an order where a range could stand, too.
template <class Less>
concept no_values = !values<Less>;

/// What values of T are reduced in unless an accumulator is given: themselves, or f32 for the
/// 2-byte floating-point types.
template <class T>
using accumulator_for =
    std::conditional_t<sizeof(T) == 2 && !std::is_integral_v<T> && std::is_convertible_v<T, float>,
                       float, T>;
/// What its values are reduced in.
template <values Range>
using accumulator_of = accumulator_for<value_of<Range>>;

/// The range as a span.
template <values Range>
std::span<const value_of<Range>> view(const Range& range) {
  return {std::ranges::data(range), std::ranges::size(range)};
}

/// rows * columns, or the largest size where that is more.
constexpr std::size_t values_in_rows(std::size_t rows, std::size_t columns) {
  constexpr auto most = static_cast<std::size_t>(-1);
  return columns != 0 && rows > most / columns ? most : rows * columns;
}

/// Whether n values are `rows` rows of `columns`.
constexpr bool holds_rows(std::size_t n, std::size_t rows, std::size_t columns) {
  return columns == 0 ? n == 0 : n / columns == rows && n % columns == 0;
}

}  // namespace warpfold
