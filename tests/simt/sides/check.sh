#!/bin/sh
# check.sh <simt++> <folder of the tables>: simt++ refuses each program of refused.txt at the place that
# the table names, and takes those of taken.txt, which give what the table says.
# check.sh <nvcc> <folder of the tables> nvcc: nvcc refuses and takes the same.
compiler=$1 tables=$2 nvcc=$3
failed=0
wrong() {
  echo "$*"
  failed=1
}

# Programs that are refused: one file each.
grep -v '^#' "$tables/refused.txt" > rows
number=0
while IFS= read -r row; do
  number=$((number + 1))
  file=refused_$number.cu said=${row%%|*}
  printf '%s\n' "${row#*|}" | tr '@' '\n' > marked
  place=$(awk '{ c = index($0, "^"); if (c) { print NR ":" c; exit } }' marked)
  sed 's/\^//' marked > "$file"
  if "$compiler" -std=c++17 ${nvcc:+-arch=sm_90} -c "$file" -o refused.o > errors 2>&1; then
    wrong "$file is compiled: $row"
  elif [ -z "$nvcc" ] && ! grep -F "$file:$place: error: " errors | grep -qF "$said"; then
    wrong "$file should be refused at $place with '$said': $(cat errors)"
  fi
done < rows
echo "refused: $number"

# Those that are taken: one file for each version of C++, a namespace for each program.
for version in 17 20; do
  grep "^$version|" "$tables/taken.txt" | awk -F'|' -v version=$version '
    { code = $0; sub(/^[^|]*\|[^|]*\|/, "", code); lines = split(code, line, "@"); body = ""
      for (i = 1; i <= lines; ++i) {
        if (line[i] ~ /^#include/) include[line[i]] = 1; else body = body line[i] "\n" }
      text = text "namespace program_" $2 " {\n" body "}\n"
      runs = runs "  wrong += run(program_" $2 "::k, " $2 ");\n" }
    END { print "#include <cstdio>"; for (i in include) print i
      print text
      print "int run(void (*kernel)(int*), int expected) {\n  static int* p = nullptr;"
      print "  if (p == nullptr) cudaMallocManaged(&p, 64);\n  *p = 0;\n  kernel<<<1, 32>>>(p);"
      print "  if (cudaDeviceSynchronize() == cudaSuccess && *p == expected) return 0;"
      print "  std::printf(\"program %d gives %d\\n\", expected, *p);\n  return 1;\n}"
      print "int main() {\n  int wrong = 0;\n" runs "  return wrong;\n}" }' > taken_$version.cu
  if ! "$compiler" -std=c++$version --extended-lambda ${nvcc:+-arch=sm_90 -w -cubin} taken_$version.cu \
    -o taken > errors 2>&1; then
    wrong "taken_$version.cu should be compiled: $(grep error errors | head -20)"
  elif [ -z "$nvcc" ] && ! ./taken; then
    wrong "taken_$version.cu gives wrong results"
  fi
  echo "taken, C++$version: $(grep -c "^$version|" "$tables/taken.txt")"
done
exit $failed
