// refused: column_in_a_kernel.cu:3:81: error: use of undeclared identifier 'widht'
// clang-format off
  __global__ void kernel(int* p, int n) { if (threadIdx.x < n) p[threadIdx.x] = widht; }
