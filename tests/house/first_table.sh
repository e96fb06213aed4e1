#!/usr/bin/env bash
# What `./dev run` compiles before its first table: the reductions, and nothing of other ladders, of
# files or of benchmarks. Arguments: a build folder.
set -euo pipefail
objects=$(ninja -C "$1" -t graph warpfold-ladder-reduce | sed -n 's/.*label="\(.*\.o\)".*/\1/p')
grep -q '/ladder_reduce_[a-z]*\.dir/' <<<"$objects"
others='/(ladder_(scan|sort|histogram|select|streams)_(simt|first|cuda)|warpfold_(files|steps|benchmark[a-z_]*))\.dir/'
if found=$(grep -E "$others" <<<"$objects"); then
  printf 'the first table needs\n%s\n' "$found" >&2
  exit 1
fi
