# Sourced by tools/test, tools/check and .ci/run: counting, in one place.
#
# report GROUP PASSED FAILED SKIPPED NOTE prints the group's line and appends it to $RESULTS (default
# build/results.tsv). SKIPPED counts what could not run here; REQUIRE_ALL=1 makes it a failure.
RESULTS=${RESULTS:-build/results.tsv}
mkdir -p build
suite_status=0

report() {
  local line
  printf '%s\t%d\t%d\t%d\n' "$1" "$2" "$3" "$4" >>"$RESULTS"
  line=$(printf '%-18s %d passed, %d failed' "$1:" "$2" "$3")
  [ "$4" = 0 ] || line="$line, $4 skipped"
  [ -z "${5:-}" ] || line="$line  ($5)"
  echo "$line"
  [ "$3" = 0 ] || suite_status=1
  if [ "$4" != 0 ] && [ "${REQUIRE_ALL:-0}" = 1 ]; then
    echo "$1: skipped under REQUIRE_ALL=1"
    suite_status=1
  fi
}

# number WORD TEXT: the number before WORD in TEXT, 0 if there is none.
number() {
  local found
  found=$(grep -oE "[0-9]+ $1" <<<"$2" | head -n 1 | cut -d' ' -f1)
  echo "${found:-0}"
}

# Called from make, these scripts run makes of their own: the parent's jobserver is not theirs.
MAKEFLAGS=$(sed -E 's/(^| )(-j[0-9]*|--jobserver-[a-z]+=[^ ]*)//g' <<<"${MAKEFLAGS:-}")
export MAKEFLAGS
unset MAKELEVEL MFLAGS
