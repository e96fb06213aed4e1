// In a build without CUDA.
#include "bench/harness/benchmark.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

std::unique_ptr<backend> make_cuda_backend() {
  throw device_error(
      "--backend cuda: this warpfold was built without CUDA; on a machine with a GPU and nvcc, "
      "./dev run builds it in. --backend host runs everywhere");
}

bool has_cuda_backend() { return false; }

}  // namespace warpfold::bench
