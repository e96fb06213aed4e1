// refused: init belongs here, and this is an operator: pass init, then the operator
#include <span>

#include "warpfold/reduce.hpp"

int largest(std::span<int> values) {
  return warpfold::reduce(warpfold::device, values, warpfold::maximum{});
}
