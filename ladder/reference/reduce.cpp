#include "ladder/reference/reduce.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include <fmt/format.h>

#include "ladder/reference/arithmetic.hpp"
#include "warpfold/error.hpp"

namespace warpfold::ladder {

namespace {

template <class T>
scalar scalar_of(value_type type, T value) {
  if constexpr (std::is_integral_v<T>) {
    return {.type = type, .whole = static_cast<std::int64_t>(value)};
  } else {
    return {.type = type, .real = value};
  }
}

template <class T>
T serial(const T* values, std::size_t n, operation op) {
  T result = identity<T>(op);
  for (std::size_t i = 0; i < n; ++i) result = apply(op, result, values[i]);
  return result;
}

template <class T>
T recursive(T* values, std::size_t n, operation op) {
  if (n == 1) return values[0];
  const std::size_t stride = (n + 1) / 2;  // an odd one out stays for the next round
  for (std::size_t i = 0; i + stride < n; ++i) values[i] = apply(op, values[i], values[i + stride]);
  return recursive(values, stride, op);
}

}  // namespace

std::string to_text(const scalar& value) {
  if (value.type == value_type::u64) {
    return fmt::format("{}", static_cast<std::uint64_t>(value.whole));
  }
  if (!is_floating(value.type)) return fmt::format("{}", value.whole);
  if (value.type == value_type::f32) return fmt::format("{}", static_cast<float>(value.real));
  return fmt::format("{}", value.real);
}

scalar load_scalar(value_type type, const void* from) {
  return visit_type(type, [&]<class T>(std::type_identity<T>) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return scalar_of(type, value);
  });
}

scalar identity_of(operation op, value_type type) {
  return visit_type(
      type, [&]<class T>(std::type_identity<T>) { return scalar_of(type, identity<T>(op)); });
}

scalar mean_of(const scalar& sum, std::size_t n) {
  const auto count = static_cast<double>(n);
  if (!is_floating(sum.type)) {
    // Exact to the last bit also where the sum has more than 53 bits.
    const auto quotient = static_cast<long double>(sum.whole) / static_cast<long double>(n);
    return {.type = value_type::f64, .real = static_cast<double>(quotient)};
  }
  if (sum.type == value_type::f32) {
    return {.type = sum.type, .real = static_cast<float>(sum.real / count)};
  }
  return {.type = sum.type, .real = sum.real / count};
}

reference::reference(const host_values& values, operation op)
    : op_(op), type_(values.type), n_(values.n) {
  if (op == operation::mean && n_ == 0) {
    throw usage_error("--op mean: the mean of no values is not defined; use --n 1 or more");
  }
  check_operation(op, type_);
  if (is_exact(op, type_)) {
    if (op == operation::mean && type_ == value_type::i32) {
      const auto* const x = static_cast<const std::int32_t*>(values.data);
      exact_ = {.type = value_type::i64, .whole = std::accumulate(x, x + n_, std::int64_t{0})};
    } else {
      exact_ = reduce_serial(values, op);
    }
    if (op == operation::mean) exact_ = mean_of(exact_, n_);
    return;
  }
  visit_type(type_, [&]<class T>(std::type_identity<T>) {
    const auto* const x = static_cast<const T*>(values.data);
    if (op == operation::product) {
      value_ = 1;
      for (std::size_t i = 0; i < n_; ++i) value_ *= static_cast<long double>(x[i]);
      magnitude_ = std::abs(value_);
      return;
    }
    long double lost = 0;  // Neumaier's correction
    for (std::size_t i = 0; i < n_; ++i) {
      const auto v = static_cast<long double>(x[i]);
      const long double sum = value_ + v;
      lost += std::abs(value_) >= std::abs(v) ? (value_ - sum) + v : (v - sum) + value_;
      value_ = sum;
      magnitude_ += std::abs(v);
    }
    if (std::isfinite(value_)) value_ += lost;
    if (op == operation::mean) {
      value_ /= static_cast<long double>(n_);
      magnitude_ /= static_cast<long double>(n_);
    }
  });
}

measure::verdict reference::judge(const scalar& result, double depth) const {
  measure::verdict v;
  v.result = to_text(result);
  if (is_exact(op_, type_)) {
    v.expected = to_text(exact_);
    const bool both_nan = std::isnan(exact_.real) && std::isnan(result.real);
    v.right = both_nan || (exact_.whole == result.whole && exact_.real == result.real);
    if (!v.right) {
      v.error = std::abs(is_floating(result.type)
                             ? exact_.real - result.real
                             : static_cast<double>(static_cast<long double>(exact_.whole) -
                                                   static_cast<long double>(result.whole)));
    }
    return v;
  }
  const scalar expected{.type = type_,
                        .real = type_ == value_type::f32
                                    ? static_cast<double>(static_cast<float>(value_))
                                    : static_cast<double>(value_)};
  v.expected = to_text(expected);
  if (!std::isfinite(expected.real) || !std::isfinite(result.real)) {
    v.right =
        (std::isnan(expected.real) && std::isnan(result.real)) || expected.real == result.real;
    v.error = v.right ? 0 : std::numeric_limits<double>::infinity();
    return v;
  }
  // Every value goes through at most `depth` roundings, a product through n.
  const double roundings =
      (op_ == operation::product ? static_cast<double>(n_) : depth) + (op_ == operation::mean) + 1;
  v.bound = static_cast<double>(magnitude_) * gamma(roundings, type_) +
            static_cast<double>(n_) * smallest(type_);
  v.error = static_cast<double>(std::abs(static_cast<long double>(result.real) - value_));
  v.right = v.error <= v.bound;
  return v;
}

scalar reduce_serial(const host_values& values, operation op) {
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    return scalar_of(values.type, serial(static_cast<const T*>(values.data), values.n, op));
  });
}

scalar reduce_recursive(const host_values& values, operation op) {
  if (values.n == 0) return identity_of(op, values.type);
  return visit_type(values.type, [&]<class T>(std::type_identity<T>) {
    const auto* const first = static_cast<const T*>(values.data);
    std::vector<T> copy(first, first + values.n);
    return scalar_of(values.type, recursive(copy.data(), values.n, op));
  });
}

}  // namespace warpfold::ladder
