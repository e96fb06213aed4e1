// In the program that measures devices alone, so that it needs no oneTBB where it is taken to.
#include "bench/contest/contest.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

std::unique_ptr<backend> make_host_backend() {
  throw device_error(
      "this warpfold-bench measures CUDA devices alone, and there is none; `warpfold bench` "
      "measures the host");
}

}  // namespace warpfold::bench
