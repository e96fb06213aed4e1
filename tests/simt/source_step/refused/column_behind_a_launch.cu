// refused: column_behind_a_launch.cu:4:46: error: use of undeclared identifier 'nothing'
// clang-format off
__global__ void kernel(int* p, int n) { *p = n; }
void host(int* p) { kernel<<<1, 32>>>(p, 3); nothing = 4; }
