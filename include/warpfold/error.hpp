// The one exception tree. Every message names the call or the file, the sizes, and what to do next.
#pragma once

#include <stdexcept>
#include <string>

namespace warpfold {

/// Base of everything warpfold throws.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
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
