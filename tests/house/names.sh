#!/usr/bin/env bash
# names.sh <root> <work> <compiler> [<flag>…]
# What <warpfold/warpfold.hpp> puts into namespace warpfold is what the reference describes. Every
# word of the headers is tried as the name of a member; the compiler refuses those that are none.
set -euo pipefail
root=$1 work=$2
shift 2
command -v doxygen >/dev/null || { echo "doxygen is not here"; exit 0; }
rm -rf "$work"
mkdir -p "$work"
cd "$root"

{ cat docs/Doxyfile; printf '%s\n' GENERATE_HTML=NO GENERATE_TAGFILE="$work/tags.xml"; } |
  WARPFOLD_REFERENCE=$work doxygen - >"$work/doxygen.log" 2>&1 || { cat "$work/doxygen.log"; exit 1; }
# The tags of namespace warpfold name its members and, with their namespace, its types and concepts.
sed -n '/<name>warpfold<\/name>/,/<\/compound>/p' "$work/tags.xml" |
  sed -nE 's/.*<name>([a-z_0-9]+)<\/name>.*/\1/p
           s/.*<(class|concept)[^>]*>warpfold::([a-z_0-9]+)<.*/\2/p' |
  grep -vx warpfold | sort -u >"$work/described"

grep -rhoE '\b[a-z][a-z_0-9]+\b' include | sort -u >"$work/words"
{
  echo '#include <warpfold/warpfold.hpp>'
  sed 's/.*/using warpfold::&;/' "$work/words"
} >"$work/names.cu"
"$@" -I include "$work/names.cu" >"$work/errors" 2>&1 || true
sed -nE 's/.*names\.cu[:(]([0-9]+).*error.*/\1/p' "$work/errors" | sort -u >"$work/refused"
awk 'NR == FNR { refused[$1 - 1]; next } !(FNR in refused)' "$work/refused" "$work/words" |
  sort -u >"$work/public"
if ! [[ -s $work/public ]] || ! diff "$work/described" "$work/public" >"$work/difference"; then
  echo "namespace warpfold and the reference differ (<: described only; >: not described;"
  echo "move what programs do not call to warpfold::detail):"
  grep '^[<>]' "$work/difference" || cat "$work/errors"
  exit 1
fi
