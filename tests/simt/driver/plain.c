/* A C source that asks the runtime. */
#include "suite.h"

/* What C++ has by overloads and templates. */
static int calls_are_there(void) {
  void *some = NULL, *address = NULL;
  float factor = 2, back = 0;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  enum cudaStreamCaptureStatus capture;
  struct cudaMemLocation here = {cudaMemLocationTypeDevice, 0};
  struct cudaFuncAttributes attributes;
  struct cudaChannelFormatDesc desc =
      cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  CHECKED(cudaMallocManaged(&some, 64, cudaMemAttachGlobal));
  CHECKED(cudaMemAdvise(some, 64, cudaMemAdviseSetPreferredLocation, here));
  CHECKED(cudaMemPrefetchAsync(some, 64, here, 0, 0));
  CHECKED(cudaGraphCreate(&graph, 0));
  CHECKED(cudaGraphInstantiate(&exec, graph, 0));
  CHECKED(cudaStreamGetCaptureInfo(0, &capture, NULL, NULL, NULL, NULL, NULL));
  CHECKED(cudaMemcpyToSymbol(factor_of_c(), &factor, sizeof factor, 0, cudaMemcpyHostToDevice));
  CHECKED(cudaMemcpyFromSymbol(&back, factor_of_c(), sizeof back, 0, cudaMemcpyDeviceToHost));
  CHECKED(cudaGetSymbolAddress(&address, factor_of_c()));
  CHECKED(cudaFuncGetAttributes(&attributes, kernel_of_c()));
  {
    dim3 grid = {2, 1, 1}, block = {8, 1, 1};
    void* arguments[] = {&some};
    CHECKED(cudaLaunchKernel(kernel_of_c(), grid, block, arguments, 0, 0));
    CHECKED(cudaDeviceSynchronize());
  }
  return desc.x == 32 && back == 2 && address != NULL && capture == cudaStreamCaptureStatusNone &&
         ((float*)some)[15] == 30;
}

int device_count(void) {
  struct cudaDeviceProp properties;
  int count = 0;
  dim3 none = {1, 1, 1};
  CHECKED(cudaGetDeviceCount(&count));
  CHECKED(cudaGetDeviceProperties(&properties, count - 1));
  printf("%d devices, %s, clock %d kHz\n", count, properties.name, properties.clockRate);
  return properties.warpSize == 32 && calls_are_there() ? count * (int)none.x : 0;
}
