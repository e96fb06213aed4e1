// refused: this call takes the number of values from the host
#include <cstddef>
#include <span>

#include "warpfold/quantiles.hpp"

float run(std::span<const float> values, const std::size_t* size) {
  return warpfold::nth_element(warpfold::device, warpfold::device_sized(values, size), 5);
}
