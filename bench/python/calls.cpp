// The host's calls for calls.py, which loads them beside others' libraries.
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpfold/host/exact.hpp"
#include "warpfold/host/reduce.hpp"
#include "warpfold/host/scan.hpp"
#include "warpfold/host/sort.hpp"
#include "warpfold/host/statistics.hpp"

namespace {

template <class T>
T min_of(const T* x, std::size_t n) {
  return warpfold::min(warpfold::host, std::span(x, n));
}
template <class T>
void sort_of(T* x, std::size_t n) {
  warpfold::sort(warpfold::host, std::span(x, n));
}
template <class T>
void argsort_of(const T* x, std::size_t n, std::uint32_t* indices) {
  warpfold::argsort(warpfold::host, std::span(x, n), std::span(indices, n));
}

}  // namespace

extern "C" {

double sum_f64(const double* x, std::size_t n) {
  return warpfold::reduce(warpfold::host, std::span(x, n));
}
double exact_sum_f64(const double* x, std::size_t n) {
  return warpfold::exact_sum(warpfold::host, std::span(x, n));
}
/// Mean, variance, minimum and maximum.
void statistics_f64(const double* x, std::size_t n, double* out) {
  const auto s = warpfold::statistics(warpfold::host, std::span(x, n));
  out[0] = s.mean, out[1] = s.variance, out[2] = s.min.value, out[3] = s.max.value;
}
void cumulative_sum_f64(const double* x, std::size_t n, double* out) {
  warpfold::inclusive_scan(warpfold::host, std::span(x, n), std::span(out, n));
}

double min_f64(const double* x, std::size_t n) { return min_of(x, n); }
float min_f32(const float* x, std::size_t n) { return min_of(x, n); }
std::int32_t min_i32(const std::int32_t* x, std::size_t n) { return min_of(x, n); }

void sort_f64(double* x, std::size_t n) { sort_of(x, n); }
void sort_f32(float* x, std::size_t n) { sort_of(x, n); }
void sort_i32(std::int32_t* x, std::size_t n) { sort_of(x, n); }

void argsort_f64(const double* x, std::size_t n, std::uint32_t* to) { argsort_of(x, n, to); }
void argsort_f32(const float* x, std::size_t n, std::uint32_t* to) { argsort_of(x, n, to); }
void argsort_i32(const std::int32_t* x, std::size_t n, std::uint32_t* to) { argsort_of(x, n, to); }
}
