#include "files/host_algorithms.hpp"

namespace warpfold::files {

template struct host_algorithms<std::int32_t>;
template struct host_algorithms<std::int64_t>;
template struct host_algorithms<std::uint8_t>;
template struct host_algorithms<std::uint32_t>;
template struct host_algorithms<std::uint64_t>;

}  // namespace warpfold::files
