#include "simt/functions.hpp"

#include <cmath>

namespace {

/// One step of Halley's towards erfc(x) = y or erf(x) = y, where `miss` is what is too much.
double nearer(double x, double miss) {
  return x - miss / (M_2_SQRTPI * std::exp(-x * x) + x * miss);
}

}  // namespace

double erfcinv(double y) {
  if (y > 1) return -erfcinv(2 - y);
  if (!(y >= 0)) return NAN;
  if (y == 0) return INFINITY;
  if (y > 0.5) return erfinv(1 - y);
  // Abramowitz and Stegun 26.2.22, then two steps, each of which triples the digits.
  const double t = std::sqrt(-2 * std::log(y / 2));
  double x = M_SQRT1_2 * (t - (2.30753 + t * 0.27061) / (1 + t * (0.99229 + t * 0.04481)));
  for (int step = 0; step < 3; ++step) {
    // The derivative is close to 0 far out: what is missed is taken relative to it.
    const double slope = -M_2_SQRTPI * std::exp(-x * x);
    const double u = (std::erfc(x) - y) / slope;
    x -= u / (1 + x * u);
  }
  return x;
}

double erfinv(double y) {
  if (!(y >= -1 && y <= 1)) return NAN;
  if (std::fabs(y) > 0.5) return std::copysign(erfcinv(1 - std::fabs(y)), y);
  double x = y / M_2_SQRTPI;
  for (int step = 0; step < 4; ++step) x = nearer(x, std::erf(x) - y);
  return x;
}

double normcdfinv(double p) { return -M_SQRT2 * erfcinv(2 * p); }

double erfcx(double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  const double r = 1 / (x * x);  // the asymptotic series
  return M_2_SQRTPI / 2 / x * (1 - r / 2 * (1 - r * 3 / 2 * (1 - r * 5 / 2)));
}

double cyl_bessel_i0(double x) { return std::cyl_bessel_i(0, std::fabs(x)); }
double cyl_bessel_i1(double x) { return std::copysign(std::cyl_bessel_i(1, std::fabs(x)), x); }
