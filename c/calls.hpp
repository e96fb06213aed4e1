// The library's calls with types and operators that are known at run time: what C, Fortran and
// Python call. One table of function pointers a type and machine; calls throw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "c/warpfold.h"
#include "warpfold/exact/accumulator.hpp"

namespace warpfold::erased {

inline constexpr unsigned type_count = 10;

using accumulator = std::variant<exact_accumulator<float>, exact_accumulator<double>>;

/// An array of `outer` blocks of n rows of `inner` values each; n is the axis of a call.
struct shape {
  std::size_t outer, n, inner;
};

/// Of one type T of values. `wide`: results and init are of T's kind with 64 bits, else of T.
/// `init` may be null. Pointers are to device memory in a device's table, but for `init`.
struct calls {
  std::size_t size = 0;
  void (*reduce)(const wf_place&, wf_op, const void* values, std::size_t n, bool wide,
                 const void* init, void* result) = nullptr;
  void (*reduce_axis)(const wf_place&, wf_op, const void* values, shape, bool wide,
                      void* results) = nullptr;
  /// `rows` rows of n values each, one after another; so below.
  void (*scan)(const wf_place&, wf_op, const void* in, std::size_t rows, std::size_t n,
               bool exclusive, bool wide, const void* init, void* out) = nullptr;
  void (*sort)(const wf_place&, void* keys, std::size_t rows, std::size_t n, wf_order) = nullptr;
  void (*sort_by_key)(const wf_place&, void* keys, void* items, std::size_t item_bytes,
                      std::size_t n, wf_order) = nullptr;
  void (*argsort)(const wf_place&, const void* keys, std::size_t rows, std::size_t n, wf_order,
                  std::uint64_t* indices) = nullptr;
  /// One index, and unless it is null one value, a row.
  void (*extreme)(const wf_place&, wf_op, const void* values, std::size_t rows, std::size_t n,
                  void* value, std::uint64_t* index) = nullptr;
  /// `ends`: the smallest value, then the greatest one, of T.
  void (*minmax)(const wf_place&, const void* values, std::size_t n, void* ends) = nullptr;
  void (*mean)(const wf_place&, const void* values, std::size_t n, double* mean) = nullptr;
  /// `ends`: as minmax's; may be null.
  void (*statistics)(const wf_place&, const void* values, std::size_t n, wf_summary*,
                     void* ends) = nullptr;
  /// Null unless T is f32 or f64; so below.
  void (*exact_sum)(const wf_place&, const void* values, std::size_t n, void* result) = nullptr;
  void (*exact_mean)(const wf_place&, const void* values, std::size_t n, void* result) = nullptr;
  void (*exact_dot)(const wf_place&, const void* a, const void* b, std::size_t n,
                    void* result) = nullptr;
  /// The sum in its byte format: on each machine the accumulator is a type of its own.
  void (*accumulate)(const wf_place&, const void* values, std::size_t n,
                     std::uint8_t* bytes) = nullptr;
};

template <class T>
const calls& host_calls_of();
/// Null where this build, or the device, has no calls of that type.
const calls* device_calls(wf_type type);

/// The table of this type at this place; throws usage_error or device_error where there is none.
const calls& calls_of(const wf_place& where, wf_type type);
/// The same, and throws usage_error unless the type is f32 or f64.
const calls& exact_calls_of(const wf_place& where, wf_type type);
/// Whether results of `result` are wide ones of `type`; throws usage_error where they can't be.
bool is_wide(wf_type type, wf_op op, wf_type result);
const char* name_of(wf_type type);
const char* name_of(wf_op op);
/// The sum of no terms; throws usage_error unless the type is f32 or f64.
accumulator make_accumulator(wf_type type);
/// Adds the values, which are of the sum's type.
void add(accumulator& sum, const wf_place& where, const void* values, std::size_t n);
/// Throws usage_error where `from` is of another type.
void merge(accumulator& to, const accumulator& from);
/// Makes `sum`, which keeps its type, what the bytes say; throws data_error.
void read(accumulator& sum, const std::uint8_t* bytes, std::size_t size);

}  // namespace warpfold::erased
