__device__ int step = 4;
__device__ int nth(int i) { return 2 * i; }
