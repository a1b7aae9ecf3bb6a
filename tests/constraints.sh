#!/bin/bash
# Every constraint the specification numbers has a failing test: for each `op Cn` of `tessera ops --constraints`,
# tests/verify/<op>.mlir must announce an error that begins with `Cn:`. Those that an op declares unchecked (they
# depend on values at run time) are listed with their reason. Exits 1 if any is missing.
cd "$(dirname "$0")/.." || exit 2
TESSERA=${TESSERA:-build/tessera}
missing=0 covered=0 unchecked=0
declare -A skip
lines=$("$TESSERA" ops --constraints) || exit 2
while read -r op word rest; do
  [ "$word" = unchecked ] || continue
  for c in $(grep -oE '\bC[0-9]+(-C?[0-9]+)?' <<<"$rest"); do
    from=${c#C} to=${c#C}
    case $c in *-*) from=${c%%-*} from=${from#C} to=${c##*-} to=${to#C} ;; esac
    for ((i = from; i <= to; i++)); do skip[$op.C$i]=1; done
  done
done <<<"$lines"
while read -r op word _; do
  case $word in C*) ;; *) continue ;; esac
  if [ -n "${skip[$op.$word]}" ]; then
    unchecked=$((unchecked + 1))
    continue
  fi
  file=${op#stablehlo.}
  file=tests/verify/${file//[.-]/_}.mlir
  if grep -qE "expected-error(-re)? *@?[^ ]* *\{\{.*\b$word:" "$file" 2>/dev/null; then
    covered=$((covered + 1))
  else
    echo "$op $word: no failing test in $file"
    missing=$((missing + 1))
  fi
done <<<"$lines"
echo "constraints: $covered covered, $missing missing, $unchecked checked at run time only"
[ $missing -eq 0 ] && [ $covered -gt 0 ]
