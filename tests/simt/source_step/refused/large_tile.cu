// refused: a tile has 1, 2, 4, … or 1024 threads, no more than a block
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k() { cg::tiled_partition<2048>(cg::this_thread_block()).sync(); }
