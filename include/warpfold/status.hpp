// What a stream-ordered call returns: success, or the device's reason for refusing.
#pragma once

#include <string>

#include "warpfold/error.hpp"

namespace warpfold {

/// The result of a call that does not throw. It can't be dropped: ask `ok()`, or let
/// `throw_if_failed` turn a failure into a device_error.
class [[nodiscard]] status {
 public:
  constexpr status() = default;
  /// `code` is the runtime's (cudaError_t), `reason` a text that outlives the status.
  constexpr status(int code, const char* reason) : code_(code), reason_(reason) {}

  [[nodiscard]] constexpr bool ok() const { return code_ == 0; }
  [[nodiscard]] constexpr int code() const { return code_; }
  [[nodiscard]] constexpr const char* reason() const { return reason_; }

  /// `call` names what was asked for, with its sizes.
  void throw_if_failed(const std::string& call) const {
    if (!ok()) throw device_error(call + ": " + reason_);
  }

 private:
  int code_ = 0;
  const char* reason_ = "ok";
};

}  // namespace warpfold
