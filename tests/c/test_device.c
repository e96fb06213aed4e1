/* Device memory from C, in a stream of the caller's: each result against the host's. Exit code 3
 * where there is no device. */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <warpfold.h>

enum { n = 300000 };

static float values[n], back[n], prefixes[n];
static uint64_t indices[n], expected_indices[n];

static void expect(int right, const char* what) {
  if (right) return;
  fprintf(stderr, "%s: %s\n", what, wf_error());
  exit(1);
}
#define OK(call) expect((call) == WF_OK, #call)
#define CUDA(call) expect((call) == cudaSuccess, #call)

int main(void) {
  int devices = 0;
  cudaStream_t stream;
  wf_place place = {WF_CUDA, 0, NULL, WF_RUN_TO_RUN};
  const wf_place anywhere = {WF_HOST, 0, NULL, WF_GPU_TO_GPU};
  float *on_device, *out, sum, expected;
  uint64_t *indices_there, index, expected_index;
  wf_summary there, here;
  wf_accumulator* total;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 3;
  for (int i = 0; i < n; ++i) values[i] = (float)((int64_t)i * 7919 % 100003 - 50000) / 7;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  place.stream = stream;
  CUDA(cudaMalloc((void**)&on_device, sizeof values));
  CUDA(cudaMalloc((void**)&out, sizeof values));
  CUDA(cudaMalloc((void**)&indices_there, sizeof indices));
  CUDA(cudaMemcpyAsync(on_device, values, sizeof values, cudaMemcpyHostToDevice, stream));

  OK(wf_exact_sum(&place, WF_F32, on_device, n, out));
  CUDA(cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  OK(wf_exact_sum(NULL, WF_F32, values, n, &expected));
  expect(memcmp(&sum, &expected, sizeof sum) == 0, "the exact sum has the host's bits");
  place.determinism = WF_GPU_TO_GPU;
  OK(wf_reduce(&place, WF_F32, WF_PLUS, on_device, n, WF_F32, NULL, out));
  CUDA(cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  OK(wf_reduce(&anywhere, WF_F32, WF_PLUS, values, n, WF_F32, NULL, &expected));
  expect(memcmp(&sum, &expected, sizeof sum) == 0, "so has a reduction at gpu_to_gpu");
  OK(wf_reduce(&place, WF_F32, WF_MULTIPLIES, on_device, 9, WF_F32, NULL, out));
  CUDA(cudaMemcpyAsync(&sum, out, sizeof sum, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  OK(wf_reduce(&anywhere, WF_F32, WF_MULTIPLIES, values, 9, WF_F32, NULL, &expected));
  expect(memcmp(&sum, &expected, sizeof sum) == 0, "and a product");
  for (int exclusive = 0; exclusive < 2; ++exclusive) {
    OK(wf_scan(&place, WF_F32, WF_PLUS, on_device, n, exclusive, WF_F32, NULL, out));
    CUDA(cudaMemcpyAsync(back, out, sizeof back, cudaMemcpyDeviceToHost, stream));
    CUDA(cudaStreamSynchronize(stream));
    OK(wf_scan(&anywhere, WF_F32, WF_PLUS, values, n, exclusive, WF_F32, NULL, prefixes));
    expect(memcmp(back, prefixes, sizeof back) == 0, "and prefixes");
  }
  OK(wf_statistics(&place, WF_F32, on_device, n, &there));
  OK(wf_statistics(&anywhere, WF_F32, values, n, &here));
  expect(memcmp(&there, &here, sizeof here) == 0, "and statistics");
  place.determinism = WF_RUN_TO_RUN;

  OK(wf_argmax(&place, WF_F32, on_device, n, &sum, &index));
  OK(wf_argmax(NULL, WF_F32, values, n, &expected, &expected_index));
  expect(sum == expected && index == expected_index, "argmax");
  OK(wf_statistics(&place, WF_F32, on_device, n, &there));
  OK(wf_statistics(NULL, WF_F32, values, n, &here));
  expect(there.count == here.count && there.argmin == here.argmin && there.max == here.max,
         "statistics");
  OK(wf_accumulator_create(WF_F32, &total));
  OK(wf_accumulator_add(total, &place, on_device, n));
  OK(wf_accumulator_round(total, &sum));
  OK(wf_exact_sum(NULL, WF_F32, values, n, &expected));
  expect(sum == expected, "an accumulator of the device's values");
  wf_accumulator_destroy(total);

  OK(wf_scan(&place, WF_F32, WF_MAXIMUM, on_device, n, 0, WF_F32, NULL, out));
  CUDA(cudaMemcpyAsync(back, out, sizeof back, cudaMemcpyDeviceToHost, stream));
  OK(wf_argsort(&place, WF_F32, on_device, n, WF_ASCENDING, indices_there));
  CUDA(cudaMemcpyAsync(indices, indices_there, sizeof indices, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 1; i < n; ++i) expect(back[i] >= back[i - 1] && back[i] >= values[i], "scan");
  OK(wf_argsort(NULL, WF_F32, values, n, WF_ASCENDING, expected_indices));
  expect(memcmp(indices, expected_indices, sizeof indices) == 0, "argsort");
  OK(wf_sort_by_key(&place, WF_F32, on_device, indices_there, 8, n, WF_DESCENDING));
  OK(wf_sort(&place, WF_F32, on_device, n, WF_ASCENDING));
  CUDA(cudaMemcpyAsync(back, on_device, sizeof back, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  for (int i = 1; i < n; ++i) expect(back[i] >= back[i - 1], "sort");

  expect(wf_sort(&place, WF_I8, on_device, n, WF_ASCENDING) == WF_USAGE &&
             strstr(wf_error(), "i8") != NULL, "a type that devices don't take is refused");
  expect(wf_reduce_axis(&place, WF_F32, WF_PLUS, on_device, 2, 3, 2, WF_F32, out) == WF_USAGE,
         "an axis is the host's");
  return 0;
}
