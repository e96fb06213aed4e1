// What two files define, each for itself: without -rdc=true, code of the device is not linked.
struct pair_of {
  int a;
  inline __device__ int sum() const;
};
__device__ int helper(int x);
__constant__ int table[2];
__device__ int state = FIRST;
__device__ int pair_of::sum() const { return a + FIRST; }
__device__ __attribute__((noinline)) int helper(int x) { return x + state + table[1]; }
__device__ pair_of operator+(pair_of p, int x) { return {p.a + x}; }
