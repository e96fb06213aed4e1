#!/bin/sh
# choices.sh <simt++>: what threads choose by values of their own is made without a branch, unless an
# option of the compiler asks for one.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/search.cu" <<'end'
__global__ void search(const unsigned* sorted, const unsigned* values, unsigned* out) {
  __shared__ unsigned all[256];
  all[threadIdx.x] = sorted[threadIdx.x];
  __syncthreads();
  unsigned at = 0;
  for (unsigned step = 128; step > 0; step >>= 1) {
    const unsigned next = min(at + step, 255U);
    if (all[next - 1] < values[threadIdx.x]) at = next;
  }
  out[threadIdx.x] = at;
}
end
code_of() {
  "$simt" -O3 "$@" -c "$work/search.cu" -o "$work/search.o"
  objdump -d --no-show-raw-insn "$work/search.o" >"$work/$name"
}
simt=$1
name=default
code_of
name=moves
code_of -mllvm -x86-cmov-converter=false
name=branches
code_of -mllvm -x86-cmov-converter=true
cmp "$work/default" "$work/moves" || { echo "branches are made of choices"; exit 1; }
! cmp -s "$work/default" "$work/branches" || { echo "the option has no effect"; exit 1; }
