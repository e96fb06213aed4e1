#!/bin/sh
# dependencies.sh <simt++>: rules for make name the object and the headers, where nvcc writes them.
set -u
simt=$1 failed=0
wrong() { echo "wrong: $*"; failed=1; }
rm -rf files && mkdir -p files/obj && cd files || exit 1
echo '#define VALUE 1' >value.h
printf '#include "value.h"\n__global__ void k(int* p) { *p = VALUE; }\n' >k.cu
printf '#include "value.h"\nint main() { return VALUE - 1; }\n' | tee m.cpp >c.c

# makes <rule's file> <target> <command…>
makes() {
  file=$1 target=$2
  shift 2
  find . -name '*.d' -delete
  "$simt" "$@" >said 2>&1 || { wrong "$* ended with $?"; cat said; }
  [ -e "$file" ] || { wrong "$* does not write $file"; return; }
  [ "$(find . -name '*.d' | wc -l)" = 1 ] || wrong "$* writes other rules"
  grep -q "^$target: " "$file" || { wrong "$* has another target than $target"; head -1 "$file"; }
  grep -qw value.h "$file" || wrong "$* does not name value.h"
}
for source in k.cu m.cpp c.c; do
  name=${source%.*}
  makes "obj/$name.d" "obj/$name.o" -MMD -c -o "obj/$name.o" "$source"
done
makes k.d k.o -MD -c k.cu
makes obj/k.d obj/k.o -MMD -odir obj -c k.cu
makes named.d obj/k.o -MMD -MF named.d -c -o obj/k.o k.cu
makes obj/k.d other -MMD -MT other -c -o obj/k.o k.cu
makes obj/k.d obj/k.o -Xcompiler -MMD,-MP -c -o obj/k.o k.cu
grep -q '^value.h:' obj/k.d || wrong '-MP has no rule for a header'
makes obj/prog.d obj/prog -MMD m.cpp -o obj/prog

# Those that are all that is asked for go by the source's name, also behind -c.
makes k.d k.o -MM k.cu -o k.d
makes k.d k.o -M -MF k.d -c k.cu
makes k.d obj/k.o -MM -odir obj -MF k.d k.cu
"$simt" -MM k.cu m.cpp >said || wrong '-MM of two files'
[ "$(grep -c '^[km]\.o: ' said)" = 2 ] || wrong '-MM of two files has no two rules'

cat >Makefile <<'E2'
obj/prog: obj/k.o obj/m.o
	$(NVCC) -o $@ $^
obj/%.o: %.cu
	$(NVCC) -MMD -MP -c -o $@ $<
obj/%.o: %.cpp
	$(NVCC) -MMD -MP -c -o $@ $<
-include obj/k.d obj/m.d
E2
rm -f obj/*
make NVCC="$simt" >said 2>&1 || { wrong 'make'; cat said; }
make NVCC="$simt" | grep -q 'up to date' || wrong 'a second make builds again'
sleep 1 && touch value.h
make NVCC="$simt" >said 2>&1
[ "$(grep -c -- ' -c ' said)" = 2 ] || wrong 'make does not follow a header'
rm value.h k.cu && printf '__global__ void k(int* p) { *p = 2; }\n' >k.cu && echo 'int main() {}' >m.cpp
make NVCC="$simt" >said 2>&1 || { wrong 'a header that is gone stops make'; cat said; }
exit $failed
