// refused: its type needs a constructor without parameters
struct counter {
  int n;
  __device__ counter(int n) : n(n) {}
};
__global__ void k(int* out) {
  __shared__ counter c;
  *out = c.n;
}
