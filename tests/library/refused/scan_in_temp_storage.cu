// refused: a sort's temp_storage is not cleared
#include "warpfold/scan.hpp"

auto refused(const warpfold::temp_storage& of_a_sort, std::span<const int> values,
             std::span<int> out) {
  return warpfold::exclusive_scan(warpfold::device.with(of_a_sort), values, out, 0);
}
