// refused: deleted
#include "warpfold/workspace.hpp"

auto refused() { return warpfold::device.with(warpfold::workspace(1024)); }
