#!/bin/sh
# check.sh <warpfold-run> <warpfold-check>: in the current folder.
set -u
run=$1 check=$2 failed=0
wrong() { echo "wrong: $*"; failed=1; }
says() {
  code=$1 text=$2
  shift 2
  "$@" >said 2>&1
  got=$?
  [ "$got" = "$code" ] || wrong "$* ended with $got, not $code"
  grep -qF -- "$text" said || { wrong "$* does not say '$text'"; cat said; }
}

cat >prog.cu <<'END'
#include <cstdio>
#include <cstdlib>
#include <csignal>
#include "half.h"
__global__ void k(int* p, int i) { p[i] = SIZE; }
int main(int argc, char** argv) {
  int *p, h = 0;
  if (argc > 2) raise(atoi(argv[2]));
  cudaMalloc(&p, 16 * sizeof(int));
  k<<<1, 1>>>(p, atoi(argv[1]));
  cudaMemcpy(&h, p, sizeof h, cudaMemcpyDeviceToHost);
  printf("%s: %d and %d\n", argv[1], h, half_of(h));
  return h == SIZE ? 0 : 7;
}
END
mkdir -p include
echo 'int half_of(int);' >include/half.h
echo '#include "half.h"
int half_of(int n) { return n / 2; }' >half.cpp

sources='prog.cu half.cpp -Iinclude -DSIZE=12 -O2'
says 0 '0: 12 and 6' "$run" $sources -- 0
says 7 '3: ' "$run" $sources -- 3
says 143 '' "$run" $sources -- 0 15
says 0 'simt: 0 findings in 1 kernel' "$check" --schedules 4 $sources -- 0

# A finding in the library names the user's call.
mkdir -p include/warpfold
cat >include/warpfold/fill.hpp <<'END'
template <class T>
__global__ void fill_kernel(T* p, int n) { p[threadIdx.x + n] = 1; }
template <class T>
void fill(T* p, int n) { fill_kernel<<<1, 32>>>(p, n); }
END
cat >call.cu <<'END'
#include "warpfold/fill.hpp"
int main() {
  int* p;
  cudaMalloc(&p, 128);
  fill(p, 1);
}
END
says 1 '  fill.hpp:2: ' "$check" -Iinclude call.cu
says 1 '  call.cu:5: calls the library' "$check" -Iinclude call.cu
says 1 'access out of bounds' "$check" $sources -- 16
says 1 'the program ended with exit code 7' "$check" $sources -- 3
says 0 "The program's arguments" "$run" --help
says 1 'that is not freed' "$check" --leaks $sources -- 0
says 0 '' "$run" -o kept --report report.json $sources -- 0
[ -x kept ] && grep -q '"kernels"' report.json || wrong 'neither the program nor its report is kept'
says 0 'findings in 1 kernel' "$check" ./kept -- 0
says 2 'was not built by simt++' "$run" /bin/true
says 2 "a program's sources are missing: warpfold run prog.cu" "$run"
says 2 "a program's sources are missing: warpfold check prog.cu" "$check"
says 2 "'--shedules': there is no such option; did you mean --schedules?" "$check" --shedules 3 $sources
says 2 'did you mean --limit?' "$run" --limt=3 $sources
says 0 '0: 12 and 6' "$run" --std=c++17 $sources -- 0
says 2 'no source among -O2' "$check" -O2
says 2 '--schedules' "$check" --schedules many $sources -- 0
says 4 'does not compile' "$run" half.h prog.cu
says 4 'nowhere.cu: no such file' "$run" nowhere.cu
exit $failed
