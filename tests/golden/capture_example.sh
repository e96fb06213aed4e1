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
source "$(dirname "$0")/metrics.sh"
ncu --clock-control none --cache-control none --csv --page raw --print-units base \
  --metrics "$metrics" --log-file "$out/ncu.log" "$probe"
grep '^"' "$out/ncu.log" > "$out/example_h100.csv"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  ncu --version
} > "$out/versions.txt"
