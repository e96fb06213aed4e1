// refused: a kernel cast to void* has lost its parameters' types
__global__ void k(int) {}
cudaError_t run(void** arguments) {
  const void* f = reinterpret_cast<const void*>(k);
  return cudaLaunchKernel(f, 1, 1, arguments);
}
