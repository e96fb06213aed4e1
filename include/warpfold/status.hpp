// The result of a stream-ordered call: success, or the device's reason for refusing it.
#pragma once

#include "warpfold/error.hpp"

namespace warpfold {

/// The result of a call that does not throw. Dropping it is a warning: ask `ok()`, or let
/// `throw_if_failed` turn a failure into a device_error.
class [[nodiscard]] status {
 public:
  /// Success.
  constexpr status() = default;
  /// `code` is the runtime's (cudaError_t), `reason` a text that outlives the status.
  constexpr status(int code, const char* reason) : code_(code), reason_(reason) {}
  /// The same where the call needs `needed` of something, by default bytes, and has `given`.
  constexpr status(int code, const char* reason, std::size_t needed, std::size_t given,
                   const char* unit = "bytes")
      : code_(code), reason_(reason), needed_(needed), given_(given), unit_(unit) {}

  /// Whether the work was accepted; errors of a kernel appear when the stream is synchronised.
  [[nodiscard]] constexpr bool ok() const { return code_ == 0; }
  /// 0, or the runtime's code (cudaError_t).
  [[nodiscard]] constexpr int code() const { return code_; }
  /// Why, in words.
  [[nodiscard]] constexpr const char* reason() const { return reason_; }

  /// The size that the call needs, if it was given another size, too little memory or misaligned
  /// memory; else 0.
  [[nodiscard]] constexpr std::size_t needed() const { return needed_; }
  /// The size that it was given.
  [[nodiscard]] constexpr std::size_t given() const { return given_; }
  /// The unit of these two: "bytes", "values"; "" if they are unused.
  [[nodiscard]] constexpr const char* unit() const { return unit_; }

  /// Throws device_error unless ok(). `call` names what was asked for, with its sizes: texts and
  /// whole numbers, one after the other.
  template <class... Parts>
  void throw_if_failed(const Parts&... call) const {
    if (ok()) return;
    if (*unit_ == 0) throw device_error(call..., ": ", reason_);
    throw device_error(call..., ": ", reason_, ": ", needed_, " ", unit_, " needed, ", given_,
                       " given");
  }

 private:
  int code_ = 0;
  const char* reason_ = "ok";
  std::size_t needed_ = 0, given_ = 0;
  const char* unit_ = "";
};

}  // namespace warpfold
