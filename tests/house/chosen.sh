# Sourced by ./dev: which tests there are, what must be built for them, and which a change reaches.
# shellcheck shell=bash

tests_chosen() {  # preset, ctest's arguments… : prints the names of the tests that these choose
  local directory=build/$1
  shift
  ctest --test-dir "$directory" -N "$@" 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p'
}

targets_of() {  # preset; tests on stdin: prints the target that must be built for each that has one, and the test
  awk '
    FNR == NR { tests[++count] = $0; next }
    sub(/: phony$/, "") { target[$0] }
    END {
      for (i = 1; i <= count; ++i) {
        test = tests[i]
        if ("needs_" test in target) print "needs_" test, test
        else if (test in target) print test, test
      }
    }' - <(ninja -C "build/$1" -t targets all)
}

changed_files() {  # commit, or nothing: prints the files that changed since
  local since=${1:-HEAD}
  if [[ ! ${1:-} && ! $(git status --porcelain) ]]; then since=HEAD~1; fi
  git diff --name-only "$since" --
  git ls-files --others --exclude-standard
}

tests_reached() {  # preset; files on stdin: prints the tests whose programs or files these are
  local directory=build/$1 files label path
  mapfile -t files
  ((${#files[@]})) || return 0
  local stale made  # the files, as ninja names them, and the objects that were made of them
  stale=$(printf '%s\n' "${files[@]/#/"$root/"}" "${files[@]/#/../../}")
  stale+=$'\n'$(ninja -C "$directory" -t deps | awk -v files="$stale" '
    BEGIN { split(files, list, "\n"); for (i in list) changed[list[i]] }
    /^[^ ].*: #deps/ { object = $1; sub(/:$/, "", object); next }
    { sub(/^ +/, "") } ($0 in changed) { print object }' | sort -u)
  # Nobody knows which headers an object will read that was never made.
  if printf '%s\n' "${files[@]}" | grep -E >/dev/null '\.(hpp|cuh)$'; then
    stale+=$'\n'$(comm -23 <(ninja -C "$directory" -t targets all | sed -n 's/^\(.*\.o\): .*/\1/p' | sort) \
      <(ninja -C "$directory" -t deps | sed -n 's/^\([^ ].*\): #deps.*/\1/p' | sort))
  fi
  made=$(tests_chosen "$1" | targets_of "$1")
  # shellcheck disable=SC2046 # targets are words
  ninja -C "$directory" -t graph $(cut -d ' ' -f 1 <<<"$made") | awk -F '"' -v files="$stale" -v made="$made" '
    BEGIN {
      split(files, list, "\n")
      for (i in list) changed[list[i]]
      n = split(made, list, "\n")
      for (i = 1; i <= n; ++i) { split(list[i], pair, " "); test[pair[1]] = pair[2] }
    }
    $3 == " [label=" { label[$2] = $4; if ($4 in changed) reached[++count] = $2 }
    $3 == " -> " { behind[$2] = behind[$2] " " $4 }
    END {
      for (one = 1; one <= count; ++one) {
        node = reached[one]
        if (node in seen) continue
        seen[node]
        if (label[node] in test) print test[label[node]]
        n = split(behind[node], list, " ")
        for (i = 1; i <= n; ++i) reached[++count] = list[i]
      }
    }'
  # Tests that are no programs carry the paths that they are about as labels, "on:include".
  ctest --test-dir "$directory" --print-labels | sed -n 's/^ *\(on:.*\)/\1/p' |
    while IFS= read -r label; do
      path=${label#on:}
      printf '%s\n' "${files[@]}" | grep -E "^$path(/|$)" >/dev/null || continue
      tests_chosen "$1" -L "^$label\$"
    done
}
