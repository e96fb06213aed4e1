// A rung: one file, one idea. Its description, and the function that launches it.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "measure/figure.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::ladder {

/// `longest_chain` is for the ladders themselves: applied to zeros, it computes how many
/// applications follow one another on the way to a result.
enum class operation : std::uint8_t {
  sum,
  product,
  min,
  max,
  mean,
  bit_and,
  bit_or,
  bit_xor,
  longest_chain
};

/// Which instances of its kernels a rung was compiled with: those that the ladder's table shows by
/// default, sums of i32 and ascending u32 keys, or all.
enum class instances : std::uint8_t { one, all };

struct operation_name {
  operation op;
  std::string_view name;
};
inline constexpr operation_name operations[] = {
    {operation::sum, "sum"},   {operation::product, "product"}, {operation::min, "min"},
    {operation::max, "max"},   {operation::mean, "mean"},       {operation::bit_and, "and"},
    {operation::bit_or, "or"}, {operation::bit_xor, "xor"}};

constexpr std::string_view name_of(operation op) {
  return operations[static_cast<std::size_t>(op)].name;
}
constexpr bool is_bitwise(operation op) {
  return op == operation::bit_and || op == operation::bit_or || op == operation::bit_xor;
}

/// The types that ladder kernels are built for.
inline constexpr value_type kernel_types[] = {value_type::i32, value_type::i64, value_type::f32,
                                              value_type::f64};

/// The types that the sort ladder's kernels take as keys.
inline constexpr value_type key_types[] = {value_type::u32, value_type::i32, value_type::f32,
                                           value_type::u64, value_type::f64};

/// The types that the histogram ladder's kernels count.
inline constexpr value_type counted_types[] = {value_type::u32, value_type::i32, value_type::u64,
                                               value_type::i64};
/// Of a histogram, where nothing else is asked for.
inline constexpr unsigned default_bins = 64;

/// A figure that a source document prints for a rung; 0 where it prints none.
struct published {
  double g80_gbs = 0;   // G80, 2^22 int32, documents 003 and 004
  double k40m_gbs = 0;  // Tesla K40m, 2^26 int32, document 002
};

using measure::figure;

/// A figure that shows what a rung improves: its value over that of the rung it is compared with
/// lies in [least, most] for a large input. Where that rung's is 0, this one's is not, and `most`
/// says nothing.
struct change {
  measure::figure of = measure::figure::none;
  double least = 0;
  double most = 0;
};

struct description {
  int number;
  std::string_view name;
  std::string_view idea;             // in one line
  std::string_view improves{};       // what it does better than the rung before
  std::array<change, 3> evidence{};  // the figures that show it
  std::string_view also{};           // what else shows it, in words
  std::string_view source{};         // where it comes from
  std::string_view corrections{};    // what the published kernel gets wrong and this one does not
  bool begins_series = false;        // the first of a document's: no step from the rung before
  int compared_with = 0;             // the rung that evidence is held against; 0: the one before
  bool in_place = false;             // works inside its input: give it a copy
  unsigned least_block = 32;    // the fewest threads its kernel works with; any power of two above
  std::size_t most_values = 0;  // more take too long; 0: any number
  int capability = 0;           // the compute capability it needs, times 10; 0: any
  bool reference = false;       // somebody else's, to compare with; it has no number
  ladder::published published{};
};

/// What a launch is made for.
struct shape {
  std::size_t n;
  unsigned block;
  unsigned processors;  // multiprocessors of the machine
  std::size_t value_bytes;
  unsigned most_blocks = ~0U;  // that the machine holds at once, however many its processors could
  unsigned bins = default_bins;  // of a histogram
};

/// One launch: `n` values at `in` become `partials(shape)` values at `out`.
struct launch_request {
  value_type type;
  operation op;
  ladder::shape shape;
  void* in;  // an in-place rung writes here
  void* out;
  void* scratch;  // at least `scratch_bytes(shape)`, zero before the first launch; or nullptr
  void* stream;
  bool exclusive = false;  // of a scan: each result without the value at its own place
  /// Of a sort, whose values are its keys: u32 values that travel with them, or nullptr. A rung in
  /// place is given the same memory as `in` and as `out`.
  void* values_in = nullptr;
  void* values_out = nullptr;
  bool descending = false;
  void* kept = nullptr;  // of a selection: how many values it keeps, a u64
};

/// How often an algorithm applies its operator to n values, by a document's formula.
struct work_formula {
  std::string_view text;
  double (*of)(double n) = nullptr;
};
namespace work_formulas {
inline constexpr work_formula additions{"n", [](double n) { return n; }};
inline constexpr work_formula tree{"n - 1", [](double n) { return n - 1; }};
inline constexpr work_formula hillis_steele{"n log2 n", [](double n) { return n * std::log2(n); }};
inline constexpr work_formula blelloch{"2(n - 1)", [](double n) { return 2 * (n - 1); }};
inline constexpr work_formula transposition{"n(n - 1)/2", [](double n) { return n * (n - 1) / 2; }};
inline constexpr work_formula bitonic{"n log2² n / 4",
                                      [](double n) { return n * std::log2(n) * std::log2(n) / 4; }};
}  // namespace work_formulas

struct rung {
  description about;
  unsigned (*grid)(const shape&);              // blocks of a launch
  std::size_t (*partials)(const shape&);       // values that a launch leaves
  std::size_t (*scratch_bytes)(const shape&);  // device memory that a launch needs besides
  unsigned (*launch)(const launch_request&);   // returns how many kernels it launched
  /// How many applications may follow one another, where the ladder does not measure it.
  double (*depth_limit)(const shape&) = nullptr;
  ladder::work_formula textbook{};
  /// How often one launch request applies the operator, by the rung's own count: for sums of i32,
  /// and for sorts of as many keys as a power of two. None where it depends on chance or the keys.
  double (*work)(const shape&) = nullptr;
  /// Why it does not take these; empty where it does.
  std::string_view (*obstacle)(value_type, operation) = nullptr;
  /// Of a histogram: the most bins that it takes. None: any number.
  std::size_t (*most_bins)(const shape&) = nullptr;
  bool any_order = false;  // of a selection: what it keeps is in no order
};

/// The text of a rung's file.
struct rung_source {
  std::string_view stem;  // "12_sequential"
  std::string_view text;
};

}  // namespace warpfold::ladder
