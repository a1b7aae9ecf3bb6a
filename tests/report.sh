#!/bin/bash
# report.sh [DIR]: pages of --report in headless Chromium (tests/report/browser.py): a small program with tiles known by
# hand, uneven tiles, a training step with data of a planner, loops, one device, no ops, a mesh of 512. Screenshots go to DIR.
# Skipped without Chromium, which nothing else needs.
cd "$(dirname "$0")/.." || exit 2
set -e
OUT=${OUT:-build} shots=${1:-}
command -v chromium chromium-browser google-chrome >/dev/null ||
  { echo "skipped: tests/report.sh needs Chromium to show pages (apt-get install chromium)"; exit 0; }
make --no-print-directory VARIANT="${VARIANT:-release}" "$OUT/tools/gen" >/dev/null
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
page() { local name=$1; shift; "$OUT/tessera" simulate "$@" --report "$dir/$name.html" >/dev/null; }
gen() { "$OUT/tools/gen" --model gpt --dtype bf16 --names --locations "$@"; }
browse() { tests/report/browser.py ${shots:+--shots "$shots"} "$@"; }

page mlp examples/mlp.mlir --mesh data=2,model=2 --shard 'x=P("data")' --shard 'w1=P(None, "model")' --machine h100:8
browse "$dir/mlp.html" --tiles '{"x": ["[0:2, 0:8]", "[0:2, 0:8]", "[2:4, 0:8]", "[2:4, 0:8]"],
  "w1": ["[0:8, 0:8]", "[0:8, 8:16]", "[0:8, 0:8]", "[0:8, 8:16]"], "b1": ["[0:8]", "[8:16]", "[0:8]", "[8:16]"]}'

# Rows of 2, 2, 1 and 0: four tiles of ceil(5 / 4). Position i is device 7 - i; positions are walked in order.
page splits tests/report/splits.mlir --machine h100:8
browse "$dir/splits.html" --tiles '{
  "uneven": ["[0:2, 0:6]", "[0:2, 0:6]", "[2:4, 0:6]", "[2:4, 0:6]", "[4:5, 0:6]", "[4:5, 0:6]", "only padding", "only padding"],
  "minor": ["[0:4, 0:3]", "[0:4, 3:6]", "[4:8, 0:3]", "[4:8, 3:6]", "[0:4, 0:3]", "[0:4, 3:6]", "[4:8, 0:3]", "[4:8, 3:6]"]}'

gen --layers 4 --width 2048 --heads 16 --batch 64 --seq 1024 --vocab 32000 >"$dir/gpt.mlir"
page gpt "$dir/gpt.mlir" --mesh data=8,model=4 --shard 'batch.*=P("data")' --shard 'params.*.mlp.up.kernel=P(None, "model")' --machine h100:8x4
gen --layers 32 --width 4096 --heads 32 --batch 64 --seq 2048 --vocab 32000 --loop >"$dir/loop.mlir"
page loop "$dir/loop.mlir" --mesh x=4,y=4,z=4 --shard 'batch.*=P("x")' --shard 'params.*.mlp.up.kernel=P(None, "y", "z")' --machine tpu_v5p:4x4x4
page one examples/mlp.mlir --machine h100
printf 'func.func @main(%%x: tensor<f32>, %%y: tensor<0x3xf32>) -> tensor<f32> {\n  return %%x : tensor<f32>\n}\n' >"$dir/none.mlir"
page none "$dir/none.mlir" --machine h100
page many examples/mlp.mlir --mesh data=512 --shard 'x=P("data")' --machine h100:8x64

# Data of a planner (ReportPlan) and a strided tensor, written by hand.
python3 - "$dir/gpt.html" "$dir/plan.html" <<'PLAN'
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
data = json.loads(re.search(r'id="data">\n(.*?)\n?</script>', text, re.S).group(1))
step = data["seconds"]
data["plan"] = {
    "strategy": "data x8, Megatron x4 on heads and MLP, ZeRO-1 on moments", "bound_seconds": 0.985 * step, "gap": 0.015,
    "runners_up": [{"name": f"plan {i}", "seconds": step * (1.01 + 0.03 * i), "peak_bytes": data["peak_bytes"] * (0.4 + 2.1 * i)} for i in range(5)],
    "search": [{"work": 1000 * i, "cost": None if i < 2 else step * (1 + 0.4 * 0.8 ** i), "bound": 0.985 * step * (1 - 0.5 * 0.7 ** i)} for i in range(40)]}
data["tensors"].insert(0, {"role": "argument", "index": 999, "name": "strided", "type": "tensor<16xf32>", "dims": [16], "bytes": 16,
                           "global_bytes": 64, "sharding": '[4{} 4{"model"}]', "split": [[[4], [4, 1]]]})
new = json.dumps(data).replace("<", "\\u003c")
open(sys.argv[2], "w", encoding="utf-8").write(re.sub(r'(id="data">\n).*?(\n?</script>)', lambda m: m.group(1) + new + m.group(2), text, count=1, flags=re.S))
PLAN
browse "$dir/plan.html" --tiles '{"strided": ["[0:1|4:5|8:9|...]", "[1:2|5:6|9:10|...]", "[2:3|6:7|10:11|...]", "[3:4|7:8|11:12|...]", "[0:1|"]}'
browse "$dir/loop.html" "$dir/one.html" "$dir/none.html" "$dir/many.html"
