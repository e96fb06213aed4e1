#!/bin/sh
# cmake_project.sh <simt++> <sources> <toolkit>: a project whose language is CUDA is configured and built
# with each generator, and tested and installed with one.
set -u
sources=$2 toolkit=$3 failed=0
wrong() { echo "wrong: $*"; failed=1; }
rm -rf project build-* installed && cp -r "$sources/cmake_project" project || exit 1
unset CUDACXX CUDAFLAGS CUDAARCHS CMAKE_CUDA_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
for generator in Ninja 'Unix Makefiles'; do
  build="build-${generator%% *}"
  cmake -S project -B "$build" -G "$generator" "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc" \
    "-DCMAKE_INSTALL_PREFIX=$PWD/installed" -DCMAKE_BUILD_TYPE=Release >said 2>&1 ||
    { wrong "$generator: configuring"; cat said; continue; }
  grep -q 'CUDA compiler identification is NVIDIA 13.0' said || wrong "$generator: the compiler"
  grep -q "Found CUDAToolkit: $toolkit/include" said || wrong "$generator: the toolkit"
  cmake --build "$build" --target some >said 2>&1 || { wrong "$generator: building"; cat said; continue; }
  cmake --build "$build" --target some | grep -q 'Building' && wrong "$generator: a second build compiles again"
  SIMT_CHECK=1 "$build/some" >said 2>&1 || { wrong "$generator: checked"; cat said; }
  [ "$(grep -c '0 findings' said)" = 1 ] || { wrong "$generator: the program has two machines"; cat said; }
  sleep 1 && touch project/parts.h
  cmake --build "$build" --target some >said 2>&1 || wrong "$generator: building again"
  [ "$(grep -c 'Building CUDA object' said)" = 2 ] || { wrong "$generator: a header"; cat said; }
done
cmake --build build-Ninja >said 2>&1 || { wrong "building the rest"; cat said; }
(cd build-Ninja && ctest --output-on-failure) >said 2>&1 || { wrong "testing"; cat said; }
cmake --install build-Ninja >said 2>&1 || { wrong "installing"; cat said; }
installed/bin/some >said || wrong "running what is installed"
grep -q 'no error' said || wrong "what is installed says: $(cat said)"
exit $failed
