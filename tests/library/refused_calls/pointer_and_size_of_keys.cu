// refused: this is a pointer: pass std::span(pointer, n)
#include <span>

#include "warpfold/sort.hpp"

void run(int* keys, int n) { (void)warpfold::sort(warpfold::device, keys, n); }
