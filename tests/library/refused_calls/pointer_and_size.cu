// refused: this is a pointer: pass std::span(pointer, n)
#include <span>

#include "warpfold/reduce.hpp"

float sum(const float* values, int n) { return warpfold::reduce(warpfold::device, values, n); }
