#!/bin/sh
# cmake_project.sh <simt++> <sources> <toolkit>: a project whose language is CUDA is configured, built,
# tested and installed, with each generator.
set -u
sources=$2 toolkit=$3 failed=0
wrong() { echo "wrong: $*"; failed=1; }
rm -rf project build-* installed && cp -r "$sources/cmake_project" project || exit 1
unset CUDACXX CUDAFLAGS CUDAARCHS CMAKE_CUDA_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER
for generator in Ninja 'Unix Makefiles'; do
  build="build-${generator%% *}"
  rm -rf installed
  cmake -S project -B "$build" -G "$generator" "-DCMAKE_CUDA_COMPILER=$toolkit/bin/nvcc" \
    "-DCMAKE_INSTALL_PREFIX=$PWD/installed" -DCMAKE_BUILD_TYPE=Release >said 2>&1 ||
    { wrong "$generator: configuring"; cat said; continue; }
  grep -q 'CUDA compiler identification is NVIDIA 13.0' said || wrong "$generator: the compiler"
  grep -q "Found CUDAToolkit: $toolkit/include" said || wrong "$generator: the toolkit"
  cmake --build "$build" >said 2>&1 || { wrong "$generator: building"; cat said; continue; }
  cmake --build "$build" | grep -q 'Building' && wrong "$generator: a second build compiles again"
  (cd "$build" && ctest --output-on-failure) >said 2>&1 || { wrong "$generator: testing"; cat said; }
  SIMT_CHECK=1 "$build/some" >said 2>&1 || { wrong "$generator: checked"; cat said; }
  [ "$(grep -c '0 findings' said)" = 1 ] || { wrong "$generator: the program has two machines"; cat said; }
  cmake --install "$build" >said 2>&1 || { wrong "$generator: installing"; cat said; }
  installed/bin/some >said || wrong "$generator: running what is installed"
  grep -q 'no error' said || wrong "$generator: what is installed says: $(cat said)"
  sleep 1 && touch project/parts.h
  cmake --build "$build" >said 2>&1 || wrong "$generator: building again"
  [ "$(grep -c 'Building CUDA object' said)" = 2 ] || { wrong "$generator: a header"; cat said; }
done
exit $failed
