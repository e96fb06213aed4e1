// refused: nobody runs the constructor of a __shared__ variable
struct counter {
  int n;
  __device__ counter() : n(0) {}
};
__global__ void k(int* out) {
  __shared__ counter c;
  *out = c.n;
}
