#!/bin/sh
# check.sh <simt++> <python> <generate.py> <first seed> <programs> [kernels]: random programs, compiled
# and run in the current folder. Each prints the same in both engines, in all orders, with all
# optimisations; where all barriers are met by all, there is no finding.
set -u
simt=$1 python=$2 generate=$3 first=$4 programs=$5 kernels=${6:-10} failed=0
wrong() { echo "wrong: generate.py --seed $seed $more: $*"; failed=1; }
# same <what> <command…>: prints what the plain run has printed.
same() {
  what=$1
  shift
  "$@" >got 2>errors
  cmp -s got expected || { wrong "another result $what"; diff expected got | head -4; head -3 errors; }
}
seed=$first
while [ "$seed" -lt $((first + programs)) ]; do
  more="--kernels $kernels"
  [ $((seed % 3)) != 0 ] || more="$more --barriers"
  "$python" "$generate" --seed "$seed" $more >random.cu || exit 1
  if "$simt" -w -O2 random.cu -o random && ./random >expected 2>errors; then
    same 'in the watched engine' env SIMT_WATCHED=1 ./random
    same 'in other orders' env SIMT_SCHEDULES=8 ./random
    same 'when checked' env SIMT_CHECK=1 ./random
    if [ $((seed % 3)) != 0 ]; then
      grep -q 'simt: 0 findings' errors || { wrong 'a finding'; head -5 errors; }
    fi
    case $((seed % 5)) in
    0) again='-O0' ;;
    1) again='-O1' ;;
    2) again='-O3' ;;
    *) again= ;;
    esac
    if [ "$again" ]; then
      "$simt" -w $again random.cu -o random || wrong "$again does not compile"
      same "with $again" ./random
    else
      env SIMT_LANES=all "$simt" -w -O2 random.cu -o random || wrong 'SIMT_LANES=all does not compile'
      same 'with SIMT_LANES=all' ./random
    fi
  else
    wrong 'it does not run'
    head -3 errors
  fi
  seed=$((seed + 1))
done
exit $failed
