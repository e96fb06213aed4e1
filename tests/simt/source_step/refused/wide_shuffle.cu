// refused: a warp operation moves values of at most 8 bytes
struct pair {
  double a, b;
};
__global__ void k(pair* p) { *p = __shfl_sync(0xffffffff, *p, 0); }
