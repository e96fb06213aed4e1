#!/usr/bin/env bash
# build.sh <root> [--tests]: what it costs to build warpfold, measured in a clone of its own with no
# compiler cache: the first table, what each further command adds, and one call of the library beside
# CUB and Thrust. Writes bench/results/build_<cores>core.json; with --tests all tests, too.
set -euo pipefail
root=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/compilers
: >"$log"

say() { printf 'bench build: %s\n' "$*" >&2; }

# Each compiler is started through what it finds as ccache (cmake/cached): here that is a clock.
mkdir "$work/bin"
cat >"$work/bin/ccache" <<'CLOCK'
#!/usr/bin/env bash
TIMEFORMAT='%U %S'
for word; do
  [[ ${last:-} != -o ]] || output=$word
  last=$word
done
{ spent=$({ time "$@" >&3 2>&4; } 2>&1); status=$?; } 3>&1 4>&2
printf '%s %s\n' "$spent" "${output:-?}" >>"$WARPFOLD_COMPILERS"
exit $status
CLOCK
chmod +x "$work/bin/ccache"
export PATH=$work/bin:$PATH WARPFOLD_COMPILERS=$log

# command… : runs it; sets wall and cpu to its seconds, and those of its children
clock() {
  local TIMEFORMAT='%R %U %S' spent
  spent=$({ time "$@" >"$work/out" 2>"$work/err"; } 2>&1) ||
    { cat "$work/err" >&2; say "failed: $*"; exit 1; }
  read -r wall cpu _ <<<"$(awk '{ print $1, $2 + $3 }' <<<"$spent")"
}

say "cloning $root"
git clone -q "$root" "$work/clone"
commit=$(git -C "$work/clone" describe --always --abbrev=12)
cd "$work/clone"

stages=()
stage() {  # arguments of dev… : one line of the table
  local before
  before=$(wc -l <"$log")
  clock ./dev "$@"
  stages+=("$(printf '    {"command": "./dev %s", "wall_s": %.1f, "cpu_s": %.1f, "files": %d}' \
    "${*//\"/}" "$wall" "$cpu" $(($(wc -l <"$log") - before)))")
  say "./dev $*: $wall s, $cpu s of CPU"
}
seq 1000 | awk '{ printf "%c%c%c%c", $1 % 128, 0, 0, 0 }' >numbers.raw
stage run
stage run ladder reduce --type f64 --n 2^10
stage run ladder scan --n 2^10
stage run ladder sort --n 2^10
stage run ladder streams --n 2^10
stage run steps reduce/sequential --values 3,1,2
stage run reduce numbers.raw --type i32
stage run bench reduce --backend host --n 2^10 --samples 1
stage run doctor
cp "$log" "$work/of_commands"
if [[ ${1:-} == --tests ]]; then
  stage test
fi

# Of the commands' build: by target, and the ten most expensive files.
objects() { awk '{ print $1 + $2, $3 }' "$work/of_commands"; }
targets=$(objects | sed -E 's#[^ ]*CMakeFiles/([^/ ]*)\.dir/.*#\1#' | awk '
  { cpu[$2] += $1; files[$2]++ }
  END { for (name in cpu) printf "%.1f %d %s\n", cpu[name], files[name], name }' | sort -rn |
  awk '{ printf "%s    {\"name\": \"%s\", \"cpu_s\": %s, \"files\": %d}", (NR > 1 ? ",\n" : ""), $3, $1, $2 }')
files=$(objects | sort -rn | head -n 10 | sed -E 's#([^ ]*)CMakeFiles/[^/ ]*\.dir/(.*)\.o$#\1\2#' |
  awk '{ printf "%s    {\"file\": \"%s\", \"cpu_s\": %.1f}", (NR > 1 ? ",\n" : ""), $2, $1 }')

# One call of each, by nvcc: the middle one of five.
calls=()
nvcc=$(command -v nvcc || { [[ ! -x /usr/local/cuda/bin/nvcc ]] || echo /usr/local/cuda/bin/nvcc; })
if [[ $nvcc ]]; then
  for source in "$root"/bench/compile/*_*.cu; do
    name=$(basename "$source" .cu)
    times=()
    for _ in 1 2 3 4 5; do
      clock "$nvcc" -std=c++20 -O3 -arch=sm_90 -I"$root/include" -c "$source" -o "$work/call.o"
      times+=("$cpu")
    done
    cpu=$(printf '%s\n' "${times[@]}" | sort -n | sed -n 3p)
    calls+=("$(printf '    {"call": "%s", "library": "%s", "cpu_s": %.2f, "object_bytes": %d}' \
      "${name%%_*}" "${name#*_}" "$cpu" "$(stat -c %s "$work/call.o")")")
    say "$name: $cpu s of CPU"
  done
fi

joined() { local IFS=$'\n'; sed '$!s/$/,/' <<<"$*"; }
cores=$(nproc)
result=$root/bench/results/build_${cores}core.json
cat >"$work/result" <<JSON
{
  "schema": 1,
  "run": {
    "processor": "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)",
    "cores": $cores,
    "compiler": "$(clang++ --version | head -n 1)",
    "nvcc": "$([[ ! $nvcc ]] || "$nvcc" --version | sed -n 's/.*release \([0-9.]*\).*/\1/p')",
    "commit": "$commit"
  },
  "stages": [
$(joined "${stages[@]}")
  ],
  "targets": [
$targets
  ],
  "files": [
$files
  ],
  "calls": [
$( ((${#calls[@]} == 0)) || joined "${calls[@]}")
  ]
}
JSON
mv "$work/result" "$result"
say "wrote $result"
