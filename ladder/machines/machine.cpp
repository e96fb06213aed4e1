#include "ladder/machines/machine.hpp"

namespace warpfold::ladder {

#ifdef WARPFOLD_WITH_CUDA
bool has_cuda_kernels() { return true; }
#else
bool has_cuda_kernels() { return false; }

std::unique_ptr<machine> make_cuda_machine(bool) {
  throw device_error(
      "--backend cuda: this warpfold was built without CUDA; use --backend simt, or build it with "
      "./dev run on a machine with a GPU and nvcc");
}

bool has_cuda_device() { return false; }
#endif

}  // namespace warpfold::ladder
