#!/bin/sh
# check.sh <simt++> <the script for gdb> <folder of sources>: in the current folder.
set -u
simt=$1 script=$2 sources=$3 failed=0
command -v gdb >/dev/null || { echo 'there is no gdb here'; exit 0; }
"$simt" -g "$sources/scale.cu" -o scale || exit 1
line=$(grep -n 'the last of its block' "$sources/scale.cu" | cut -d: -f1)
gdb -batch -nx -x "$script" -ex 'set confirm off' -ex 'set debuginfod enabled off' \
  -ex "break scale.cu:$line if \$cuda_block(1) && \$cuda_thread(63)" -ex run \
  -ex cuda -ex 'print $threadIdx.x' -ex 'print $blockIdx' -ex 'cuda blocks' \
  -ex 'cuda warp 1' -ex 'cuda thread 5' -ex 'print i' -ex 'print $threadIdx.x' \
  -ex 'cuda thread (40,0,0)' -ex 'print i' -ex 'cuda thread 60' -ex 'cuda thread 64' \
  -ex 'cuda thread' -ex 'print i' -ex 'delete' -ex 'continue' ./scale >said 2>&1
expect() { grep -qE -- "$1" said || { echo "gdb does not say '$1'"; failed=1; }; }
expect '^block \(1,0,0\), thread \(63,0,0\), warp 1 lane 31$'
expect '^\$1 = 63$'
expect '^\$2 = \{x = 1, y = 0, z = 0\}$'
expect '^block 1 \(1,0,0\), running$'
expect 'lanes 0-27 +\(32,0,0\) waits at __syncthreads, scale.cu:13$'
expect 'lane 28 +\(60,0,0\) has ended$'
expect 'lane 31 +\(63,0,0\) runs$'
expect '^block \(1,0,0\), thread \(5,0,0\), warp 0 lane 5; the running one is block \(1,0,0\), thread \(63,0,0\)$'
expect '^\$3 = 69$'
expect '^\$4 = 5$'
expect '^\$5 = 104$'
expect 'thread 60 of block 1 has ended'
expect 'there is no thread 64'
expect '^\$6 = 127$'
expect 'no error$'  # gdb may be in the middle of a line
[ $failed = 0 ] || cat said
exit $failed
