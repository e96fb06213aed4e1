// The same call without CUB's radix sort of many pairs.
#define WARPFOLD_WITHOUT_CUB 1
#include "sort_warpfold.cu"
