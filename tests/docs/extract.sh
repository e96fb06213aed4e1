#!/usr/bin/env bash
# extract.sh <directory> <page.md>…
# Writes every block of C++ in the pages as a program into the directory, and prints for each:
# page:line file. A block that has a main is a program by itself. Others name, in a comment on the
# line before, the file whose line `// the code of the page` they stand for:
#   <!-- code: tests/docs/library.cu -->
# or say why nothing can compile them: <!-- code: none, because … -->. What is copied from a source
# of ours (<!-- generated: … -->) is compiled there.
set -euo pipefail
out=$1
shift
mkdir -p "$out"

awk -v out="$out" '
  function refuse(why) {
    printf "%s:%d: %s\n", FILENAME, begin, why >"/dev/stderr"
    failed = 1
  }
  function finish(   name, file, surround, line, text, rest) {
    name = FILENAME
    gsub(/[^A-Za-z0-9]/, "_", name)
    name = name "_" begin
    if (code ~ /warpfold\/mpi\.hpp/ && mark ~ /^<!-- generated: /) {
      return  # where MPI is
    } else if (code ~ /int main\(/) {
      file = out "/" name (code ~ /__global__|<<</ && code !~ /simt\// ? ".cu" : ".cpp")
      text = code
    } else if (mark ~ /^<!-- generated: / || mark ~ /^<!-- code: none, because /) {
      return
    } else if (mark ~ /^<!-- code: [^ ]+ -->$/) {
      surround = substr(mark, 12, length(mark) - 15)
      file = surround
      sub(/.*\./, "." , file)
      file = out "/" name file
      text = includes
      while ((getline line <surround) > 0) {
        if (line ~ /^ *\/\/ the code of the page$/) { text = text rest; line = statements; used = 1 }
        text = text line "\n"
      }
      close(surround)
      if (!used) { refuse(surround " has no line `// the code of the page`"); return }
      used = 0
    } else {
      refuse("the code has no main; say before it where it stands, or why it is not compiled")
      return
    }
    printf "%s", text >(file ".new")
    close(file ".new")
    system("cmp -s \"" file ".new\" \"" file "\" && rm \"" file ".new\" || mv \"" file ".new\" \"" file "\"")
    printf "%s:%d %s\n", FILENAME, begin, file
  }
  FNR == 1 { inside = 0; mark = "" }
  inside && /^```$/ { inside = 0; finish(); mark = ""; next }
  inside {
    code = code $0 "\n"
    if ($0 ~ /^#include/) includes = includes $0 "\n"; else statements = statements $0 "\n"
    next
  }
  /^```cpp/ { inside = 1; begin = FNR; code = includes = statements = ""; next }
  /^```(c\+\+|cuda|cu|c|cxx)$/ { begin = FNR; refuse("blocks of C++ begin with ```cpp") }
  { mark = $0 }
  END { exit failed }
' "$@"
