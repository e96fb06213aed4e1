#!/usr/bin/env bash
# cached.sh <build> <source step> <compiler> <headers> <work> <option>…: objects of kernels come from
# ccache in every clone, and from another one than before where the plugin or a header is another.
set -euo pipefail
build=$1 step=$2 compiler=$3 headers=$4 work=$5
shift 5
if ! ccache --version >/dev/null 2>&1; then
  echo "ccache is not here"
  exit 0
fi
if grep -q -- '-fplugin=/' "$build/compile_commands.json"; then
  echo "a command names the plugin by this clone's path"
  exit 1
fi

rm -rf "$work"
mkdir -p "$work"
export CCACHE_DIR=$work/cache CCACHE_NOHASHDIR=1
unset CCACHE_DISABLE CCACHE_READONLY CCACHE_RECACHE
plugin=$(compgen -G "$build/simt/simt-plain-*.so" || true)
clone() {  # name
  mkdir -p "$work/$1/build"
  cat >"$work/$1/kernel.cu" <<'CODE'
#include "step.h"
__global__ void kernel(int* values, const char** file) {
  values[threadIdx.x] += STEP;
  *file = __FILE__;
}
#ifndef __CUDA_ARCH__
int of_host() { return HOST; }
#endif
CODE
  printf '#define STEP 1\n#define HOST 1\n' >"$work/$1/step.h"
  echo "#include \"$work/$1/kernel.cu\"" >"$work/$1/build/kernel.cpp"
  [[ ! $plugin ]] || cp "$plugin" "$work/$1/build/plain.so"
}
compile() {  # clone, options…
  local at=$work/$1 loaded=()
  shift
  [[ ! $plugin ]] || loaded=(-fplugin=./plain.so -fpass-plugin=./plain.so)
  (cd "$at/build" && CCACHE_BASEDIR=$at "$step" ccache "$compiler" "-I$headers/simt/cuda" "-I$headers" \
    -std=c++20 "-ffile-prefix-map=$at=/warpfold" -include cuda_runtime.h -DSIMT_CUDA_SOURCE "$@" \
    "${loaded[@]}" -MD -MT kernel.o -MF kernel.d -o kernel.o -c "$at/build/kernel.cpp")
}
expect() {  # hits, misses, what was done
  local hits misses
  hits=$(ccache --print-stats | awk '/^(direct|preprocessed)_cache_hit/ {n += $2} END {print n + 0}')
  misses=$(ccache --print-stats | awk '/^cache_miss/ {print $2}')
  if [[ "$hits $misses" != "$1 $2" ]]; then
    echo "$3: expected $1 hits and $2 misses, there are $hits and $misses"
    exit 1
  fi
}

clone one
clone two
compile one "$@"
expect 0 1 "the first clone"
compile two "$@"
expect 1 1 "the second clone"
cmp "$work/one/build/kernel.o" "$work/two/build/kernel.o"
grep -q step.h "$work/two/build/kernel.d"
printf '#define STEP 2\n#define HOST 1\n' >"$work/two/step.h"
compile two "$@"
expect 1 2 "another header"
printf '#define STEP 2\n#define HOST 2\n' >"$work/two/step.h"
compile two "$@"
expect 1 3 "another text of the host"
if [[ $plugin ]]; then
  echo >>"$work/one/build/plain.so"  # its bytes are others, and it loads
  compile one "$@"
  expect 1 4 "another plugin"
fi
