/* The macros that suites bring along, in the manner of those. */
#pragma once

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __DRIVER_TYPES_H__
static inline const char* name_of(cudaError_t error) { return cudaGetErrorName(error); }
#endif
#define CHECKED(call)                                                                 \
  do {                                                                                \
    cudaError_t status = (call);                                                      \
    if (status != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, name_of(status)); \
      cudaDeviceReset();                                                              \
      exit(EXIT_FAILURE);                                                             \
    }                                                                                 \
  } while (0)

#ifdef __cplusplus
extern "C" {
#endif
int device_count(void);
void scale_on_device(float* values, int count, float by);
const void* kernel_of_c(void); /* puts twice each thread's number into an array of floats */
const void* factor_of_c(void); /* a float on the device */
#ifdef __cplusplus
}
void smooth(const float* host, float* out, int count);
#endif
