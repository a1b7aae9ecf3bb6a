# full.test.sh TESSERA FILE SCRATCH: every verb writes to a full disk, a closed descriptor and a broken pipe; counts those
# that do not exit with 2 and exactly one message that says so.
tessera=$1 file=$2 scratch=$3 bad=0
mkdir -p "$scratch"
look() {  # CODE REASON COMMAND…
  local code=$1 reason=$2
  shift 2
  if [ "$code" != 2 ] || [ "$(grep -c "error: .*cannot.* writ.*: $reason" "$scratch/err")" != 1 ]; then
    echo "status $code of $*:"
    cat "$scratch/err"
    bad=$((bad + 1))
  fi
}
try() {
  "$tessera" "$@" >/dev/full 2>"$scratch/err"
  look $? 'No space left on device' "$@"
  "$tessera" "$@" >&- 2>"$scratch/err"
  look $? 'Bad file descriptor' "$@"
  # A reader that is gone; with SIGPIPE ignored, since a signal ends it otherwise.
  mkfifo "$scratch/pipe"
  exec 9<>"$scratch/pipe" 8>"$scratch/pipe" 9<&-
  (trap '' PIPE; exec "$tessera" "$@" >&8) 2>"$scratch/err"
  look $? 'Broken pipe' "$@"
  exec 8>&-
  rm "$scratch/pipe"
}
try --help
try --help=man
try --version
try help run
for verb in $("$tessera" --help | sed -n '/^verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  try "$verb" --help
  case $verb in
  completion) try completion bash ;;
  diff)
    "$tessera" simulate "$file" --json >"$scratch/a.json"
    try diff "$scratch/a.json" "$scratch/a.json"
    try diff --json "$scratch/a.json" "$scratch/a.json" ;;
  plan) try plan --mesh d=2 "$file"; try plan --mesh d=2 --json "$file" ;;
  ops|machines) try "$verb"; try "$verb" --json ;;
  doctor) try doctor --no-measure; try doctor --no-measure --json ;;
  solve) for option in -O1 --json; do try solve "$(dirname "$file")/../tests/fuzz/seeds/iopddl_fuzz/chain.json" $option; done ;;
  *) try "$verb" "$file"; try "$verb" --json "$file" ;;
  esac
done
try parse --hash "$file"
try parse --round-trip "$file"
try run --partitions=2 "$file"
try propagate --emit=table "$file"
try propagate --why-all --mesh d=2 --shard 'x=P("d")' "$file"
"$tessera" partition "$file" -o /dev/full 2>"$scratch/err"
look $? 'No space left on device' partition -o
ln -sf /dev/full "$scratch/out.npz"
"$tessera" run "$file" --outputs "$scratch/out.npz" 2>"$scratch/err"
look $? 'No space left on device' run --outputs
"$tessera" run "$file" --outputs "$scratch/nowhere/out.npz" 2>"$scratch/err"
look $? 'No such file or directory' run --outputs
echo "$bad bad"
