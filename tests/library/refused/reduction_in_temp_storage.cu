// refused: a sort's temp_storage is not cleared
#include "warpfold/reduce.hpp"

auto refused(const warpfold::temp_storage& of_a_sort, std::span<const int> values, int* out) {
  return warpfold::reduce_into(warpfold::device.with(of_a_sort), values, out);
}
