// What a stream-ordered call returns: success, or the device's reason for refusing.
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

  /// Whether the work was accepted; what goes wrong in a kernel shows when the stream is waited
  /// for.
  [[nodiscard]] constexpr bool ok() const { return code_ == 0; }
  /// 0, or the runtime's code (cudaError_t).
  [[nodiscard]] constexpr int code() const { return code_; }
  /// Why, in words.
  [[nodiscard]] constexpr const char* reason() const { return reason_; }

  /// How much the call needs, where it was given another size, too little or badly aligned memory;
  /// else 0.
  [[nodiscard]] constexpr std::size_t needed() const { return needed_; }
  /// How much it was given instead.
  [[nodiscard]] constexpr std::size_t given() const { return given_; }
  /// What these two count: "bytes", "values"; "" where they say nothing.
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
