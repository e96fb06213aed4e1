#include "simt/directed.hpp"

#include <cfenv>
#include <cmath>

namespace simt::detail {

namespace {

class rounding_scope {
 public:
  explicit rounding_scope(rounding r) : before_(std::fegetround()) {
    std::fesetround(r == rounding::zero   ? FE_TOWARDZERO
                    : r == rounding::down ? FE_DOWNWARD
                    : r == rounding::up   ? FE_UPWARD
                                          : FE_TONEAREST);
  }
  ~rounding_scope() { std::fesetround(before_); }
  rounding_scope(const rounding_scope&) = delete;
  rounding_scope& operator=(const rounding_scope&) = delete;

 private:
  int before_;
};

/// Volatile, so that the compiler neither computes it beforehand nor moves it out of the scope.
template <class To, class F, class... From>
[[gnu::always_inline]] inline To directed(rounding r, F f, From... values) {
  volatile To result = To{};
  {
    const rounding_scope scope(r);
    result = [&](const volatile From&... v) -> To { return f(From(v)...); }(values...);
  }
  return result;
}

}  // namespace

#define SIMT_DIRECTED(type)                                                    \
  type directed_sum(rounding r, type a, type b) {                              \
    return directed<type>(                                                     \
        r, [](type x, type y) { return x + y; }, a, b);                        \
  }                                                                            \
  type directed_product(rounding r, type a, type b) {                          \
    return directed<type>(                                                     \
        r, [](type x, type y) { return x * y; }, a, b);                        \
  }                                                                            \
  type directed_quotient(rounding r, type a, type b) {                         \
    return directed<type>(                                                     \
        r, [](type x, type y) { return x / y; }, a, b);                        \
  }                                                                            \
  type directed_fma(rounding r, type a, type b, type c) {                      \
    return directed<type>(                                                     \
        r, [](type x, type y, type z) { return std::fma(x, y, z); }, a, b, c); \
  }                                                                            \
  type directed_root(rounding r, type v) {                                     \
    return directed<type>(                                                     \
        r, [](type x) { return std::sqrt(x); }, v);                            \
  }
SIMT_DIRECTED(float)
SIMT_DIRECTED(double)
#undef SIMT_DIRECTED

// From double precision rounded to odd, so that it is as if it had been rounded once.
float directed_float(rounding r, double v) {
  return directed<float>(
      r, [](double x) { return static_cast<float>(x); }, v);
}
float directed_float(rounding r, long long v) { return directed_float(r, to_odd(v)); }
float directed_float(rounding r, unsigned long long v) { return directed_float(r, to_odd(v)); }
double directed_double(rounding r, long long v) {
  return directed<double>(
      r, [](long long x) { return static_cast<double>(x); }, v);
}
/// Its halves are exact, and their sum is rounded once.
double directed_double(rounding r, unsigned long long v) {
  return directed_sum(r, static_cast<double>(v >> 32) * 0x1p32,
                      static_cast<double>(v & 0xffffffffU));
}

}  // namespace simt::detail
