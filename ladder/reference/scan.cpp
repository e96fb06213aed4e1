#include "ladder/reference/scan.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include <fmt/format.h>

#include "ladder/reference/arithmetic.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

template <class T>
std::string text_of(value_type type, const T& value) {
  return to_text(load_scalar(type, &value));
}

template <class T>
bool same(T a, T b) {
  return a == b || (a != a && b != b);
}

template <class T>
measure::verdict wrong(value_type type, std::size_t i, T result, T expected, double error) {
  measure::verdict v;
  v.right = false;
  v.result = fmt::format("[{}] {}", i, text_of(type, result));
  v.expected = fmt::format("[{}] {}", i, text_of(type, expected));
  v.error = error;
  return v;
}

/// A running sum or product with its magnitude, in wider arithmetic.
class running {
 public:
  explicit running(operation op) : product_(op == operation::product), value_(product_ ? 1 : 0) {}

  void take(long double x) {
    if (product_) {
      value_ *= x;
      magnitude_ = std::abs(value_);
      return;
    }
    const long double sum = value_ + x;  // with Neumaier's correction
    lost_ += std::abs(value_) >= std::abs(x) ? (value_ - sum) + x : (x - sum) + value_;
    value_ = sum;
    magnitude_ += std::abs(x);
  }
  [[nodiscard]] long double value() const {
    return std::isfinite(value_) ? value_ + lost_ : value_;
  }
  [[nodiscard]] double magnitude() const { return static_cast<double>(magnitude_); }

 private:
  bool product_;
  long double value_, lost_ = 0, magnitude_ = 0;
};

}  // namespace

scan_reference::scan_reference(const host_values& values, operation op, bool exclusive)
    : values_(values), op_(op), exclusive_(exclusive) {
  if (op == operation::mean) {
    throw usage_error("--op mean: a scan has no mean; use sum, product, min, max, and, or, xor");
  }
  check_operation(op, values.type);
}

template <class T>
measure::verdict scan_reference::judge_exact(const T* results) const {
  const auto* const in = static_cast<const T*>(values_.data);
  T inclusive = identity<T>(op_), expected = inclusive;
  for (std::size_t i = 0; i < values_.n; ++i) {
    expected = inclusive;
    inclusive = apply(op_, inclusive, in[i]);
    if (!exclusive_) expected = inclusive;
    if (!same(results[i], expected)) {
      return wrong(values_.type, i, results[i], expected,
                   std::abs(static_cast<double>(static_cast<long double>(results[i]) -
                                                static_cast<long double>(expected))));
    }
  }
  const std::string last = text_of(values_.type, expected);
  return {.right = true, .result = last, .expected = last};
}

template <class T>
measure::verdict scan_reference::judge_rounded(const T* results, double depth) const {
  const auto* const in = static_cast<const T*>(values_.data);
  running before(op_);
  measure::verdict v{.right = true, .result = text_of(values_.type, identity<T>(op_))};
  v.expected = v.result;
  double nearest = -1;  // of an error to its bound
  // To add denormal numbers takes a processor longer than all the rest: not where they change
  // nothing.
  constexpr double has_no_part = 1e-280;
  for (std::size_t i = 0; i < values_.n; ++i) {
    running through = before;
    through.take(static_cast<long double>(in[i]));
    const running& due = exclusive_ ? before : through;
    const auto expected = static_cast<T>(due.value());
    const double roundings = op_ == operation::product ? static_cast<double>(i) + 1 : depth;
    double bound = due.magnitude() * gamma(roundings + 1, values_.type);
    if (sizeof(T) < sizeof(double) || bound < has_no_part) {
      bound += static_cast<double>(i) * smallest(values_.type);
    }
    const bool finite = std::isfinite(expected) && std::isfinite(results[i]);
    const auto error =
        static_cast<double>(std::abs(static_cast<long double>(results[i]) - due.value()));
    if (finite ? !(error <= bound) : !same(results[i], expected)) {
      v = wrong(values_.type, i, results[i], expected, error);
      v.bound = bound;
      return v;
    }
    if (finite && error > nearest * bound) {
      nearest = bound > 0 ? error / bound : 0;
      v.error = error;
      v.bound = bound;
    }
    if (i + 1 == values_.n) {
      v.result = text_of(values_.type, results[i]);
      v.expected = text_of(values_.type, expected);
    }
    before = through;
  }
  return v;
}

measure::verdict scan_reference::judge(const void* results, double depth) const {
  return visit_type(values_.type, [&]<class T>(std::type_identity<T>) {
    if (is_exact(op_, values_.type)) return judge_exact(static_cast<const T*>(results));
    return judge_rounded(static_cast<const T*>(results), depth);
  });
}

void scan_serial(const host_values& values, operation op, bool exclusive, void* results) {
  visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    const auto* const in = static_cast<const T*>(values.data);
    auto* const out = static_cast<T*>(results);
    T sum = identity<T>(op);
    for (std::size_t i = 0; i < values.n; ++i) {
      const T next = i == 0 ? in[i] : apply(op, sum, in[i]);
      out[i] = exclusive ? sum : next;
      sum = next;
    }
  });
}

}  // namespace warpfold::ladder
