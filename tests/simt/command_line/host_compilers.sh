#!/bin/sh
# host_compilers.sh <simt++> <sources> <toolkit>: kernels by simt++, host code by the host's
# compilers, which link, too.
set -u
simt=$1 sources=$2 toolkit=$3 failed=0
wrong() { echo "wrong: $*"; failed=1; }
cat >kernels.cu <<'E2'
__global__ void set(int* to) { *to = 42; }
void launch(int* to) { set<<<1, 1>>>(to); }
E2
for header in cuda_runtime.h cuda_runtime_api.h; do
  cat >"with_$header.cpp" <<E2
#include <$header>
#include <cstdio>
void launch(int*);
int main() {
  int devices = 0, host = 0, *to = nullptr;
  cudaDeviceProp properties;
  dim3 blocks(2, 3);
  float4 four = make_float4(1, 2, 3, 4);
  if (cudaGetDeviceCount(&devices) != cudaSuccess || blocks.z != 1 || four.w != 4) return 1;
  cudaGetDeviceProperties(&properties, 0);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&to, sizeof *to);
  launch(to);
  cudaMemcpyAsync(&host, to, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  cudaFree(to);
  std::printf("%d %s\n", host, cudaGetErrorString(cudaGetLastError()));
  return host != 42;
}
E2
done
"$simt" -dc kernels.cu -o kernels.o || exit 1
"$simt" -dlink kernels.o -o linked.o || wrong '-dlink'
for compiler in g++ 'g++ -std=c++17' 'g++ -std=c++14' clang++ 'clang++ -std=c++11' \
  'clang++ -std=c++20'; do
  command -v "${compiler%% *}" >/dev/null || continue
  for header in cuda_runtime.h cuda_runtime_api.h; do
    # shellcheck disable=SC2086  # options
    $compiler -Wall -Werror "-I$toolkit/include" "with_$header.cpp" kernels.o linked.o \
      "-L$toolkit/lib64" -lcudart -o program || { wrong "$compiler with $header"; continue; }
    ./program >said || wrong "$compiler with $header: the program ended with $?"
    grep -q '^42 no error' said || wrong "$compiler with $header: $(cat said)"
  done
done
exit $failed
