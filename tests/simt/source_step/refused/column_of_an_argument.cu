// refused: column_of_an_argument.cu:4:42: error: use of undeclared identifier 'nothing'
// clang-format off
__global__ void kernel(int* p, int n) { *p = n; }
void host(int* p) { kernel<<<1, 32>>>(p, nothing); }
