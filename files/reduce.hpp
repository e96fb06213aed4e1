// Reductions of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "data/number_input.hpp"
#include "files/run.hpp"

namespace warpfold::files {

enum class reduction : std::uint8_t {
  sum,
  mean,
  min,
  max,
  argmin,
  argmax,
  product,
  bit_and,
  bit_or,
  bit_xor,
  statistics,
  exact_sum,
  exact_mean,
};

struct reduction_name {
  reduction op;
  std::string_view name, what;
};
inline constexpr reduction_name reductions[] = {
    {reduction::sum, "sum", "in 64 bits: integers wrap there, f32 is added in f64"},
    {reduction::mean, "mean", "accumulated in f64"},
    {reduction::min, "min", "NaN if any value is NaN"},
    {reduction::max, "max", "NaN if any value is NaN"},
    {reduction::argmin, "argmin", "index of the first NaN, else of the first minimum"},
    {reduction::argmax, "argmax", "index of the first NaN, else of the first maximum"},
    {reduction::product, "product", "as for the sum"},
    {reduction::bit_and, "and", "of integers"},
    {reduction::bit_or, "or", "of integers"},
    {reduction::bit_xor, "xor", "of integers"},
    {reduction::statistics, "statistics",
     "count, sum, mean, population variance, minimum and maximum with their indices"},
    {reduction::exact_sum, "exact-sum",
     "of f32 or f64, rounded once to the file's type; the same bits on every machine"},
    {reduction::exact_mean, "exact-mean", "of f32 or f64, rounded once to the file's type"}};

constexpr std::string_view name_of(reduction op) {
  return reductions[static_cast<std::size_t>(op)].name;
}

/// What sums and products of T are accumulated in.
template <class T>
using wide =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

using number = std::variant<std::int64_t, std::uint64_t, float, double>;

/// Small integers in 64 bits, all else as it is.
template <class T>
number as_number(T value) {
  if constexpr (std::is_same_v<T, float>)
    return value;
  else
    return static_cast<wide<T>>(value);
}

inline double as_double(const number& value) {
  return std::visit([](auto v) { return static_cast<double>(v); }, value);
}

/// The shortest text that reads back as the same value; "nan", "inf", "-inf".
std::string text_of(const number& value);

/// A result in named parts: one, but for statistics.
using reduced = std::vector<std::pair<std::string, number>>;

/// What else there is to ask of exact sums and means.
struct exact_request {
  bool as_f64 = false;                               // round those of f32 to f64
  std::vector<std::uint8_t>* accumulator = nullptr;  // gets the unrounded sum (docs/exact.md)
};

/// Reduces all elements. Throws usage_error for an operation that the type does not have,
/// data_error for a mean, an extreme or statistics of no values.
reduced reduce_all(data::number_input& in, reduction op, const run_options& o,
                   const exact_request& exact = {});

/// Reduces a 2-D array along axis 0 (a result for each column) or 1 (a result for each row), in
/// C order. The results' type is that of reduce_all. Throws usage_error for another shape, an
/// operation with more than one result, or results that do not fit in the memory.
struct reduced_axis {
  value_type type;
  std::vector<std::byte> bytes;
};
reduced_axis reduce_axis(data::number_input& in, reduction op, unsigned axis, const run_options& o);

}  // namespace warpfold::files
