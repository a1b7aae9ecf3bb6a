#!/bin/sh
# corpora.sh: StableHLO's suites by both engines, on one device and partitioned on 8; fails if a file passes with eval and not compiled.
set -u
cd "$(dirname "$0")/../.." || exit 2
corpora=${CORPORA:-../shared/corpora/stablehlo}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
status=0
for devices in "" "--devices=8"; do
  for engine in eval compiled; do
    build/tessera check "$corpora" --engine=$engine $devices --json 2>/dev/null |
      sed -n 's/.*"file": *"\([^"]*\)".*"segment": *\([0-9]*\).*"status": *"\([a-z]*\)".*/\1 \2 \3/p' >"$work/$engine"
  done
  [ -s "$work/eval" ] || { echo "no results of check --json"; exit 2; }
  worse=$(diff "$work/eval" "$work/compiled" | grep -c '^<.* passed$')
  echo "${devices:-one device}: $(grep -c ' passed$' "$work/eval") pass with eval, $(grep -c ' passed$' "$work/compiled") compiled, $worse pass with eval only"
  diff "$work/eval" "$work/compiled" | sed -n 's/^> \(.*\) failed$/  \1/p'
  [ "$worse" = 0 ] || status=1
done
exit $status
