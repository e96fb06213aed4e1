// The table of functions: what each is called on, and how it runs.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "values.cuh"

namespace probe {

// The bits of a result. Of a NaN only that it is one: its bits differ between machines.
template <class T>
__device__ inline word result_of(T v) {
  return to_word(v);
}
__device__ inline word result_of(float v) { return v != v ? 0x7fffffff : to_word(v); }
__device__ inline word result_of(double v) { return v != v ? 0x7fffffffffffffff : to_word(v); }
__device__ inline word result_of(__half v) {
  const word bits = to_word(v);
  return (bits & 0x7fff) > 0x7c00 ? 0x7fff : bits;
}
__device__ inline word result_of(__nv_bfloat16 v) {
  const word bits = to_word(v);
  return (bits & 0x7fff) > 0x7f80 ? 0x7fff : bits;
}
__device__ inline word result_of(__half2 v) { return result_of(v.x) | result_of(v.y) << 16; }
__device__ inline word result_of(__nv_bfloat162 v) { return result_of(v.x) | result_of(v.y) << 16; }
__device__ inline word result_of(float2 v) { return result_of(v.x) | result_of(v.y) << 32; }
__device__ inline word result_of(bool v) { return v ? 1 : 0; }

using real = long double;

/// A result as a number, and its format.
struct number {
  real value;
  int mantissa_bits, lowest_exponent, highest_exponent;
};
template <class T>
number number_of(word);
template <>
inline number number_of<float>(word w) {
  return {from_word<float>(w), 23, -126, 127};
}
template <>
inline number number_of<double>(word w) {
  return {from_word<double>(w), 52, -1022, 1023};
}
template <>
inline number number_of<__half>(word w) {
  return {__half2float(from_word<__half>(w)), 10, -14, 15};
}
template <>
inline number number_of<__nv_bfloat16>(word w) {
  return {__bfloat162float(from_word<__nv_bfloat16>(w)), 7, -126, 127};
}

/// How the distance from the exact result is measured.
enum class unit { ulp, absolute, relative };

/// A function that is not rounded correctly: what is exact, and how far from it a result may be.
/// Where that is below 0 nothing is known of the result.
struct nearness {
  real (*exact)(real x, real y, real z, real w) = nullptr;
  real (*most)(real x, real y) = nullptr;
  number (*value)(word result) = nullptr;
  unit in = unit::ulp;
  std::vector<number (*)(word)> operands{};
  std::string text{};  // of the bound
};

template <class... A>
struct signature {
  template <class F, std::size_t... K>
  static __device__ word call(const word* in, unsigned n, unsigned i, std::index_sequence<K...>) {
    return result_of(F::at(from_word<A>(in[K * n + i])...));
  }
  static constexpr std::size_t count = sizeof...(A);
  static std::vector<std::vector<word>> lists(unsigned n) { return {operands<A>::list(n)...}; }
  static std::vector<number (*)(word)> numbers() { return {number_of<A>...}; }
  static constexpr unsigned one_operand_bits = 8 * std::min({sizeof(A)...});
};
template <class R, class... A>
signature<A...> signature_of(R (*)(A...));
template <class F>
using signature_for = decltype(signature_of(&F::at));

constexpr unsigned threads = 256;

/// Result i of F, for operand k in in[k n + i].
template <class F>
__global__ void apply(const word* in, word* out, unsigned n) {
  const unsigned i = blockIdx.x * threads + threadIdx.x;
  out[i] = signature_for<F>::template call<F>(in, n, i,
                                              std::make_index_sequence<signature_for<F>::count>());
}

__host__ __device__ inline word hashed(word result, word i) { return mixed(result + mixed(i)); }

/// The hash of F of all words of 32 bits.
template <class F>
__global__ void sweep(word* sum) {
  word own = 0;
  for (word i = blockIdx.x * threads + threadIdx.x; i < word{1} << 32; i += gridDim.x * threads) {
    const word argument = static_cast<unsigned>(i);
    own += hashed(signature_for<F>::template call<F>(&argument, 1, 0, std::index_sequence<0>()), i);
  }
  atomicAdd(sum, own);
}

struct function {
  std::string name;
  std::size_t count;                                    // of operands
  std::vector<std::vector<word>> (*lists)(unsigned n);  // of the operands
  unsigned bits;                                        // of the smallest operand
  void (*run)(const word* in, word* out, unsigned n);   // on the device's memory
  void (*run_all)(word* sum) = nullptr;                 // one operand: all that there are
  nearness near{};
};

inline std::vector<function>& table() {
  static std::vector<function> all;
  return all;
}

template <class F>
bool add(const char* name) {
  using s = signature_for<F>;
  table().push_back(
      {name, s::count, s::lists, s::one_operand_bits, [](const word* in, word* out, unsigned n) {
         apply<F><<<n / threads, threads>>>(in, out, n);
       }});
  return true;
}
template <class F>
bool add_swept(const char* name) {
  add<F>(name);
  table().back().run_all = [](word* sum) { sweep<F><<<1056, threads>>>(sum); };
  return true;
}

}  // namespace probe

// PROBE("name", result, (parameters), statements…) is one line of the table.
#define PROBE_JOINED_(a, b) a##b
#define PROBE_JOINED(a, b) PROBE_JOINED_(a, b)
#define PROBE_WITH(id, how, name, R, parameters, ...) \
  struct PROBE_JOINED(function_, id) {                \
    static __device__ R at parameters { __VA_ARGS__ } \
  };                                                  \
  [[maybe_unused]] const bool PROBE_JOINED(added_, id) = how<PROBE_JOINED(function_, id)>(name);
#define PROBE(...) PROBE_WITH(__COUNTER__, add, __VA_ARGS__)
// By operand types.
#define PROBE_1(name, R, A) PROBE(#name "(" #A ")", R, (A a), return name(a);)
#define PROBE_2(name, R, A, B) PROBE(#name "(" #A " " #B ")", R, (A a, B b), return name(a, b);)
#define PROBE_3(name, R, A, B, C) PROBE(#name "(" #A ")", R, (A a, B b, C c), return name(a, b, c);)
