// An array read from a file, or about to be written to one: a type, a shape, the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "warpfold/error.hpp"
#include "warpfold/value_type.hpp"

namespace warpfold::data {

/// The value_type that names T.
template <class T>
constexpr value_type type_of() {
  if constexpr (std::is_same_v<T, std::int32_t>)
    return value_type::i32;
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return value_type::i64;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return value_type::u8;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return value_type::u32;
  else if constexpr (std::is_same_v<T, float>)
    return value_type::f32;
  else if constexpr (std::is_same_v<T, double>)
    return value_type::f64;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return value_type::u64;
  else
    static_assert(!sizeof(T), "files hold no elements of this type");
}

/// Elements in C order, little-endian. An empty shape is a single value, as in NumPy.
struct array {
  value_type type = value_type::i32;
  std::vector<std::size_t> shape;
  std::vector<std::byte> bytes;  // from operator new, hence aligned for every element type

  [[nodiscard]] std::size_t size() const { return bytes.size() / size_of(type); }

  /// The elements; T must be the type that `type` names.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    if (type_of<T>() != type) {
      throw usage_error("array::as: asked for " + std::string(name_of(type_of<T>())) +
                        ", but the " + std::to_string(size()) + " elements are " +
                        std::string(name_of(type)) + "; dispatch with visit_type(array.type, ...)");
    }
    return {reinterpret_cast<const T*>(bytes.data()), size()};
  }
};
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignof(double));
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= alignof(std::int64_t));

/// A one-dimensional array that holds a copy of `values`.
template <class T>
array array_of(std::span<const T> values) {
  array result{type_of<T>(), {values.size()}, std::vector<std::byte>(values.size_bytes())};
  if (!values.empty()) std::memcpy(result.bytes.data(), values.data(), values.size_bytes());
  return result;
}

}  // namespace warpfold::data
