#!/bin/bash
# run_sdy_interpreter_test.sh FILE FOLDER [FLAG…]: what the RUN lines of Shardy's executable tests call by this name.
#
# FILE is cut with split-file: part1.mlir has functions with shardings, part2.mlir a @main that runs them on several devices
# and checks the results. part1 becomes what one device runs, part2 is put behind it, and the whole is run. Where part1 has
# @parallel_* but no @sequential_*, a copy of it without shardings and with these names is put there too.
#
# FLAGs (SDY_FLAGS, if there are none) choose how: --sdy-convert-global-to-local alone is the mechanical stage, anything else
# the whole partitioner, of which only replica-count=N is heard. Without any: programs whose exchanges are written out
# (sdy.all_reduce and its like) go through the mechanical stage, all others through the whole. Where @main runs one partition
# of several replicas, so do they.
#
# The tools are SPLIT_FILE, SDY_OPT and STABLEHLO_TRANSLATE, else those in PATH, else this tree's. With PARTITION='tessera
# partition' that is the whole partitioner (and what makes the local program cheaper).
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: $0 FILE FOLDER [FLAG…]" >&2; exit 2; }
file=$1 folder=$2
shift 2

here=$(dirname "$(readlink -f "$0")")
tool() { # NAME PLACE…
  local name=$1 place
  command -v "$name" && return
  shift
  for place in "$@"; do
    [ ! -x "$place" ] || { echo "$place"; return; }
  done
  echo "$0: no $name" >&2
  return 1
}
split_file=${SPLIT_FILE:-$(tool split-file "$(llvm-config-19 --bindir 2>/dev/null)/split-file")}
sdy_opt=${SDY_OPT:-$(tool sdy_opt "$here/../build/tools/sdy_opt")}
translate=${STABLEHLO_TRANSLATE:-$(tool stablehlo-translate "$here/stablehlo-translate")}

rm -rf "$folder"
"$split_file" "$file" "$folder"
part1=$folder/part1.mlir all=$folder/all.mlir

flags=$*
[ -n "$flags" ] || flags=${SDY_FLAGS:-}
exchanges='sdy\.(all_(gather|slice|to_all|reduce)|reduce_scatter|collective_permute|\w+_to_(un)?re\w+)\b'
if [ -z "$flags" ] && grep -qE "$exchanges" "$part1"; then flags=--sdy-convert-global-to-local; fi
replicas=$(sed -nE 's/.*replica-count=([0-9]+).*/\1/p' <<<"$flags")
if [ -z "$replicas" ]; then
  grid=$(grep -oE 'programs *= *\[\[@\w+\]( *, *\[@\w+\])+\]' "$folder/part2.mlir" | head -n 1) || true
  replicas=$(tr -cd @ <<<"$grid" | wc -c)
  [ "$replicas" -gt 0 ] || replicas=1
fi
pass=--sdy-partitioner-pipeline options="replica-count=$replicas"
if [[ $flags != *\ -* && $flags =~ ^--?sdy-convert-global-to-local(=(.*))?$ ]]; then
  pass=--sdy-convert-global-to-local options="${BASH_REMATCH[2]:-} $options"
fi

body() { sed '1d; /^}/,$d' "$1"; } # what is inside `module {` … `}`
if [ "$pass" = --sdy-partitioner-pipeline ] && [ -n "${PARTITION:-}" ]; then
  $PARTITION "$part1" --allow-args=none --allow-results=none --replica-count="$replicas" >"$folder/local.mlir"
else
  "$sdy_opt" "$part1" "$pass=$options" --sdy-drop-sharding-and-mesh --allow-unregistered-dialect >"$folder/local.mlir"
fi
body "$folder/local.mlir" >"$all"
if grep -q '@parallel_' "$part1" && ! grep -q '@sequential_' "$part1"; then
  "$sdy_opt" "$part1" --sdy-drop-sharding-and-mesh --allow-unregistered-dialect >"$folder/whole.mlir"
  # Functions beside them would be there twice: the copy's have other names.
  body "$folder/whole.mlir" |
    sed -E "s/@parallel_/@sequential_/g; $(sed -nE 's/^ *func\.func .*@(\w+)\(.*/\1/p' "$folder/whole.mlir" |
      sed '/^parallel_/d; s/.*/s,@&\\b,@sequential_&,g;/')" >>"$all"
fi
cat "$folder/part2.mlir" >>"$all"
"$translate" --interpret "$all"
