// refused: deleted
#include "warpfold/workspace.hpp"

auto refused() { return warpfold::device.with(warpfold::temp_storage(1024)); }
