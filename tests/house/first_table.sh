#!/usr/bin/env bash
# What `./dev run` compiles before its first table: the reductions, and nothing of other ladders, of
# files or of benchmarks. Arguments: a build folder.
set -euo pipefail
inputs=$(ninja -C "$1" -t inputs warpfold-ladder-reduce)
grep -q '/ladder_reduce_[a-z]*\.dir/.*\.o$' <<<"$inputs"
others='/(ladder_(scan|sort|streams)_(simt|first|cuda)|warpfold_(files|steps|benchmark[a-z_]*))\.dir/.*\.o$'
if found=$(grep -E "$others" <<<"$inputs"); then
  printf 'the first table needs\n%s\n' "$found" >&2
  exit 1
fi
