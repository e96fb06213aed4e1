/* A C source that asks the runtime. */
#include "suite.h"

int device_count(void) {
  struct cudaDeviceProp properties;
  int count = 0;
  dim3 none = {1, 1, 1};
  CHECKED(cudaGetDeviceCount(&count));
  CHECKED(cudaGetDeviceProperties(&properties, count - 1));
  printf("%d devices, %s, clock %d kHz\n", count, properties.name, properties.clockRate);
  return properties.warpSize == 32 ? count * (int)none.x : 0;
}
