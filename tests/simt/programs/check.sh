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
says 1 'used more stack than a thread has, 28 KiB; SIMT_STACK=256K or cudaDeviceSetLimit' \
  ./idioms 300
says 0 45150 env SIMT_STACK=512K ./idioms 300
says 0 45150 ./idioms 300 98304
says 1 'used more stack' ./idioms 100000000
says 2 'SIMT_STACK=much: expected bytes' env SIMT_STACK=much ./idioms
says 2 'SIMT_REGISTERS=.: expected a file' env SIMT_REGISTERS=. ./idioms
says 2 'SIMT_DEVICE=t5: no such device; there are a10, a100, b200,' env SIMT_DEVICE=t5 ./idioms
says 2 "device t5.json: the file can't be read" env SIMT_DEVICE=t5.json ./idioms
says 2 'SIMT_REGISTERS=none: expected a file of what nvcc' env SIMT_REGISTERS=none ./idioms

"$simt" "$sources/declared.c" -o declared || exit 1
./declared || wrong 'a source that declares the functions itself'

"$simt" -DSECOND -c "$sources/own_device_code.cu" -o second.o || exit 1
"$simt" "$sources/own_device_code.cu" second.o -o own_device_code || exit 1
says 0 '14 123 0.5' ./own_device_code
"$simt" -dc -DSECOND "$sources/own_device_code.cu" -o second.o || exit 1
if "$simt" -rdc=true "$sources/own_device_code.cu" second.o -o shared 2>said; then
  wrong 'files that share code of the device may define it once'
fi

"$simt" "$sources/last_warp.cu" -o last_warp || exit 1
says 0 'all sums are right' env SIMT_WATCHED=1 ./last_warp
says 0 'all sums are right' env SIMT_REPORT=counted.json ./last_warp
says 0 'all sums are right' ./last_warp
for line in 43 72 82; do
  [ "$(grep -c "relies on lockstep at last_warp.cu:$line" said)" = 1 ] ||
    wrong "last_warp does not say once that it relies on lockstep at line $line"
done
[ "$(grep -c lockstep said)" = 3 ] || wrong 'other kernels do not rely on lockstep'
says 1 'race in a warp' env SIMT_CHECK=1 ./last_warp
grep -q 'all sums are right' said || wrong 'checks change the sums'

"$simt" "$sources/orders.cu" -o orders || exit 1
# Of two workers, either may begin first.
says 0 '86 values, the second 3' env SIMT_WORKERS=1 SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders
grep -q 'result that depends on the order' said || wrong 'the list is the same in all orders'
[ "$(grep -c summed said)" = 1 ] || wrong 'what a kernel prints is said once for each order'
grep -q ' 0 findings' said || wrong 'a list in another order is no finding'
says 1 'race between blocks' env SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders broken
says 134 'race between blocks' env SIMT_SCHEDULES=6 SIMT_CHECK=1 ./orders broken abort
grep -q 'accesses address 0x0' said || wrong 'a store to a constant null is told'
exit $failed
