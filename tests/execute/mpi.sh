#!/bin/bash
# mpi.sh: programs across processes, with each MPI that is installed, compared bit by bit with one process.
#   mpi.sh equal FILE.npz RANKS COMMAND…   runs COMMAND --outputs with RANKS ranks; the results must be FILE.npz
#   mpi.sh run RANKS COMMAND…              runs COMMAND; prints its output and "exit N" once per MPI
#   mpi.sh kill RANKS COMMAND…             kills the last rank after 1 s: the job must end with an error within 10 s and name the rank
#   mpi.sh random [N]                      N random programs with random shardings
#   mpi.sh corpora                         a sample of StableHLO's suite and of the examples, partitioned on 8 devices
# An MPI without mpirun or provider is skipped with one line; REQUIRE_ALL=1: that is an error.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
out=${TESSERA_OUT:-$root/build}
mode=$1
shift
status=0

launch() {  # MPI RANKS COMMAND…: as root, Open MPI must be told that it may
  local mpi=$1 ranks=$2
  shift 2
  case $mpi in
  mpich) timeout "${LIMIT:-60}" mpirun.mpich -n "$ranks" "$@" ;;
  openmpi)
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_vader_single_copy_mechanism=none \
      timeout "${LIMIT:-60}" mpirun.openmpi --oversubscribe -n "$ranks" "$@" ;;
  esac
}

available() {  # MPI
  if command -v "mpirun.$1" >/dev/null && [ -e "$root/build/libtessera_$1.so" ]; then return 0; fi
  echo "skip $1: mpirun.$1 or libtessera_$1.so is missing (tools/deps providers)"
  [ "${REQUIRE_ALL:-0}" = 1 ] && exit 1
  return 1
}

work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
fail() { echo "FAIL $*"; status=1; }

equal() {  # FILE RANKS COMMAND…
  local want=$1 ranks=$2 mpi
  shift 2
  for mpi in mpich openmpi; do
    available $mpi || continue
    launch $mpi "$ranks" "$@" --outputs "$work/got.npz" >"$work/log" 2>&1 || { fail "$mpi: exit $?: $*"; tail -5 "$work/log"; continue; }
    cmp -s "$want" "$work/got.npz" || fail "$mpi: other bits: $*"
    rm -f "$work/got.npz"
  done
}

case $mode in
equal) equal "$@" ;;
run)
  ranks=$1
  shift
  for mpi in mpich openmpi; do
    available $mpi || continue
    launch $mpi "$ranks" "$@" 2>&1
    code=$?
    echo "exit $code"
    [ $code -ne 124 ] || fail "$mpi: no end within ${LIMIT:-60} s"
  done ;;
kill)
  ranks=$1
  shift
  for mpi in mpich openmpi; do
    available $mpi || continue
    launch $mpi "$ranks" "$@" >"$work/log" 2>&1 &
    job=$!
    victim=
    for _ in $(seq 100); do
      victim=$(sed -n "s/.*rank $((ranks - 1)) is PID \([0-9]*\) on.*/\1/p" "$work/log")
      [ -n "$victim" ] && break
      sleep 0.1
    done
    [ -n "$victim" ] || { fail "$mpi: no line with the PIDs of the ranks"; cat "$work/log"; continue; }
    sleep 1
    start=$(date +%s)
    kill -9 "$victim"
    wait $job
    code=$?
    took=$(($(date +%s) - start))
    # The launcher names the rank, or the process, whose rank our first line tells.
    named=no
    grep -Eq "rank $((ranks - 1)) with PID|PID $victim RUNNING" "$work/log" && named=yes
    if [ $code -ne 0 ] && [ $took -le 10 ] && [ $named = yes ]; then echo "$mpi: killed rank ends the job"
    else fail "$mpi: exit $code after $took s, rank named: $named"; cat "$work/log"; fi
  done ;;
corpora)
  corpora=${CORPORA:-$root/../shared/corpora/stablehlo}
  [ -d "$corpora" ] || { echo "skip: no $corpora"; exit 0; }
  # A probe's values are those of the rank that has the device; probe.mlir compares them on all.
  files="$(ls "$corpora"/interpret/*.mlir | grep -v /probe.mlir) $(ls "$corpora"/testdata/*.mlir | awk 'NR % 20 == 7')"
  want=$("$out/tessera" check $files --engine=compiled --devices 8 2>/dev/null | tail -1)
  echo "one process: $want"
  for mpi in mpich openmpi; do
    available $mpi || continue
    got=$(LIMIT=300 launch $mpi 2 "$out/tessera" check $files --engine=compiled --devices 8 2>"$work/log" | tail -1)
    echo "$mpi: $got"
    [ "$got" = "$want" ] || { fail "$mpi"; tail -5 "$work/log"; }
  done ;;
random)
  # Random programs and shardings: those of the partitioner's property test.
  n=0
  for seed in $(seq "${1:-20}"); do
    "$root/build/tools/random_program" "$seed" >"$work/global.mlir" || { fail "random_program $seed"; continue; }
    "$out/tessera" partition "$work/global.mlir" -o "$work/local.mlir" 2>/dev/null || continue
    grep -q stablehlo.partition_id "$work/local.mlir" || grep -q replica_groups "$work/local.mlir" || continue
    "$out/tessera" run "$work/local.mlir" --outputs "$work/want.npz" 2>/dev/null || continue
    n=$((n + 1))
    before=$status
    equal "$work/want.npz" 2 "$out/tessera" run "$work/local.mlir"
    [ $status = $before ] || echo "  random_program $seed"
  done
  echo "$n random programs"
  [ $n -gt 0 ] || fail "no program ran" ;;
*) echo "mpi.sh: equal, run, kill, random or corpora" >&2; exit 2 ;;
esac
exit $status
