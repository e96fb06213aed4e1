// In place of the device's algorithms, in builds without CUDA.
#pragma once

#include "warpfold/error.hpp"

namespace warpfold::files {

[[noreturn]] inline void refuse_device() {
  throw device_error("this program was built without CUDA; take --backend host");
}

}  // namespace warpfold::files
