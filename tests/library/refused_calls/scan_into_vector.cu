// refused: out is the host's memory (a std::vector, for one)
#include <span>
#include <vector>

#include "warpfold/scan.hpp"

void run(std::span<const int> in, std::vector<int>& out) {
  (void)warpfold::exclusive_scan(warpfold::device, in, out, 0);
}
