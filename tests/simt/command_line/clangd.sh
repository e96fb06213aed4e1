#!/bin/sh
# clangd.sh <simt++> <folder of this file>: the commands that --compile-commands writes parse CUDA
# sources in clang's CUDA mode, and report a mistake at its place.
set -u
simt=$1 kernels=$2/../../../examples/own_kernel failed=0
wrong() { echo "wrong: $*"; failed=1; }
rm -f ./*.json ./*.cu
for name in dot histogram stencil transpose; do
  cp "$kernels/$name.cu" .
  "$simt" --compile-commands all.json --dryrun -std=c++20 -I"$kernels" -c $name.cu 2>/dev/null || wrong "$name: $?"
done
cat >mistake.cu <<'E2'
#include <cuda/atomic>
__device__ int half_of(int x) { return x / 2; }
__global__ void halve(int* values) {
  values[threadIdx.x] = half_of(values[threadIdx.x]) + here;
}
int main() { halve<<<1, 32>>>(nullptr); }
E2
echo 'int main() { return 0; }' >host.cpp
for file in mistake.cu host.cpp mistake.cu; do
  "$simt" -MJ all.json -c $file >/dev/null 2>&1
done
cat >parse.py <<'E2'
import json, subprocess, sys
entries = json.load(open("all.json"))
assert [e["file"] for e in entries] == [n + ".cu" for n in "dot histogram stencil transpose mistake".split()] + ["host.cpp"]
for e in entries:
    command = [word for word in e["arguments"] if word != "-c"] + ["-fsyntax-only"]
    assert ("cuda" in command) == e["file"].endswith(".cu"), command
    done = subprocess.run(command, cwd=e["directory"], capture_output=True, text=True)
    if e["file"] != "mistake.cu":
        assert done.returncode == 0, done.stderr
    else:
        assert "mistake.cu:4:56: error: use of undeclared identifier 'here'" in done.stderr, done.stderr
        assert done.stderr.count(" error: ") == 1, done.stderr
E2
python3 parse.py || wrong "the commands"

echo text >no.json
said=$("$simt" --compile-commands no.json -c host.cpp 2>&1)
[ $? = 2 ] && [ "$(cat no.json)" = text ] || wrong "a file that is no database: $said"
case $said in
  *"no.json: not a compilation database; remove it") ;;
  *) wrong "said '$said'" ;;
esac
said=$("$simt" --compile-commands none/all.json -c host.cpp 2>&1)
[ $? = 2 ] || wrong "a folder that is not there: $said"

i=0
while [ $i -lt 8 ]; do  # side by side, as make -j starts them
  cp host.cpp host_$i.cpp
  "$simt" --compile-commands many.json --dryrun -c host_$i.cpp 2>/dev/null &
  i=$((i + 1))
done
wait
[ "$(grep -c '"file"' many.json)" = 8 ] || wrong "calls side by side left $(cat many.json)"
exit $failed
