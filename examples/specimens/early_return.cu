// Threads without a value return before a barrier at which the other threads wait.
#include "examples/specimens/specimens.hpp"
#include "warpfold/platform.hpp"

namespace warpfold::specimens {
inline namespace WARPFOLD_MACHINE {

template <bool Mended>
__global__ void early_return_kernel(const int* in, int* out, unsigned n) {
  int* const values = dynamic_shared<int>();
  const unsigned tid = threadIdx.x;
  if constexpr (!Mended) {
    if (tid >= n) return;  // [1]
  }
  values[tid] = tid < n ? in[tid] : 0;
  __syncthreads();  // [2]
  if (tid == 0) out[0] = values[0] + values[n - 1];
}

}  // namespace WARPFOLD_MACHINE

void early_return(bool mended, const buffers& b) {
  launch({.grid = 1, .block = 128, .shared_bytes = 128 * sizeof(int)},
         mended ? early_return_kernel<true> : early_return_kernel<false>, b.in, b.out, 100U);
}

}  // namespace warpfold::specimens
