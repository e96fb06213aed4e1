#include "files/host_algorithms.hpp"

namespace warpfold::files {

template struct host_algorithms<float>;
template struct host_algorithms<double>;

}  // namespace warpfold::files
