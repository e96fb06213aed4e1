// refused: column_behind_shared.cu:3:76: error: use of undeclared identifier 'widht'
// clang-format off
__global__ void kernel(int* p) { __shared__ int tile[32]; p[0] = tile[0] + widht; }
