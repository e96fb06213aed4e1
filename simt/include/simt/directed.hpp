// Arithmetic that rounds in a direction of its own.
#pragma once

#include "simt/small_float.hpp"

namespace simt::detail {

// Each rounded once, as `r` says; `away` is to nearest.
float directed_sum(rounding r, float a, float b);
double directed_sum(rounding r, double a, double b);
float directed_product(rounding r, float a, float b);
double directed_product(rounding r, double a, double b);
float directed_quotient(rounding r, float a, float b);
double directed_quotient(rounding r, double a, double b);
float directed_fma(rounding r, float a, float b, float c);
double directed_fma(rounding r, double a, double b, double c);
float directed_root(rounding r, float v);
double directed_root(rounding r, double v);
float directed_float(rounding r, double v);
float directed_float(rounding r, long long v);
float directed_float(rounding r, unsigned long long v);
double directed_double(rounding r, long long v);
double directed_double(rounding r, unsigned long long v);

}  // namespace simt::detail
