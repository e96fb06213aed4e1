// Sorts of keys by Highway, where it is here.
#pragma once

#include <span>

#include "bench/cases/host_cases.hpp"

namespace warpfold::bench {

/// Our sorts with Highway inside, and Highway's own, which uses one thread.
std::span<const key_sorter> highway_sorters();

}  // namespace warpfold::bench
