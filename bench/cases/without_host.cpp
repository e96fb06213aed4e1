// In programs to take elsewhere, which can't bring oneTBB along.
#include "bench/harness/benchmark.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

std::unique_ptr<backend> make_host_backend() {
  throw device_error(
      "this warpfold was linked to be taken elsewhere, so its bench measures CUDA devices alone; "
      "build it without WARPFOLD_PORTABLE to measure the host");
}

}  // namespace warpfold::bench
