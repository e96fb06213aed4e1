// refused: not on the CPU machine: a grid is on one device
#include <cooperative_groups.h>
__global__ void k() { cooperative_groups::this_multi_grid().sync(); }
