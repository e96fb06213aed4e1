// In long double, so that what is rounded to double is within what CUDA allows.
#include "simt/functions.hpp"

#include <cmath>

namespace {

using real = long double;
constexpr real pi = 3.14159265358979323846264338327950288L, root_of_pi = 1.77245385090551602729817L,
               root_of_2 = 1.41421356237309504880168872420969808L, infinity = INFINITY;

/// Steps of Halley's towards f(x) = y, where `slope` e^(-x x) is the derivative of f, erf or erfc.
template <class F>
real solved(F f, real slope, real x, real y) {
  for (int step = 0; step < 4; ++step) {
    const real miss = (f(x) - y) / (slope * std::exp(-x * x));
    x -= miss / (1 + x * miss);
  }
  return x;
}

real inverse_erfc(real y);

real inverse_erf(real y) {
  if (!(std::fabs(y) <= 1)) return NAN;
  if (std::fabs(y) > 0.5L) return std::copysign(inverse_erfc(1 - std::fabs(y)), y);
  if (y == 0) return y;
  return solved([](real x) { return std::erf(x); }, 2 / root_of_pi, y * root_of_pi / 2, y);
}

real inverse_erfc(real y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y == 0) return infinity;
  if (y > 1.5L) return -inverse_erfc(2 - y);
  if (y > 0.5L) return inverse_erf(1 - y);
  // Abramowitz and Stegun 26.2.22.
  const real t = std::sqrt(-2 * std::log(y / 2));
  const real x = (t - (2.30753L + t * 0.27061L) / (1 + t * (0.99229L + t * 0.04481L))) / root_of_2;
  return solved([](real v) { return std::erfc(v); }, -2 / root_of_pi, x, y);
}

/// The sine of pi times `x` and of `quarters` right angles. The reduction is exact.
real sine_of_turns(real x, int quarters) {
  if (!(std::fabs(x) < infinity)) return NAN;
  const real halves = std::rint(2 * x), rest = (x - halves / 2) * pi;
  const unsigned turn = static_cast<unsigned>(static_cast<int>(std::fmod(halves, 4.0L)) + quarters);
  const real v = turn % 2 != 0 ? std::cos(rest) : std::sin(rest);
  return turn % 4 > 1 ? -v : v;
}

real length(real a, real b, real c, real d) {
  return std::hypot(std::hypot(a, b), std::hypot(c, d));
}

/// The modified Bessel function of the first kind, by its power series: all terms have one sign.
real bessel_i(int order, real x) {
  const real half = std::fabs(x) / 2;
  if (!(half < 400)) return half != half ? half : std::copysign(infinity, order == 0 ? 1 : x);
  real term = order == 0 ? 1 : half, sum = 0;
  for (int k = 1; sum + term != sum; ++k) {
    sum += term;
    term *= half * half / (static_cast<real>(k) * (k + order));
  }
  return order == 0 ? sum : std::copysign(sum, x);
}

}  // namespace

namespace simt::detail {

double exact_cbrt(double v) noexcept { return static_cast<double>(std::cbrt(real{v})); }
double exact_j0(double v) noexcept { return static_cast<double>(j0l(v)); }
double exact_j1(double v) noexcept { return static_cast<double>(j1l(v)); }
double exact_y0(double v) noexcept { return static_cast<double>(y0l(v)); }
double exact_y1(double v) noexcept { return static_cast<double>(y1l(v)); }
double exact_norm(double a, double b, double c, double d) noexcept {
  return static_cast<double>(length(a, b, c, d));
}
double exact_rnorm(double a, double b, double c, double d) noexcept {
  return static_cast<double>(1 / length(a, b, c, d));
}
double exact_tanh(double v) noexcept { return static_cast<double>(std::tanh(real{v})); }
double exact_exp10(double v) noexcept { return static_cast<double>(std::pow(10.0L, real{v})); }
double exact_rcbrt(double v) noexcept { return static_cast<double>(1 / std::cbrt(real{v})); }
double exact_sinpi(double v) noexcept {
  // A whole number has the zero of its sign.
  return std::isfinite(v) && v == std::rint(v) ? std::copysign(0.0, v)
                                               : static_cast<double>(sine_of_turns(v, 0));
}
double exact_cospi(double v) noexcept { return static_cast<double>(sine_of_turns(v, 1)); }
double exact_normcdf(double v) noexcept {
  return static_cast<double>(std::erfc(-v / root_of_2) / 2);
}
double exact_erfcinv(double y) noexcept { return static_cast<double>(inverse_erfc(y)); }
double exact_erfinv(double y) noexcept { return static_cast<double>(inverse_erf(y)); }
double exact_normcdfinv(double p) noexcept {
  return static_cast<double>(-root_of_2 * inverse_erfc(2 * real{p}));
}
double exact_erfcx(double x) noexcept {
  if (x < -100) return HUGE_VAL;
  if (x < 10) {  // the square in two parts, so that the power keeps its digits
    const real high = static_cast<float>(x), low = x - high;
    return static_cast<double>(std::exp(high * high) * std::exp(low * (high + x)) *
                               std::erfc(real{x}));
  }
  real fraction = 0;  // Laplace's
  for (int k = 100; k > 0; --k) fraction = k / 2.0L / (x + fraction);
  return static_cast<double>(1 / ((x + fraction) * root_of_pi));
}
double exact_cyl_bessel_i0(double x) noexcept { return static_cast<double>(bessel_i(0, x)); }
double exact_cyl_bessel_i1(double x) noexcept { return static_cast<double>(bessel_i(1, x)); }

}  // namespace simt::detail
