#include "bench/calibrate/calibrate.hpp"
#include "warpfold/error.hpp"

namespace warpfold::bench {

device_constants measure_device(double) {
  throw device_error(
      "calibrate: this warpfold was built without CUDA; on a machine with a GPU and nvcc, ./dev "
      "run builds it in");
}

}  // namespace warpfold::bench
