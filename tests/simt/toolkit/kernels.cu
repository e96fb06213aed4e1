// What nvcc takes and clang by itself does not. Nothing is included.
namespace {

template <int Step>
struct walk {
  int begin;
  template <bool Checked, int Times>
  __device__ int position(int i) {
    return begin + (Checked && i < 0 ? 0 : Step * Times * i);
  }
};

template <int Step>
__global__ void walk_kernel(const int* in, int* out, int n) {
  walk<Step> w = {1};
  const int i = w.position<true, 2>(threadIdx.x);  // no `template`
  int r0 = INT_MIN;
  // A register by the name that another translation would give the first operand.
  asm volatile("{ .reg .s32 r0; vshr.u32.u32.u32.clamp.add r0, %1, %2, %1; mov.b32 %0, r0; }"
               : "=r"(r0)
               : "r"(i), "r"(1));
  if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + r0;
}

}  // namespace

extern "C" int kernels_are_right() {
  const int* in = nullptr;  // cudaMalloc of a pointer to what is const
  int *out = nullptr, values[40] = {};
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, sizeof values);
  cudaMemset((void*)in, 0, sizeof values);
  walk_kernel<3><<<1, 40>>>(in, out, 40);
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  cudaFree((void*)in);
  cudaFree(out);
  bool right = std::max(0, 1) == 1;  // <functional> comes with nvcc
  for (int i = 0; i < 40; ++i) {
    const int at = 1 + 6 * i;
    right = right && values[i] == (at >> 1) + at;
  }
  cudaGraphNodeParams node = {cudaGraphNodeTypeHost};
  return right && node.type == cudaGraphNodeTypeHost;
}
