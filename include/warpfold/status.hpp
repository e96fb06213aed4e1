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

  /// Whether the work was accepted; what goes wrong in a kernel shows when the stream is waited
  /// for.
  [[nodiscard]] constexpr bool ok() const { return code_ == 0; }
  /// 0, or the runtime's code (cudaError_t).
  [[nodiscard]] constexpr int code() const { return code_; }
  /// Why, in words.
  [[nodiscard]] constexpr const char* reason() const { return reason_; }

  /// Throws device_error unless ok(). `call` names what was asked for, with its sizes: texts and
  /// whole numbers, one after the other.
  template <class... Parts>
  void throw_if_failed(const Parts&... call) const {
    if (!ok()) throw device_error(call..., ": ", reason_);
  }

 private:
  int code_ = 0;
  const char* reason_ = "ok";
};

}  // namespace warpfold
