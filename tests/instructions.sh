#!/bin/bash
# instructions.sh COMMIT [PERCENT]: instructions that `tessera partition` executes, by callgrind, beside those of a commit before.
# Programs: a training step of a 12-layer GPT, and the zoo in f32 with one annotation each (kept in build/compare by tools/compare-programs).
# Prints one line per program and exits 1 if the sum, or the GPT step, has more than PERCENT (5) percent more.
cd "$(dirname "$0")/.." || exit 2
commit=${1:?usage: tests/instructions.sh COMMIT [PERCENT]} percent=${2:-5}
command -v valgrind >/dev/null || { echo "instructions.sh: valgrind is not installed"; exit 2; }
tree=build/compare/commit-$commit
[ -x "$tree/build/tessera" ] || tools/compare-programs --words "$commit" build/tessera >/dev/null
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
build/tools/gen --model gpt --names --layers 12 --width 768 --heads 12 --batch 32 --seq 512 --vocab 32000 >"$scratch/gpt12.mlir"

# count BINARY WORD…: instructions in millions.
count() {
  local binary=$1
  shift
  valgrind --tool=callgrind --callgrind-out-file=/dev/null "$binary" partition "$@" 2>&1 >/dev/null |
    awk '/Collected/ { printf "%.1f", $4 / 1e6 }'
}

status=0 old_sum=0 new_sum=0
# compare NAME WORD…
compare() {
  local name=$1 old new
  shift
  old=$(count "$tree/build/tessera" "$@") new=$(count build/tessera "$@")
  awk -v n="$name" -v a="$old" -v b="$new" 'BEGIN { printf "%-40s %9.1f M -> %9.1f M  %+.1f %%\n", n, a, b, (b / a - 1) * 100 }'
  old_sum=$(awk -v a="$old_sum" -v b="$old" 'BEGIN { print a + b }') new_sum=$(awk -v a="$new_sum" -v b="$new" 'BEGIN { print a + b }')
}

# more NAME OLD NEW: beyond the limit?
more() {
  awk -v a="$2" -v b="$3" -v p="$percent" 'BEGIN { exit !(b > a * (1 + p / 100)) }' && { echo "$1: more than $percent % more"; status=1; }
}

compare "gpt, 12 layers" "$scratch/gpt12.mlir" --mesh data=4,model=2 '--shard=batch.*=P("data")'
more "gpt, 12 layers" "$old_sum" "$new_sum"
last=
for rules in build/compare/zoo/*-float32.*.shard; do
  stem=${rules%.*.shard}
  [ "$stem" = "$last" ] && continue
  last=$stem
  compare "$(basename "$rules" .shard)" "$stem.mlir" "--mesh=$(cat "${rules%.shard}.mesh")" "--shard-file=$rules"
done
compare_total=$(awk -v a="$old_sum" -v b="$new_sum" 'BEGIN { printf "%+.1f", (b / a - 1) * 100 }')
more "all" "$old_sum" "$new_sum"
echo "all: $old_sum M -> $new_sum M instructions, $compare_total %"
exit $status
