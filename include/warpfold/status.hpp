// What a stream-ordered call returns: success, or the device's reason for refusing.
#pragma once

#include "warpfold/error.hpp"

namespace warpfold {

/// The result of a call that does not throw. It can't be dropped: ask `ok()`, or let
/// `throw_if_failed` turn a failure into a device_error.
class [[nodiscard]] status {
 public:
  /// Success.
  constexpr status() = default;
  /// `code` is the runtime's (cudaError_t), `reason` a text that outlives the status.
  constexpr status(int code, const char* reason) : code_(code), reason_(reason) {}
  /// The same where something has `given` bytes and the call needs `needed`.
  constexpr status(int code, const char* reason, std::size_t needed, std::size_t given)
      : code_(code), reason_(reason), needed_(needed), given_(given) {}

  /// Whether the work was accepted; what goes wrong in a kernel shows when the stream is waited
  /// for.
  [[nodiscard]] constexpr bool ok() const { return code_ == 0; }
  /// 0, or the runtime's code (cudaError_t).
  [[nodiscard]] constexpr int code() const { return code_; }
  /// Why, in words.
  [[nodiscard]] constexpr const char* reason() const { return reason_; }

  /// Bytes that the call needs, where it was given too few or too little aligned memory; else 0.
  [[nodiscard]] constexpr std::size_t needed() const { return needed_; }
  /// Bytes that it was given instead.
  [[nodiscard]] constexpr std::size_t given() const { return given_; }

  /// Throws device_error unless ok(). `call` names what was asked for, with its sizes: texts and
  /// whole numbers, one after the other.
  template <class... Parts>
  void throw_if_failed(const Parts&... call) const {
    if (ok()) return;
    if (needed_ == 0) throw device_error(call..., ": ", reason_);
    throw device_error(call..., ": ", reason_, ": ", needed_, " bytes needed, ", given_, " given");
  }

 private:
  int code_ = 0;
  const char* reason_ = "ok";
  std::size_t needed_ = 0, given_ = 0;
};

}  // namespace warpfold
