// Prefix sums captured once and replayed: with a workspace the scan allocates nothing, and it never
// synchronises, so a graph can contain it.
#include <cstdio>
#include <span>
#include <vector>

#include <cuda_runtime.h>
#include <warpfold/scan.hpp>

int main() {
  constexpr std::size_t n = 1 << 20;
  int *in = nullptr, *out = nullptr;
  if (cudaMalloc(&in, n * sizeof(int)) != cudaSuccess) return 1;
  if (cudaMalloc(&out, n * sizeof(int)) != cudaSuccess) return 1;
  warpfold::workspace memory(warpfold::scan_workspace_bytes<int>(n));
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);

  cudaGraph_t graph = nullptr;
  cudaGraphExec_t ready = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  warpfold::exclusive_scan(warpfold::device.on(stream).with(memory), std::span<const int>(in, n),
                           std::span(out, n), 0)
      .throw_if_failed("capture the scan");
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&ready, graph, 0);

  bool right = true;
  for (int round = 1; round <= 3; ++round) {
    const std::vector<int> values(n, round);
    cudaMemcpy(in, values.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaGraphLaunch(ready, stream);
    cudaStreamSynchronize(stream);
    int last = 0;
    cudaMemcpy(&last, out + n - 1, sizeof last, cudaMemcpyDeviceToHost);
    std::printf("%d\n", last);
    right = right && last == round * static_cast<int>(n - 1);
  }
  cudaGraphExecDestroy(ready);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
  cudaFree(in);
  cudaFree(out);
  return right ? 0 : 1;
}
