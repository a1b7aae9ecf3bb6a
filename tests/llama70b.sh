#!/bin/bash
# Llama 70B with FSDP over "data"=32 and tensor parallelism over "model"=8: on machines whose nodes have 8 devices, no axis carries more than 1.02
# times the bytes of the flat default machine, and no permute crosses both axes. Skipped without ../shared/cases.
set -eu
cd "$(dirname "$0")/.."
cases=${CASES_DIR:-../shared/cases}
[ -e "$cases/llama70b_step.mlir" ] || { echo "llama70b: no $cases, skipped"; exit 0; }

# bytes MACHINE: `AXES BYTES` for each kind and set of axes.
bytes() {
  "${TESSERA:-build/tessera}" partition "$cases/llama70b_step.mlir" --mesh data=32,model=8 --shard-file "$cases/llama70b_fsdp_tp.shard" --machine "$1" --stats -o /dev/null 2>&1 |
    sed -n 's/^tessera: *[0-9]* \([a-z_]*\) .* \([0-9]*\) bytes  *over \([a-z,]*\).*/\1 \3 \2/p'
}

flat=$(bytes default)
for machine in h100 a100; do
  awk -v machine=$machine '
    FNR == NR { flat[$2] += $3; next }
    { sent[$2] += $3; if ($1 ~ /permute/ && $2 ~ /,/) { print machine ": permutes over " $2; bad = 1 } }
    END {
      for (axes in sent) {
        printf "%s: %.2f GB sent per device over %s; default: %.2f GB\n", machine, sent[axes] / 1e9, axes, flat[axes] / 1e9
        if (sent[axes] > 1.02 * flat[axes]) bad = 1
      }
      exit bad
    }' <(echo "$flat") <(bytes $machine)
done
