// An exact sum of floating-point values: nothing is rounded until it is asked for, so the result
// does not depend on the order of the values, nor on who added which.
//
//   warpfold::exact_accumulator<float> sum;
//   sum.add(1e30F), sum.add(1), sum.subtract(1e30F);
//   sum.round()                                         // 1
//   sum.merge(warpfold::exact_accumulator<float>::from_bytes(bytes))   // another machine's
//
// A whole number of 2^-150 (f32) or 2^-1075 (f64), which 2^64 terms can't overflow. Trivially
// copyable. In kernels, too; an accumulator belongs to one thread there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/error.hpp"
#include "warpfold/exact/bytes.hpp"
#include "warpfold/exact/host/accumulate.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {

/// The exact sum of values of T (f32 or f64), of which infinities and NaN may be some.
template <detail::summable T>
class exact_accumulator {
 public:
  /// No terms: the sum is +0.
  exact_accumulator() = default;
  /// For the library.
  __host__ __device__ explicit exact_accumulator(const detail::exact_state<T>& state)
      : state_(state) {}

  /// Adds value.
  __host__ __device__ void add(T value) { state_.add(value); }
  /// Adds -value.
  __host__ __device__ void subtract(T value) { state_.add(-value); }
  /// Adds all values; on the host by vectors, where their range allows it.
  void add(std::span<const T> values) { detail::add_batches(state_, values.data(), values.size()); }

  /// Adds what the other one has added.
  __host__ __device__ void merge(const exact_accumulator& other) { state_.merge(other.state_); }
  /// Adds the negative of the other's sum: infinities change their sign; that of -0's alone is +0.
  __host__ __device__ void subtract(const exact_accumulator& other) {
    state_.sum.merge(other.state_.sum, -1);
    state_.seen |= detail::negated(other.state_.seen);
  }

  /// The sum, rounded to the nearest value, of two as near the one whose last bit is 0. +0 of no
  /// terms, -0 of -0's alone, else +0 where the terms cancel. An infinity if one was added or if
  /// the exact sum rounds to one; NaN of infinities of both signs, or if a NaN was added.
  template <class To = T>
  [[nodiscard]] __host__ __device__ To round() const {
    return state_.template quotient<To>(1);
  }
  /// The sum divided by `count` (not 0), rounded once.
  template <class To = T>
  [[nodiscard]] __host__ __device__ To mean(std::uint64_t count) const {
    return state_.template quotient<To>(count);
  }

  /// Whether both stand for the same sum.
  friend __host__ __device__ bool operator==(const exact_accumulator& a,
                                             const exact_accumulator& b) {
    const auto x = a.state_.canonical(), y = b.state_.canonical();
    for (unsigned j = 0; j < x.sum.count; ++j) {
      if (x.sum.digit[j] != y.sum.digit[j]) return false;
    }
    return x.seen == y.seen;
  }

  /// The size of the byte format, whose layout is in docs/exact.md.
  static constexpr std::size_t bytes =
      detail::byte_layout::size(detail::exact_state<T>::sum_type::count);
  /// Writes `bytes` bytes; the same for the same sum, however it came about.
  __host__ __device__ void to_bytes(std::uint8_t* to) const { detail::write_bytes(state_, to); }
  /// Reads them: nullptr, or what is wrong with them, and then nothing has changed.
  [[nodiscard]] __host__ __device__ const char* read(const std::uint8_t* from, std::size_t size) {
    return detail::read_bytes(state_, from, size);
  }
  /// Reads them; throws data_error, which says what is wrong with them.
  [[nodiscard]] static exact_accumulator from_bytes(std::span<const std::uint8_t> from) {
    exact_accumulator result;
    if (const char* const reason = result.read(from.data(), from.size())) {
      throw data_error("exact_accumulator<", detail::format<T>::name, ">::from_bytes of ",
                       from.size(), " bytes: ", reason, "; expected are the ", bytes,
                       " that to_bytes wrote");
    }
    return result;
  }

 private:
  detail::exact_state<T> state_;
};

}  // namespace warpfold::inline WARPFOLD_MACHINE
