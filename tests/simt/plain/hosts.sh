#!/bin/sh
# hosts.sh <simt++>: code of the host has no callbacks, but where another file's kernels might call it;
# what kernels call has them.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/both.cu" <<'end'
extern "C" __device__ __attribute__((noinline)) float below(const float* x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
extern "C" __device__ __attribute__((noinline)) float pointed_at(const float* x) { return x[1]; }
__device__ float (*chosen)(const float*) = pointed_at;
__global__ void sums(const float* x, float* out, int n) { *out = below(x, n) + chosen(x); }
extern "C" float on_host(const float* x, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}
int main(int count, char**) {
  float x[4] = {1, 2, 3, 4};
  return on_host(x, count) < 3;
}
end
simt=$1
compile() {
  "$simt" "$@" -c "$work/both.cu" -o "$work/both.o"
  objdump -dr --no-show-raw-insn "$work/both.o" >"$work/code"
}
calls_back() {
  awk -v name="<$1>:" '/^[0-9a-f]+ </ { inside = index($0, name) }
    inside && /__sanitizer_cov/ { found = 1 } END { exit !found }' "$work/code"
}
fail() {
  echo "$1"
  exit 1
}
compile
for f in below pointed_at; do calls_back $f || fail "$f is not seen"; done
for f in on_host main; do ! calls_back $f || fail "$f has callbacks"; done
compile -dc
for f in below pointed_at on_host; do calls_back $f || fail "$f is not seen, with -dc"; done
! calls_back main || fail "main has callbacks"
