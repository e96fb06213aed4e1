#!/usr/bin/env bash
# sass.sh <old tree> <new tree>: compares the machine code of the budget's kernels in two trees.
# A kernel is the same if all its instructions are, whatever its name; the others are listed with
# their instructions, registers and spilled bytes. Needs nvcc, no GPU. Status 1 if any differ.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: sass.sh <old tree> <new tree>" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes $work/<name>.list, a line for each kernel: digest of its code, instructions, registers,
# spilled bytes, name. A cubin is an ELF file whose section .text.<kernel> is the code, 16 bytes an
# instruction.
list_kernels() {  # tree, name
  local cubin=$work/$2.cubin section offset size kernel usage
  "${NVCC:-nvcc}" -std=c++20 -O3 -arch=sm_90 -I"$1/include" -Xptxas -v -cubin -o "$cubin" \
    "$source" 2> "$work/$2.log"
  awk -F"'" '/Compiling entry function/ { name = $2 }
    /spill stores/ { split($0, w, ","); spilled = w[2] + 0 }
    match($0, /Used [0-9]+ registers/) { split(substr($0, RSTART), w, " "); print name, w[2], spilled }
    ' "$work/$2.log" > "$work/$2.usage"
  readelf -S -W "$cubin" 2> /dev/null | sed 's/^ *\[ *[0-9]*\] *//' | grep '^\.text\.' |
    while read -r section _ _ offset size _; do
      kernel=${section#.text.}
      usage=$(awk -v name="$kernel" '$1 == name { print $2, $3 }' "$work/$2.usage")
      printf '%s %s %s %s\n' \
        "$(tail -c +$((16#$offset + 1)) "$cubin" | head -c $((16#$size)) | md5sum | cut -c1-32)" \
        $((16#$size / 16)) "$usage" "$(c++filt "$kernel" | sed 's/^void //; s/(warpfold.*//; s/(.*const.*//
          s/warpfold::\|[a-z_]*_machine::\|detail:://g; s/ //g')"
    done | sort -k5 > "$work/$2.list"
}
source=$2/tests/library/device/budget.cu
[[ -f $source ]] || { echo "sass.sh: no $source" >&2; exit 2; }
list_kernels "$1" old
list_kernels "$2" new

awk '
  function say(mark, line,  f) {
    split(line, f, " ")
    printf "%s %5d instructions %4d registers %3d bytes spilled  %s\n", mark, f[2], f[3], f[4], f[5]
  }
  FNR == NR { old[++olds] = $0; left[$1]++; next }
  { ++news; if (left[$1] > 0) { --left[$1]; ++same; ++taken[$1] } else say("+", $0) }
  END {
    for (i = 1; i <= olds; ++i) {
      split(old[i], f, " ")
      if (taken[f[1]] > 0) --taken[f[1]]; else say("-", old[i])
    }
    printf "%d kernels before, %d after: %d the same to the last bit\n", olds, news, same
    exit !(olds > 0 && olds == news && same == olds)
  }' "$work/old.list" "$work/new.list"
