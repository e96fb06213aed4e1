// What the device's calls ask of their arguments' types, and what is said where they do not have
// it: one message, which says what to do. `can_…` is false then, so that the call is left empty and
// the compiler has nothing to say of its insides.
#pragma once

#include <cstddef>
#include <iosfwd>  // declares std::allocator; all of <memory> takes a second more
#include <type_traits>

#include "warpfold/environment.hpp"
#include "warpfold/operators.hpp"
#include "warpfold/order.hpp"
#include "warpfold/ranges.hpp"

namespace warpfold::inline WARPFOLD_MACHINE {
namespace detail {

/// A container with std::allocator (a vector, a string): no device reads what it holds.
template <class Range>
concept owns_host_memory =
    requires { typename std::remove_cvref_t<Range>::allocator_type; } &&
    std::is_same_v<typename std::remove_cvref_t<Range>::allocator_type,
                   std::allocator<typename std::remove_cvref_t<Range>::value_type>>;

template <class Range>
constexpr void require_device_memory() {
  static_assert(!owns_host_memory<Range>,
                "this range is the host's memory (a std::vector, for one): copy it to the device "
                "and pass std::span(pointer, n), or call with warpfold::host");
}
/// The range as a span of device memory.
template <values Range>
std::span<const value_of<Range>> device_view(const Range& range) {
  require_device_memory<Range>();
  return view(range);
}

/// What a wrapper of the library's calls.
template <class F>
struct called_by {
  using type = F;
};
template <class F, class Value>
struct called_by<op_with_identity<F, Value>> : called_by<F> {};
template <class F>
struct called_by<commutative_op<F>> : called_by<F> {};

#if defined(__CUDACC__) && !defined(__clang__)
/// Whether nvcc writes a lambda's type in the name of F. There is no trait for it, and the host
/// compiler, which comes later, writes the name differently.
template <class F>
constexpr bool has_lambda_in_name() {
  constexpr char word[] = "lambda [";
  const char* const name = __PRETTY_FUNCTION__;
  for (std::size_t i = 0; name[i] != 0; ++i) {
    std::size_t same = 0;
    while (word[same] != 0 && name[i + same] == word[same]) ++same;
    if (word[same] == 0) return true;
  }
  return false;
}
template <class F>
constexpr bool is_for_device() {
#if defined(__CUDACC_EXTENDED_LAMBDA__)
  using called = typename called_by<F>::type;
  return __nv_is_extended_device_lambda_closure_type(called) ||
         __nv_is_extended_host_device_lambda_closure_type(called) || !has_lambda_in_name<called>();
#else
  return !has_lambda_in_name<F>();
#endif
}
#else  // lambdas run anywhere on the CPU machine
template <class F>
constexpr bool is_for_device() {
  return true;
}
#endif

/// All of them can be called on the device.
template <class... Functions>
constexpr bool can_run() {
  constexpr bool result = (is_for_device<Functions>() && ...);
  static_assert(result,
                "a kernel can't call this lambda: mark it __device__ and compile with nvcc "
                "--extended-lambda, or pass a struct with a __device__ operator()");
  return result;
}

template <class Op, class Acc>
constexpr bool can_reduce() {
  constexpr bool runs = can_run<Op>(), knows_identity = !runs || has_identity<Op, Acc>,
                 copies = std::is_trivially_copyable_v<Acc>;
  static_assert(knows_identity,
                "the operator needs an identity: pass with_identity(op, value), or give it a "
                "member template <class T> __host__ __device__ T identity() const");
  static_assert(copies, "the accumulator, which is init's type, must be trivially copyable");
  return runs && knows_identity && copies;
}

/// Whether Out, a range as it was passed, is device memory that can be written.
template <class Out>
constexpr bool can_write() {
  using written = std::remove_reference_t<std::ranges::range_reference_t<Out>>;
  constexpr bool on_device = !owns_host_memory<Out>, writable = !std::is_const_v<written>;
  static_assert(on_device,
                "out is the host's memory (a std::vector, for one): pass a span of device "
                "memory");
  static_assert(writable, "out is const: pass a range of values that can be written");
  return on_device && writable;
}

/// Whether a scan of values of `In` can write to Out.
template <class In, class Out, class Acc, class Op>
constexpr bool can_scan() {
  if constexpr (can_write<Out>()) {
    constexpr bool same = std::is_same_v<value_of<Out>, In>;
    static_assert(same,
                  "a scan on a device has the same type in and out, and accumulates in that of "
                  "init: give out the type of the values");
    if constexpr (same) return can_reduce<Op, Acc>();
  }
  return false;
}

/// The identity, or, where can_scan refuses the operator for want of it, any value.
template <class Acc, class Op>
Acc identity_or_any(const Op& op) {
  if constexpr (has_identity<Op, Acc>) {
    return op.template identity<Acc>();
  } else {
    return Acc{};
  }
}

template <class Less, class Keys, class Items = Keys>
constexpr bool can_sort() {
  using key = value_of<Keys>;
  constexpr bool memory = !owns_host_memory<Keys> && !owns_host_memory<Items>,
                 runs = can_run<Less>(),
                 ordered =
                     arithmetic_key<key> || !(std::is_same_v<Less, ascending> ||
                                              std::is_same_v<Less, descending> || is_by_bits<Less>);
  static_assert(memory,
                "keys and items must be device memory, and this is the host's (a "
                "std::vector, for one): pass a span of device memory");
  static_assert(ordered,
                "keys of this type have no order of their own: pass one as the last argument, a "
                "struct with __device__ bool operator()(const K& a, const K& b) const, or "
                "by_members");
  return memory && runs && ordered;
}

}  // namespace detail
}  // namespace warpfold::inline WARPFOLD_MACHINE
