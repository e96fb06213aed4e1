// Which values of a function differ between the lanes of a warp.
#pragma once

#include "code.hpp"

namespace simt::observe {

/// Those that come from a thread's own number, from a lane's exchanges and from what is loaded by
/// such an address; what a function is given is taken for the same in all lanes.
value_set varying_values(const control_flow& f);

}  // namespace simt::observe
