#!/bin/sh
# options.sh <simt++>: each of nvcc's options in each of its forms; nvcc, where there is one, says
# which there are.
set -u
simt=$1 failed=0
wrong() { echo "wrong: $*"; failed=1; }
rm -rf options && mkdir options && cd options || exit 1
printf '__global__ void k(int* p) { *p = 1; }\nint main() {}\n' >k.cu
printf '#include <cstdio>\nint main(int n, char** words) { while (*++words) std::puts(*words); }\n' >say.cpp
echo '-O2' >more
"$simt" --help >help || wrong '--help'

names() { sed -n 's/^ *\(--[A-Za-z0-9_-]*\)\( .*\)\{0,1\}$/\1/p' "$1" | sort; }
if command -v nvcc >/dev/null; then
  nvcc --help | grep '^--' >nvcc
  names nvcc >theirs
  names help | comm -13 - theirs >missing
  [ -s missing ] && wrong "nvcc has these, --help does not: $(cat missing)"
  # The brief names and whether a value follows.
  tr -s ' ' <nvcc | while read -r name rest; do
    line=$(grep -- "^  $name[ $]" help) || continue
    case $rest in *'('*) brief=${rest##*(} brief=${brief%)*} ;; *) brief= ;; esac
    case $line in *"($brief)"* | *"  $name "*) ;; *) echo "wrong: $name: not $brief" ;; esac
    value=no has=no
    case $rest in *'<'* | *'{'* | *'['* | entry*) value=yes ;; esac
    case $line in *"$name <"*) has=yes ;; esac
    case $name in --dependency-output | --qpp-config) value=yes ;; esac  # nvcc does not say so
    [ $value = $has ] || echo "wrong: $name: a value follows: $value"
  done >differences
  [ -s differences ] && { cat differences; failed=1; }
fi

# takes <words…>: a compilation with them is planned.
takes() { "$simt" -dryrun -c say.cpp "$@" >said 2>&1 || { wrong "$* ended with $?"; cat said; }; }
# Each that does not change what is done, with each form of its value.
grep '^  -' help | grep -v 'refused' | while read -r name value brief _; do
  case $value in
    '<'*) value=${value#<} value=${value%>} ;;
    *) brief=$value value= ;;
  esac
  case $brief in '('*) brief=${brief#(} brief=${brief%)} ;; *) brief=$name ;; esac
  echo "$name $brief $value"
done >table
while read -r name brief value; do
  case $name in --help | --version | --list-gpu-*) continue ;; esac
  case $value in
    '') takes "$name" && takes "$brief"; continue ;;
    true*) value=true ;;
    none* | use-lcs* | legacy*) value=${value%%|*} ;;
    number | limit | amount | level) value=3 ;;
    c\|*) value=cu ;;
    dialect) value=c++17 ;;
    kind*) value=reorder ;;
    file*) value=more ;;
    options*) value=-O2 ;;
  esac
  takes "$name" "$value"
  takes "$name=$value"
  takes "$brief" "$value"
  takes "$brief=$value"
done <table
takes -t0 -m64 -O3 -lm -L. -I. -DA=1 -UB
takes -Werror all-warnings -Werror cross-execution-space-call,reorder -Werror
grep -q -- "-Werror=reorder .*-Werror " said || wrong '-Werror reorder'
takes -prec-div true -dopt on -rdc true
takes --frandom-seed=7 -ftemplate-depth 99
grep -q -- '-frandom-seed=7 -ftemplate-depth=99' said || wrong 'what is handed on'
for option in --ptx -cubin --fatbin -optix-ir --ltoir; do
  "$simt" "$option" k.cu 2>said && wrong "$option"
  grep -q "simt++: $option\|simt++: -${option#--}: there is no device code" said ||
    wrong "$option has no reason"
done
"$simt" -hls=gen-lcs 2>said && wrong '-hls=gen-lcs'
grep -q 'objects need no linker script' said || wrong '-hls=gen-lcs has no reason'

# Several options in one: blanks and commas part them, quotes and backslashes hold them together.
# packed <expected> <value of -Xcompiler>
packed() {
  takes -Xcompiler "$2"
  grep -qF -- "$1" said || { wrong "-Xcompiler $2 is not $1"; grep -o -- '-Xcompiler.*' said; }
}
packed ' -fopenmp -Wall ' '-fopenmp -Wall'
packed ' -fopenmp -Wall ' '-fopenmp,-Wall'
packed " '-DTEXT=a b,c' " '-DTEXT="a b,c" -Wall'
packed " '-DTEXT=\"a\"' " '-DTEXT=\\"a\\"'
packed " '-DTEXT=a b' " "'-DTEXT=a b'"
packed ' -DA=1,2 ' '-DA=1\,2'
"$simt" -dryrun -c k.cu -Xcompiler '-DA="1' 2>said && wrong 'a quote without its end'
printf -- '-I"dir with blanks"\n-DB=2\n' >more
takes --options-file more
grep -q -- "'-Idir with blanks' -DB=2" said || wrong 'an options file with blanks'
"$simt" -dryrun k.o -o prog -Xlinker '-rpath,"/a,b"' 2>said
grep -q -- "-Xlinker -rpath -Xlinker /a,b" said || wrong '-Xlinker'

# What nvcc defines, in CUDA sources and in others, and what some options do.
cat >macros.cu <<'E2'
#if __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ != 1300 || !defined __NVCC__ || \
    !defined __CUDACC_VER_BUILD__ || defined __CUDACC__ != CUDA
#error nvcc
#endif
#if defined __CUDACC_EXTENDED_LAMBDA__ != LAMBDA || defined __CUDACC_RELAXED_CONSTEXPR__ != CONSTEXPR
#error options
#endif
#if defined __CUDACC_RDC__ != SHARED
#error relocatable
#endif
E2
macros() {
  "$simt" "$@" -Wno-expansion-to-defined -o macros.o macros.cu || wrong "the macros of $*"
}
macros -x c++ -c -DCUDA=0 -DLAMBDA=0 -DCONSTEXPR=0 -DSHARED=0 --extended-lambda
macros -c -DCUDA=1 -DLAMBDA=0 -DCONSTEXPR=0 -DSHARED=0
macros -dc -DCUDA=1 -DLAMBDA=1 -DCONSTEXPR=1 -DSHARED=1 --extended-lambda --expt-relaxed-constexpr
macros -E -DCUDA=1 -DLAMBDA=1 -DCONSTEXPR=0 -DSHARED=0 -expt-extended-lambda

# What C++14 had and C++17 has no longer.
cat >old.cu <<'E2'
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>
struct wrong {};
void fails() throw(wrong) { throw wrong(); }
struct large : std::unary_function<int, bool> {
  bool operator()(int value) const { return value > 1; }
};
#ifdef __CUDACC__
__global__ void k(int* p) {
  register int i = threadIdx.x;
  p[i] = i;
}
#endif
int main() {
  std::vector<int> values(3, 1);
  std::auto_ptr<int> one(new int(1));
  std::random_shuffle(values.begin(), values.end());
  bool failed = false;
  try {
    fails();
  } catch (const wrong&) {
    failed++;
  }
  return std::count_if(values.begin(), values.end(), std::not1(large())) == 3 && failed &&
                 std::bind2nd(std::less<int>(), 3)(*one)
             ? 0
             : 1;
}
E2
for standard in 'c++14' 'c++11'; do
  "$simt" -std=$standard -Xcompiler -Wall,-Werror old.cu -o old && ./old || wrong "-std=$standard"
  "$simt" -x c++ --std $standard -Xcompiler -Wall,-Werror -c old.cu || wrong "-std=$standard in C++"
done

# Those that do something else than clang.
"$simt" -run -run-args 'one two,three' say.cpp -o say >said || wrong '-run'
[ "$(tr '\n' ' ' <said)" = 'one two three ' ] || wrong '-run-args'
[ "$("$simt" -run say -run-args again)" = again ] || wrong '-run of a program'
"$simt" -clean say.cpp -o say && [ ! -e say ] || wrong '-clean'
"$simt" -r -c say.cpp && "$simt" -r say.o -o whole.o && "$simt" whole.o -o say || wrong '-r'
"$simt" -noeh -c say.cpp || wrong '-noeh'
[ "$("$simt" --list-gpu-arch) $("$simt" -code-ls)" = 'compute_90 sm_90' ] || wrong '--list-gpu-arch'
"$simt" -forward-unknown-opts -dryrun -c k.cu -mavx2 2>said
grep -q -- "-mavx2" said || wrong '-forward-unknown-opts'
"$simt" -v nothing 2>said && wrong 'a file that is not there'
grep -q '^#\$ DEVICE=-arch compute_90' said || wrong 'the architecture'
"$simt" -v -gencode=arch=compute_80,code=[sm_80] -arch=sm_75 nothing 2>said
[ "$(grep -c -- '-arch compute_\(80\|75\)$' said)" = 2 ] || { wrong 'architectures'; cat said; }
"$simt" -c k.cu -o /dev/null && [ -c /dev/null ] && [ ! -e /dev/null.simt.ll ] || wrong '-o /dev/null'
"$simt" -c k.cu -o /dev/stdout | cat >piped.o && [ -s piped.o ] || wrong '-o /dev/stdout'
# What kernels are compiled for: the newest that is named, where the machine is like it.
cat >arch.cu <<'TEXT'
__global__ void nothing() {}
static_assert(__CUDA_ARCH__ == EXPECTED);
TEXT
while read -r expected architectures; do
  "$simt" -DEXPECTED="$expected" $architectures -c arch.cu || wrong "__CUDA_ARCH__ of $architectures"
done <<'TEXT'
900
860 -arch=sm_86
1200 -gencode arch=compute_75,code=sm_75 -gencode arch=compute_120,code=sm_120
900 -arch=sm_35
TEXT
exit $failed
