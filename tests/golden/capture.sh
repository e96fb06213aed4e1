#!/usr/bin/env bash
# Builds the probe, runs every row under Nsight Compute and leaves, in the folder named first:
# patterns.csv, one counters file a chunk of rows, the machine code of each kernel, the versions.
#   capture.sh FOLDER [SECONDS [GROUP …]]    starts no chunk of rows after so many seconds
set -u
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1" && out=$(cd "$1" && pwd)
limit=${2:-100000}
shift; [ $# -gt 0 ] && shift
groups=("$@")
[ $# -eq 0 ] && groups=(shared unseen_shared shared_atomics variants
                        global unseen_global global_atomics sass strides_shared strides_global)
arch=${ARCH:-sm_90} chip=${CHIP:-gh100} chunk=125

nvcc -std=c++17 -arch="$arch" -o "$out/access_probe" "$here/access_probe.cu" || exit 1
"$out/access_probe" list > "$out/patterns.csv"
cuobjdump --dump-sass "$out/access_probe" |
  grep -E 'Function|LDG|STG|LDS|STS|ATOM|RED|LD\.|ST\.|SHFL|BRA|EXIT' | sed 's/^ *//' \
  > "$out/sass.txt"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader > "$out/versions.txt"
{ nvcc --version; ncu --version; } >> "$out/versions.txt"
ncu --query-metrics --chip "$chip" | awk '{print $1}' > "$out/metric_names.txt"

# The names that this ncu knows, among those given, joined by commas.
known() {
  local m list=
  for m in "$@"; do
    if grep -qx "${m%%.*}" "$out/metric_names.txt"; then
      list+=",$m"
    else
      echo "unknown: $m" >&2
    fi
  done
  echo "${list#,}"
}
ops() { local op; for op in $2; do echo "${1/%@/$op}.sum"; done; }
t=l1tex__t_; d=l1tex__data_
global="$(ops ${t}requests_pipe_lsu_mem_global_op_@ 'ld st')
        $(ops ${t}sectors_pipe_lsu_mem_global_op_@ 'ld st')"
shared="$(ops ${d}bank_conflicts_pipe_lsu_mem_shared_op_@ 'ld st')
        $(ops ${d}pipe_lsu_wavefronts_mem_shared_op_@ 'ld st')
        $(ops smsp__inst_executed_op_shared_@ 'ld st')"
atomic_global="$(ops ${t}requests_pipe_lsu_mem_global_op_@ 'atom red')
        $(ops ${t}sectors_pipe_lsu_mem_global_op_@ 'atom red')"
atomic_shared="$(ops ${d}bank_conflicts_pipe_lsu_mem_shared_op_@ atom)
        $(ops ${d}pipe_lsu_wavefronts_mem_shared_op_@ atom)
        $(ops smsp__inst_executed_op_shared_@ atom)"
a=smsp__sass_average_data_bytes_per_
sass="${a}sector_mem_global_op_ld.pct ${a}sector_mem_global_op_st.pct"

collect() {  # group, label, metrics
  local group=$1 label=$2 metrics=$3 first=0
  local all; all=$("$out/access_probe" count "$group")
  while [ "$first" -lt "$all" ] && [ "$SECONDS" -lt "$limit" ]; do
    ncu --clock-control none --cache-control none --csv --page raw --print-units base \
      --metrics "$metrics" --log-file "$out/$label.$(printf %05d "$first").csv" \
      "$out/access_probe" run "$group" "$first" "$chunk" || echo "failed: $label $first"
    echo "$label from $first of $all: ${SECONDS} s"
    first=$((first + chunk))
  done
}
for g in "${groups[@]}"; do
  case $g in
    shared|unseen_shared|strides_shared) collect "$g" "$g" "$(known $shared)" ;;
    global|unseen_global|strides_global) collect "$g" "$g" "$(known $global)" ;;
    shared_atomics) collect "$g" "$g" "$(known $shared $atomic_shared)" ;;
    global_atomics) collect "$g" "$g" "$(known $global $atomic_global)" ;;
    variants) collect "$g" "$g" "$(known $global $shared $atomic_global $atomic_shared)" ;;
    sass) collect global sass "$(known $sass)" ;;
  esac
done
rm -f "$out/access_probe"
