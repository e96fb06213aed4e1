#include "files/device_algorithms.cuh"

namespace warpfold::files {

template struct device_algorithms<float>;
template struct device_algorithms<double>;

}  // namespace warpfold::files
