#include "ladder/machines/machine.hpp"

namespace warpfold::ladder {

#ifdef WARPFOLD_WITH_CUDA
bool has_cuda_kernels() { return true; }
#else
bool has_cuda_kernels() { return false; }

std::unique_ptr<machine> make_cuda_machine(bool) {
  throw device_error(
      "--backend cuda: this warpfold was built without CUDA; on a machine with a GPU and nvcc, "
      "./dev run builds it in. --backend simt runs everywhere");
}

bool has_cuda_device() { return false; }
#endif

}  // namespace warpfold::ladder
