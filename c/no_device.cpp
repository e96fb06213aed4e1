#include "c/calls.hpp"

namespace warpfold::erased {

const calls* device_calls(wf_type) { return nullptr; }

}  // namespace warpfold::erased
