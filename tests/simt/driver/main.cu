// Timed by events, checked against the host.
#include <cmath>
#include <vector>

#include "suite.h"

void smooth_all(std::vector<float>& values);

__device__ float scaled(float value, float by) { return value * by; }
__global__ void scale_kernel(float* values, int count, float by) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    values[i] = scaled(values[i], by);
  }
}

extern "C" void scale_on_device(float* values, int count, float by) {
  cudaEvent_t start, stop;
  float milliseconds = -1, *device = nullptr;
  CHECKED(cudaEventCreate(&start));
  CHECKED(cudaEventCreate(&stop));
  CHECKED(cudaMalloc(&device, count * sizeof(float)));
  CHECKED(cudaMemcpy(device, values, count * sizeof(float), cudaMemcpyDefault));
  CHECKED(cudaEventRecord(start, 0));
  void* arguments[] = {&device, &count, &by};
  CHECKED(cudaLaunchKernel((const void*)scale_kernel, dim3(4), dim3(64), arguments, 0, 0));
  CHECKED(cudaEventRecord(stop, 0));
  CHECKED(cudaEventSynchronize(stop));
  CHECKED(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECKED(cudaMemcpy(values, device, count * sizeof(float), cudaMemcpyDefault));
  CHECKED(cudaFree(device));
  if (milliseconds < 0) exit(EXIT_FAILURE);
}

__device__ float by_c;
__global__ void number(float* values) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = by_c * i;
}
extern "C" const void* kernel_of_c() { return (const void*)number; }
extern "C" const void* factor_of_c() { return &by_c; }

__device__ int counted = 5;
__constant__ int factor;
__global__ void count_by_factor() { atomicAdd(&counted, factor); }

// Each device has variables of its own, which begin as the source says.
bool variables_are_each_devices(int devices) {
  bool right = true;
  for (int round = 0; round < 2; ++round) {
    for (int d = 0; d < devices; ++d) {
      const int own = d + 1;
      CHECKED(cudaSetDevice(d));
      if (round == 0) CHECKED(cudaMemcpyToSymbol(factor, &own, sizeof own));
      count_by_factor<<<1, 10>>>();
      int now = 0;
      CHECKED(cudaMemcpyFromSymbol(&now, counted, sizeof now));
      right = right && now == 5 + 10 * own * (round + 1);
    }
  }
  return right;
}

int main(int argc, char** argv) {
  const int devices = device_count(), expected = argc > 1 ? atoi(argv[1]) : 1;
  bool right = devices == expected;
  for (int d = 0; d < devices; ++d) {
    CHECKED(cudaSetDevice(d));
    std::vector<float> values(1000);
    for (int i = 0; i < 1000; ++i) values[i] = static_cast<float>(i);
    smooth_all(values);
    scale_on_device(values.data(), 1000, 0.5f);
    for (int i = 1; i < 999; ++i) right = right && std::fabs(values[i] - i) < 1e-3f;
  }
  right = right && variables_are_each_devices(devices);
  if (devices == 2) {
    float *here = nullptr, *there = nullptr, back[2] = {0, 0};
    const float sent[2] = {3, 4};
    int can = 0;
    cudaPointerAttributes attributes;
    CHECKED(cudaDeviceCanAccessPeer(&can, 0, 1));
    CHECKED(cudaSetDevice(1));
    CHECKED(cudaMalloc(&there, sizeof sent));
    CHECKED(cudaSetDevice(0));
    CHECKED(cudaDeviceEnablePeerAccess(1, 0));
    CHECKED(cudaMalloc(&here, sizeof sent));
    CHECKED(cudaMemcpy(here, sent, sizeof sent, cudaMemcpyHostToDevice));
    CHECKED(cudaMemcpyPeer(there, 1, here, 0, sizeof sent));
    CHECKED(cudaMemcpy(back, there, sizeof back, cudaMemcpyDeviceToHost));
    CHECKED(cudaPointerGetAttributes(&attributes, there));
    right = right && can == 1 && back[0] == 3 && back[1] == 4 && attributes.device == 1;
    CHECKED(cudaFree(here));
    CHECKED(cudaFree(there));
  }
  printf("%s\n", right ? "Test passed" : "Test failed");
  return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
