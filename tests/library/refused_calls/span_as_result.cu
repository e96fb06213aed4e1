// refused: out a pointer to it: pass out.data()
#include <span>

#include "warpfold/reduce.hpp"

void run(std::span<const int> in, std::span<int> out) {
  (void)warpfold::reduce_into(warpfold::device, in, out);
}
