// In a build without CUDA.
#include "bench/harness/benchmark.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

std::unique_ptr<backend> make_cuda_backend() {
  throw device_error(
      "--backend cuda: this warpfold was built without CUDA; use --backend host, or build it with "
      "./dev run on a machine with a GPU and nvcc");
}

bool has_cuda_backend() { return false; }

}  // namespace warpfold::bench
