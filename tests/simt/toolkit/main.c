/* Compiled and linked by gcc. */
#include <assert.h>
#include <cuda_runtime.h>
#include <stdio.h>

int device_is_there(void);
int kernels_are_right(void);
int algorithms_are_right(void);

int main(void) {
  assert(cudaSetDevice(0) == cudaSuccess);
  assert(device_is_there());
  const int kernels = kernels_are_right(), algorithms = algorithms_are_right();
  printf("kernels %d, algorithms %d\n", kernels, algorithms);
  return kernels && algorithms ? 0 : 1;
}
