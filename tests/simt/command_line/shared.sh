#!/bin/sh
# shared.sh <simt++>: kernels in shared libraries, which programs link or load.
set -u
simt=$1 failed=0
wrong() { echo "wrong: $*"; failed=1; }
cat >kernels.cu <<'E2'
__device__ int by = 21;
__global__ void multiply(int* to) { *to *= by; }
extern "C" int twice_and_so_on(int value) {
  int* to = nullptr;
  if (cudaMallocManaged(&to, sizeof(int)) != cudaSuccess) return -1;
  *to = value;
  multiply<<<1, 1>>>(to);
  if (cudaDeviceSynchronize() != cudaSuccess) return -1;
  value = *to;
  cudaFree(to);
  return value;
}
E2
sed 's/21/7/; s/twice_and_so_on/seven_times/' kernels.cu >others.cu
cat >linked.cpp <<'E2'
#include <cstdio>
extern "C" int twice_and_so_on(int), seven_times(int);
int main() {
  const int one = twice_and_so_on(2), other = seven_times(2);
  std::printf("%d %d\n", one, other);
  return one != 42 || other != 14;
}
E2
cat >loaded.cpp <<'E2'
#include <dlfcn.h>
#include <cstdio>
int main(int, char** names) {
  while (const char* name = *++names) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return std::fputs(dlerror(), stderr), 1;
    void* call = dlsym(library, "twice_and_so_on");
    if (call == nullptr) call = dlsym(library, "seven_times");
    std::printf("%d\n", reinterpret_cast<int (*)(int)>(call)(2));
  }
}
E2
sed 's/cstdio>/cstdio>\n#include <cuda_runtime.h>/; s/int main() {/__global__ void none() {}\n&\n  none<<<1, 1>>>();/' \
  linked.cpp >both.cu
for name in kernels others; do
  "$simt" -shared -Xcompiler -fPIC $name.cu -o lib$name.so || exit 1
done
"$simt" -shared kernels.cu -o libwithout.so -Xcompiler -fPIC -rdc=true || wrong '-rdc=true'
g++ linked.cpp -L. -lkernels -lothers -Wl,-rpath,. -o linked || exit 1
"$simt" both.cu -L. -lkernels -lothers -Xlinker -rpath,. -o both || exit 1
g++ loaded.cpp -ldl -o loaded || exit 1
for program in linked both; do
  [ "$(./$program)" = '42 14' ] || wrong "$program says $(./$program)"
  SIMT_CHECK=1 ./$program >said 2>&1 || wrong "$program, checked, ended with $?"
  [ "$(grep -c 'simt: 0 findings' said)" = 1 ] || { wrong "$program has several machines"; cat said; }
done
load() { ./loaded ./libkernels.so ./libothers.so; }
[ "$(load | tr '\n' ' ')" = '42 14 ' ] || wrong "loaded says $(load 2>&1)"
SIMT_WATCHED=1 SIMT_CHECK=1 load >said 2>&1 || { wrong "loaded, checked"; cat said; }
exit $failed
