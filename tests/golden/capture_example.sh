#!/usr/bin/env bash
# capture_example.sh FOLDER: builds the example's kernels with nvcc, runs them under Nsight Compute
# and leaves example_h100.csv (ncu's own CSV of its raw page) and versions.txt there. With
# PROBE=<program>, that is run instead of building one.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." 2>/dev/null && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd)
probe=${PROBE:-$out/example_probe}
if [[ -z ${PROBE:-} ]]; then
  nvcc -std=c++17 -O3 -arch="${ARCH:-sm_90}" -I"$root" -o "$probe" \
    "$root"/examples/own_kernel/{transpose,histogram,stencil,dot}.cu \
    "$root"/tests/golden/example_probe.cpp
fi
t=l1tex__t_ d=l1tex__data_ lsu=pipe_lsu a=smsp__sass_average_data_bytes_per_sector_mem_global_op_
metrics=
for op in ld st; do
  metrics+=${t}requests_${lsu}_mem_global_op_$op.sum,${t}sectors_${lsu}_mem_global_op_$op.sum,
  metrics+=${d}bank_conflicts_${lsu}_mem_shared_op_$op.sum,
  metrics+=${d}${lsu}_wavefronts_mem_shared_op_$op.sum,$a$op.pct,
done
for op in atom red; do
  metrics+=${t}requests_${lsu}_mem_global_op_$op.sum,${t}sectors_${lsu}_mem_global_op_$op.sum,
done
metrics+=${d}bank_conflicts_${lsu}_mem_shared_op_atom.sum
ncu --clock-control none --cache-control none --csv --page raw --print-units base \
  --metrics "$metrics" --log-file "$out/ncu.log" "$probe"
grep '^"' "$out/ncu.log" > "$out/example_h100.csv"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  ncu --version
} > "$out/versions.txt"
