#!/usr/bin/env bash
# words.sh <tree> <words.txt>: no file has a word that the house has given up, where it is refused.
# A place with a ! in front is the name of files that are exempt.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: words.sh <tree> <words.txt>" >&2; exit 2; }
list=$(realpath "$2")
cd "$1"
status=0 lines=0
while IFS='|' read -r -a part; do
  [[ ${part[0]} == \#* || ! ${part[0]} ]] && continue
  # What stands between the first and the last bar is the expression, which may have bars itself.
  read -r -a places <<< "${part[0]}"
  words=$(IFS='|'; echo "${part[*]:1:${#part[@]}-2}") instead=${part[-1]}
  words=${words# } words=${words% }
  lines=$((lines + 1))
  exempt=()
  for i in "${!places[@]}"; do
    place=${places[i]}
    if [[ $place == !* ]]; then
      exempt+=(--exclude="${place#!}")
      unset "places[i]"
      continue
    fi
    [[ -e $place ]] || { echo "$list names $place, which is not there" >&2; exit 2; }
  done
  found=$(grep -rnwE --include='*.'{hpp,cuh,cpp,cu,h,in,md} "${exempt[@]}" -e "$words" -- "${places[@]}") || continue
  echo "$found" | sed "s/\$/    <- instead:$instead/"
  status=1
done < "$list"
((lines > 0)) || { echo "$list has no words" >&2; exit 2; }
exit $status
