// The one exception tree. Every message names the call or the file, the sizes, and what to do next.
// Not of std::runtime_error: its header and that of strings take as long to compile as a reduction.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <type_traits>
#include <utility>

#include "warpfold/language.hpp"

namespace warpfold {
/// Base of everything warpfold throws.
class error : public std::exception {
  /// A piece of a message: a text, which must outlive it, or a whole number.
  class part {
   public:
    explicit part(const char* text) : text_(text), size_(std::strlen(text)) {}
    template <class Text>
      requires requires(const Text& t) { t.data(), t.size(); }
    explicit part(const Text& text) : text_(text.data()), size_(text.size()) {}
    template <class Number>
      requires std::is_integral_v<Number>
    explicit part(Number number) {
      int size = 0;
      if constexpr (std::is_signed_v<Number>) {
        size = std::snprintf(digits_, sizeof digits_, "%lld", static_cast<long long>(number));
      } else {
        size =
            std::snprintf(digits_, sizeof digits_, "%llu", static_cast<unsigned long long>(number));
      }
      size_ = static_cast<std::size_t>(size);
    }
    part(const part&) = delete;
    part& operator=(const part&) = delete;

    [[nodiscard]] std::size_t size() const { return size_; }
    [[nodiscard]] const char* data() const { return text_ != nullptr ? text_ : digits_; }

   private:
    const char* text_ = nullptr;
    std::size_t size_ = 0;
    char digits_[24];
  };

 public:
  /// The message: the parts one after the other, each a text or a whole number.
  template <class... Parts>
    requires(sizeof...(Parts) > 0 && (std::is_constructible_v<part, const Parts&> && ...))
  explicit error(const Parts&... parts) : message_(joined({part(parts)...})) {}
  error(const error& other) noexcept : message_(joined({part(other.what())})) {}  ///< The same.
  error& operator=(error other) noexcept {  ///< Takes the message of `other`.
    std::swap(message_, other.message_);
    return *this;
  }
  ~error() override { delete[] message_; }

  /// The message, for people.
  [[nodiscard]] const char* what() const noexcept override {
    return message_ != nullptr ? message_ : "an error, and no memory to say which";
  }

 private:
  static char* joined(std::initializer_list<part> parts) noexcept {
    std::size_t size = 1;
    for (const part& p : parts) size += p.size();
    auto* const message = new (std::nothrow) char[size];
    if (message == nullptr) return nullptr;
    char* end = message;
    for (const part& p : parts) {
      std::memcpy(end, p.data(), p.size());
      end += p.size();
    }
    *end = 0;
    return message;
  }

  char* message_;
};

/// The caller asked for something that does not exist or makes no sense (exit code 2).
class usage_error : public error {
 public:
  using error::error;
};

/// No device can run this: none present, too old, or out of memory (exit code 3).
class device_error : public error {
 public:
  using error::error;
};

/// The data can't be read, is malformed, or can't be written (exit code 4).
class data_error : public error {
 public:
  using error::error;
};

}  // namespace warpfold
