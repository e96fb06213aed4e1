// refused: a tile has 1, 2, 4, 8, 16 or 32 threads here
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void k() { cg::tiled_partition<64>(cg::this_thread_block()).sync(); }
