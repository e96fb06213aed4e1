// The CPU machine's checks around a test; nothing on CUDA.
#pragma once

#include <gtest/gtest.h>

#include "warpfold/platform.hpp"

#if defined(SIMT_KERNELS)
#include "simt/launch.hpp"
#endif

namespace warpfold::test {
inline namespace WARPFOLD_MACHINE {

/// The launches of this host thread run with the CPU machine's checks; a finding fails the test.
class machine_checks {
 public:
  machine_checks() = default;
  machine_checks(const machine_checks&) = delete;
  machine_checks& operator=(const machine_checks&) = delete;
#if defined(SIMT_KERNELS)
  ~machine_checks() {
    for (const auto& f : machine_.findings) ADD_FAILURE() << f.text();
  }

 private:
  simt::observe machine_{{.check = true, .patience_seconds = 10}};
#else
  ~machine_checks() {}  // used, says the compiler
#endif
};

}  // namespace WARPFOLD_MACHINE
}  // namespace warpfold::test
