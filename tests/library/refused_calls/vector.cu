// refused: this range is the host's memory (a std::vector, for one)
#include <vector>

#include "warpfold/reduce.hpp"

int sum(const std::vector<int>& values) { return warpfold::reduce(warpfold::device, values); }
