#!/bin/sh
# check.sh <simt++> <folder of sources>: programs compiled and run in the current folder.
set -u
simt=$1 sources=$2 failed=0
wrong() { echo "wrong: $*"; failed=1; }
# says <code> <text> <command…>: ends with this code and says so, on either channel.
says() {
  code=$1 text=$2
  shift 2
  "$@" >said 2>&1
  got=$?
  [ "$got" = "$code" ] || wrong "$* ended with $got, not $code"
  grep -qF -- "$text" said || { wrong "$* does not say '$text'"; cat said; }
}

"$simt" -O2 -arch=sm_80 "$sources/idioms.cu" -o idioms || exit 1
says 0 'Test passed' ./idioms
says 0 'simt: 0 findings' env SIMT_CHECK=1 ./idioms
says 1 'used more than its stack of 28 KiB; SIMT_STACK=256K or cudaDeviceSetLimit' \
  ./idioms 300
says 1 'simt: 0 findings in 0 kernels; 1 failed launch' env SIMT_CHECK=1 ./idioms 300
says 0 45150 env SIMT_STACK=512K ./idioms 300
says 0 45150 ./idioms 300 98304
says 0 ' on h100, ' env SIMT_REPORT=- ./idioms
says 0 ' on l4, ' env SIMT_DEVICE=l4 SIMT_REPORT=- ./idioms
says 1 'used more than its stack' ./idioms 100000000
says 2 'SIMT_STACK=much: expected bytes' env SIMT_STACK=much ./idioms
says 2 'SIMT_REGISTERS=.: expected a file' env SIMT_REGISTERS=. ./idioms
says 2 'SIMT_DEVICE=t5: no such device; there are a10, a100, b200,' env SIMT_DEVICE=t5 ./idioms
says 2 "device t5.json: the file can't be read" env SIMT_DEVICE=t5.json ./idioms
says 2 'SIMT_REGISTERS=none: expected a file with the output of nvcc' env SIMT_REGISTERS=none ./idioms

"$simt" "$sources/declared.c" -o declared || exit 1
./declared || wrong 'a source that declares the functions itself'

"$simt" -DSECOND -c "$sources/own_device_code.cu" -o second.o || exit 1
"$simt" "$sources/own_device_code.cu" second.o -o own_device_code || exit 1
says 0 '14 123 0.5' ./own_device_code
"$simt" -dc -DSECOND "$sources/own_device_code.cu" -o second.o || exit 1
if "$simt" -rdc=true "$sources/own_device_code.cu" second.o -o shared 2>said; then
  wrong 'files that share code of the device may define it once'
fi

"$simt" "$sources/declarations.cu" -o declarations 2>said || { cat said; exit 1; }
says 0 '0 wrong' ./declarations
says 0 'simt: 0 findings in 4 kernels' env SIMT_CHECK=1 ./declarations
"$simt" -rdc=true "$sources/declarations.cu" -o declarations 2>said || { cat said; exit 1; }
says 0 '0 wrong' ./declarations
line=$(grep -n 'started late' "$sources/declarations.cu" | cut -d: -f1)
says 0 "declarations.cu:$line: warning: no constructor runs for the __shared__ variable 'late'" \
  "$simt" -O0 -c "$sources/declarations.cu" -o declarations.o
[ "$(grep -c warning said)" = 1 ] || wrong 'a constructor that does nothing makes a warning'

"$simt" "$sources/long_names.cu" -o long_names || exit 1
says 0 '73 -14763 12400' ./long_names

cat >mistaken.cu <<'end'
__constant__ int table[2] = {known, 2};
__global__ void k(int* out) {
	__shared__ int tile[4], other[rows_of_all];
  out[0] = tile[0] +;
}
int main() { k<<<1, threads>>>(nullptr); }
end
cat >expected <<'end'
mistaken.cu:1:30: error: use of undeclared identifier 'known'
__constant__ int table[2] = {known, 2};
                             ^
mistaken.cu:3:32: error: use of undeclared identifier 'rows_of_all'
        __shared__ int tile[4], other[rows_of_all];
                                      ^
mistaken.cu:4:21: error: expected expression
  out[0] = tile[0] +;
                    ^
mistaken.cu:6:21: error: use of undeclared identifier 'threads'
int main() { k<<<1, threads>>>(nullptr); }
                    ^
4 errors generated.
end
"$simt" -c mistaken.cu -o mistaken.o 2>said && wrong 'mistakes compile'
cmp -s said expected || { wrong 'messages do not show the lines as they were written'; diff expected said; }

"$simt" "$sources/last_warp.cu" -o last_warp || exit 1
says 0 'all sums are right' env SIMT_WATCHED=1 ./last_warp
says 0 'all sums are right' env SIMT_REPORT=counted.json ./last_warp
says 0 'all sums are right' ./last_warp
for line in 43 72 82 112; do
  [ "$(grep -c "relies on lockstep at last_warp.cu:$line" said)" = 1 ] ||
    wrong "last_warp does not say once that it relies on lockstep at line $line"
done
[ "$(grep -c lockstep said)" = 4 ] || wrong 'other kernels do not rely on lockstep'
says 1 'race in a warp' env SIMT_CHECK=1 ./last_warp
grep -q 'all sums are right' said || wrong 'checks change the sums'

"$simt" -std=c++20 -O1 -I "$sources/../../../include" "$sources/library_call.cu" -o library_call || exit 1
says 0 '1 to 1000' ./library_call
says 0 'simt: 0 findings in 3 kernels' env SIMT_CHECK=1 ./library_call

"$simt" -O2 "$sources/findings.cu" -o findings || exit 1
# finds <code> <what> <text>…: the checked run says all of that.
finds() {
  says "$1" "$3" env SIMT_CHECK=1 ./findings "$2"
  for more in "$@"; do
    case $more in "$1" | "$2" | "$3") continue ;; esac
    grep -qF -- "$more" said || { wrong "findings $2 does not say '$more'"; cat said; }
  done
}
for none in owner owner-in-loop even-pairs scope-device scope-ordered-device scope-one-block scope-gpu \
  tell-block tell-device fence-device odd-bytes return warp-barrier; do
  finds 0 $none 'simt: 0 findings in 1 kernel'
done
for type in double long int2; do
  finds 1 odd-$type 'misaligned access' ', 8 bytes of global memory, 64 times'
done
finds 1 odd-float 'misaligned access' ', 4 bytes of global memory, 64 times'
finds 1 odd-atomic 'misaligned access' 'has an atomic on it'
finds 1 odd-shared 'misaligned access' ', 8 bytes of shared memory, 64 times'
for scope in block ordered call cta; do
  finds 1 scope-$scope 'race between blocks' \
    "fix: block scope is atomic within one block only"
done
finds 1 tell-other 'race between blocks' 'fix: release it with __threadfence()'
finds 1 fence-block 'race between blocks' 'fix: release it with __threadfence()'
finds 1 count 'race between blocks' 'fix: make it one atomic' 'simt: 1 finding in 1 kernel'
finds 1 add-zeros 'race between warps' 'fix: make it one atomic' 'simt: 1 finding in 1 kernel'
finds 1 unwritten 'read of unwritten memory' \
  'fix: write it in this block first, with a __syncthreads() in between'
finds 1 no-barrier 'race between warps' 'fix: put a __syncthreads()' 'simt: 1 finding in 1 kernel'
finds 1 no-barrier-before-three 'simt: 1 finding in 1 kernel' 'race between warps'
[ "$(grep -c 'findings.cu:[0-9]*: block' said)" = 4 ] ||
  wrong 'one barrier that is missing is not one finding of four lines'
finds 1 odd-bytes-race 'race between warps' 'of row' 'of all' 'simt: 2 findings in 1 kernel'
# A line of the program that is named nowhere else.
line_of() { grep -nF -- "$1" "$sources/findings.cu" | head -1 | cut -d: -f1; }
inside=$(line_of 's[t] += k;')
finds 1 continue 'barrier not reached by the whole block' \
  "findings.cu:$((inside + 1)): block (0,0,0), thread (0,0,0), warp 0 waits at __syncthreads (32 threads)" \
  'passed it and ended (32 threads)' 'fix: every thread of the block must reach the barrier' \
  'simt: 1 finding in 1 kernel'
finds 1 continue-once 'barrier not reached by the whole block' \
  'passed it by and waits there later (32 threads)' 'simt: 1 finding in 1 kernel'
inside=$(line_of 's[t] += s[t + stride];')
finds 1 tree 'barrier not reached by the whole block' "findings.cu:$((inside + 1)): " \
  'passed it and ended (32 threads)' 'simt: 1 finding in 1 kernel'
finds 1 one-line 'two barriers at once' "findings.cu:$(line_of 'if (t & 1) { s[t] = 1;'): " \
  'simt: 1 finding in 1 kernel'
# Notes fail nothing.
for between in vote shuffle; do
  finds 0 $between 'simt: 0 findings in 1 kernel'
  says 0 'note: race in a warp' env SIMT_CHECK=1 SIMT_NOTES=1 ./findings $between
  grep -qF 'the vote or shuffle between the two does not order memory accesses' said || wrong "the note on a $between"
  grep -qF 'fix: put a __syncwarp() between the two' said || wrong "the fix of a $between"
done
says 0 'simt: 0 findings' env SIMT_CHECK=1 SIMT_NOTES=1 ./findings warp-barrier
! grep -q 'race in a warp' said || wrong 'a __syncwarp() is taken for a vote'
# What one host thread does to memory while a launch of another one runs again is not lost.
finds 1 two-hosts 'counted 200'
says 1 'counted 200' env SIMT_CHECK=1 SIMT_SCHEDULES=2 ./findings two-hosts
for used in twenty some-used at-absent; do
  finds 1 $used 'warp operation with a wrong mask' 'another value leaves other results in memory' \
    'simt: 1 finding in 1 kernel'
done
grep -qF 'which does not exist' said || wrong 'the lane that does not exist'
for unused in sixteen some; do
  finds 0 $unused 'simt: 0 findings in 1 kernel'
  says 0 'not used: another value leaves the same results' env SIMT_CHECK=1 SIMT_NOTES=1 ./findings $unused
  says 0 'simt: 0 findings' env SIMT_CHECK=1 SIMT_SCHEDULES=4 ./findings $unused
done
# The host's line that made the memory.
finds 1 several "findings.cu:$(line_of 'cudaMalloc(&data, 4096);'): allocates it with cudaMalloc"
finds 1 few-bytes 'access out of bounds' \
  'fix: the launch gives 64 bytes of dynamic shared memory: its third argument counts bytes'
finds 1 several 'simt: 3 findings in 3 kernels' 'allocates it with cudaMalloc'
says 0 'allocates it with cudaMalloc' env SIMT_REPORT=- ./findings several
says 1 'simt: 0 findings in 1 kernel; 2 allocations not freed' \
  env SIMT_CHECK=1 SIMT_LEAKS=1 ./findings owner
if grep -q 'libc' said; then wrong 'what calls main is no place of the user'; fi
# What is known is said, however the program ends.
finds 139 crash 'simt: 1 finding in 1 kernel'
SIMT_CHECK=1 ./findings endless >said 2>&1 &
sleep 2
kill -TERM $!
wait $!
[ $? = 143 ] || wrong 'SIGTERM does not end a checked program'
grep -q 'was interrupted' said || wrong 'the launch that SIGTERM ended is not named'
grep -q 'simt: [1-9] finding' said || { wrong 'findings are lost with SIGTERM'; cat said; }

"$simt" "$sources/orders.cu" -o orders || exit 1
# Of two workers, either may begin first.
says 0 '86 values, the second 3' env SIMT_WORKERS=1 SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders
grep -q 'result that depends on the order' said || wrong 'the list is the same in all orders'
[ "$(grep -c summed said)" = 1 ] || wrong 'what a kernel prints is said once for each order'
grep -q ' 0 findings' said || wrong 'a list in another order is no finding'
grep -q '^32 from a child' said || wrong "a kernel's launch is lost, or runs once for each order"
says 1 'race between blocks' env SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders broken
says 134 'race between blocks' env SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders broken abort
grep -q 'accesses address 0x0' said || wrong 'a store to a constant null is told'
exit $failed
