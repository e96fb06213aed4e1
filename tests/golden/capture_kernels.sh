#!/usr/bin/env bash
# capture_kernels.sh FOLDER: builds the kernels of statements.cu and optimised.cu with nvcc, runs
# them under Nsight Compute and leaves there statements.csv and optimised.csv (a line a launch: its
# name and counters), sass.txt (each kernel's accesses as the card executes them) and versions.txt.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd)
nvcc -std=c++17 -O3 -arch="${ARCH:-sm_90}" -lineinfo -I"$here/../.." -o "$out/golden_probe" \
  "$here"/{statements,optimised,golden_launch}.cu "$here/golden_probe.cpp"
source "$here/metrics.sh"
for which in statements optimised; do
  ncu --clock-control none --cache-control none --csv --page raw --print-units base \
    --metrics "$metrics" --log-file "$out/ncu.log" "$out/golden_probe" "$which"
  python3 - "$out/ncu.log" "$metrics" > "$out/$which.csv" <<'PYTHON'
import csv, re, sys
lines = [line for line in open(sys.argv[1]) if line.startswith('"')]
names = sys.argv[2].split(',')
print('kernel', *names, sep=',')
for row in list(csv.DictReader(lines))[1:]:  # the first row holds the units
    kernel = re.search(r'(\w+)\(', row['Kernel Name'].replace('<unnamed>', '')).group(1)
    print(kernel, *(row[name].replace(',', '') for name in names), sep=',')
PYTHON
done
cuobjdump --dump-sass "$out/golden_probe" |
  grep -E 'Function|LDG|STG|LDS|STS|ATOM|RED|LD\.|ST\.|BRA|EXIT' | sed 's/^ *//' > "$out/sass.txt"
{
  nvidia-smi --query-gpu=name,driver_version --format=csv,noheader
  ncu --version
} > "$out/versions.txt"
rm -f "$out/golden_probe" "$out/ncu.log"
