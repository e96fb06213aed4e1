#include "files/device_algorithms.cuh"

namespace warpfold::files {

template struct device_algorithms<std::int32_t>;
template struct device_algorithms<std::int64_t>;
template struct device_algorithms<std::uint8_t>;
template struct device_algorithms<std::uint32_t>;
template struct device_algorithms<std::uint64_t>;

}  // namespace warpfold::files
