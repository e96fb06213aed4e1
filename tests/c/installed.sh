#!/usr/bin/env bash
# installed.sh <cmake> <build> <work> <compiler> <tests>: installs the library for C, moves it, and
# compiles the tests' program by what pkg-config says.
set -euo pipefail
cmake=$1 build=$2 work=$3 compiler=$4 tests=$5
command -v pkg-config >/dev/null || { echo "pkg-config is not here"; exit 0; }
rm -rf "$work"
for component in warpfold_c c; do
  "$cmake" --install "$build" --prefix "$work/there" --component $component >/dev/null
done
mv "$work/there" "$work/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name warpfold.pc)")
export PKG_CONFIG_PATH
[[ $(pkg-config --modversion warpfold) == 0.* ]]
# shellcheck disable=SC2046  # options
"$compiler" -std=c11 "$tests/test_calls.c" -o "$work/calls" $(pkg-config --cflags --libs warpfold) \
  -pthread -lm
LD_LIBRARY_PATH=$(pkg-config --variable=libdir warpfold) "$work/calls"
