# Sourced by ./dev: which tests there are, what must be built for them, and which a change reaches.
# shellcheck shell=bash

tests_chosen() {  # preset, ctest's arguments… : prints the names of the tests that these choose
  local directory=build/$1
  shift
  ctest --test-dir "$directory" -N "$@" 2>/dev/null | sed -n 's/^ *Test *#[0-9]*: //p'
}

know_targets() {  # preset: stores the names of all targets, which the functions below look up
  targets=" $(ninja -C "build/$1" -t targets all | sed -n 's/: phony$//p' | tr '\n' ' ') "
}

target_of() {  # test: prints the target that must be built for it, if there is one
  local name
  for name in "needs_$1" "$1"; do
    if [[ $targets == *" $name "* ]]; then
      echo "$name"
      return
    fi
  done
}

changed_files() {  # commit, or nothing: prints the files that changed since
  local since=${1:-HEAD}
  if [[ ! ${1:-} && ! $(git status --porcelain) ]]; then since=HEAD~1; fi
  git diff --name-only "$since" --
  git ls-files --others --exclude-standard
}

tests_reached() {  # preset; files on stdin: prints the tests whose programs or files these are
  local directory=build/$1 files name target label path
  mapfile -t files
  ((${#files[@]})) || return 0
  know_targets "$1"
  local stale  # the files, as ninja names them, and the objects that were made of them
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
  tests_chosen "$1" | while IFS= read -r name; do
    target=$(target_of "$name")
    [[ $target ]] || continue
    if ninja -C "$directory" -t inputs "$target" | grep -xFf <(printf '%s\n' "$stale") >/dev/null; then
      echo "$name"
    fi
  done
  # Tests that are no programs carry the paths that they are about as labels, "on:include".
  ctest --test-dir "$directory" --print-labels | sed -n 's/^ *\(on:.*\)/\1/p' |
    while IFS= read -r label; do
      path=${label#on:}
      printf '%s\n' "${files[@]}" | grep -E "^$path(/|$)" >/dev/null || continue
      tests_chosen "$1" -L "^$label\$"
    done
}
