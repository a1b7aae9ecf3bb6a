#!/bin/bash
# docs.sh FILE…: runs every ```console block of the documents and compares what it prints with what they say.
# A line `$ command` starts a command; the lines until the next one are its output. Commands run from the root
# of the tree with build/ first on PATH, so `tessera` means this build. --update rewrites the blocks instead.
cd "$(dirname "$0")/.." || exit 2
update=0
[ "$1" = --update ] && { update=1; shift; }
PATH="$PWD/build:$PATH"
export PATH
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0
[ $# -gt 0 ] || set -- README.md ARCHITECTURE.md docs/partition-decisions.md docs/simulate.md docs/plan.md docs/tactics.md docs/decisions/*.md
for file in "$@"; do
  awk -v dir="$scratch" '
    /^```console$/ { inside = 1; print; next }
    /^```$/ && inside { flush_block(); inside = 0; print; next }
    inside && /^\$ / { flush_block(); command = substr($0, 3); print; next }
    inside { next }
    { print }
    function flush_block(   out) {
      if (command == "") return
      out = dir "/out"
      system("(" command ") >" out " 2>&1 </dev/null")
      while ((getline line < out) > 0) print line
      close(out)
      command = ""
    }' "$file" >"$scratch/new"
  n=$(grep -c '^\$ ' "$scratch/new")
  if cmp -s "$file" "$scratch/new"; then
    passed=$((passed + n))
  elif [ $update = 1 ]; then
    cat "$scratch/new" >"$file"
    passed=$((passed + n))
  else
    diff -u "$file" "$scratch/new" | head -n 40
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
