"""Predicted steps: tessera.simulate, Partitioned.simulate, machine= with shapes, and that they are those of the command line."""

import gc
import html
import json
import os
import re
import subprocess

import numpy as np
import pytest

import tessera
from tessera import P

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MLP = os.path.join(ROOT, "examples", "mlp.mlir")
HINTS = {"mesh": "data=2,model=2", "shard": ['x=P("data")', 'w1=P(None, "model")']}
LOOP = """func.func @main(%x: tensor<8xf32>, %n: tensor<i32>) -> tensor<8xf32> {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %o = stablehlo.constant dense<1> : tensor<i32>
  %r:2 = stablehlo.while(%i = %z, %v = %x) : tensor<i32>, tensor<8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %j = stablehlo.add %i, %o : tensor<i32>
    %w = stablehlo.tanh %v : tensor<8xf32>
    stablehlo.return %j, %w : tensor<i32>, tensor<8xf32>
  }
  return %r#1 : tensor<8xf32>
}"""


CALL = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.custom_call @f(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}"""


@pytest.fixture(name="program")
def _program():
    return tessera.load(MLP)


def command_line(*more):
    command = [os.path.join(ROOT, "build", "tessera"), "simulate", MLP, "--mesh", HINTS["mesh"], "--machine", "h100:8"]
    for rule in HINTS["shard"]:
        command += ["--shard", rule]
    return subprocess.run([*command, *more], capture_output=True, text=True, check=True).stdout


def test_is_the_command_lines(program):
    step = tessera.simulate(program, machine="h100:8", **HINTS)
    assert str(step) == command_line().rstrip("\n")
    said = json.loads(command_line("--json"))
    del said["file"], said["segment"]
    assert step.as_dict() == said
    assert step.seconds == said["seconds"] and step.peak_bytes == said["peak_bytes"]
    assert step.utilization == said["utilization"] and step.model_utilization == said["model_utilization"]


def test_parts(program):
    step = tessera.simulate(program, machine="h100:8", trace=True, **HINTS)
    assert step.machine == "h100:8" and step.devices == 4 and step.fits and not step.guess
    assert step.parts["compute"] + step.parts["waiting"] == pytest.approx(step.seconds)
    busy, = step.collectives
    assert (busy.kind, busy.axes, busy.count, busy.bytes) == ("all_reduce", ("model",), 1, 24)
    assert step.parts["collectives"] == {"all_reduce": busy.seconds}
    assert sum(value.bytes for value in step.at_peak) == step.peak_bytes
    assert step.at_peak[0] == ("%w1", "argument", 256, "tensor<8x8xf32>")
    assert "stablehlo.dot_general" in step.peak_op
    assert json.loads(step.trace)["traceEvents"]
    assert "per step on h100:8" in step._repr_html_()


def page_data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL).group(1))


def test_report(program, tmp_path):
    step = tessera.simulate(program, machine="h100:8", **HINTS)
    command_line("--report", str(tmp_path / "said.html"))
    page = step.report(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    assert page_data(page) == page_data((tmp_path / "said.html").read_text(encoding="utf-8"))
    assert page_data(page)["seconds"] == step.seconds
    (tmp_path / "directory").mkdir()
    for refused in tmp_path / "missing" / "page.html", tmp_path / "directory":
        with pytest.raises(OSError):
            step.report(refused)
    assert sorted(os.listdir(tmp_path)) == ["directory", "page.html", "said.html"]


def test_report_in_a_notebook(program):
    step = tessera.simulate(program, machine="h100:8", **HINTS)
    frame = re.search(r'<iframe [^>]*srcdoc="([^"]*)"', step._repr_html_()).group(1)
    assert html.unescape(frame) == step.report()
    made = tessera.partition(program, machine="h100:8", **HINTS)
    frame = re.search(r'<iframe [^>]*srcdoc="([^"]*)"', made._repr_html_()).group(1)
    assert [cause["why"] for cause in page_data(html.unescape(frame))["causes"]] == [r.why for r in made.reasons]
    assert "<iframe" not in tessera.partition(program, **HINTS)._repr_html_()


def test_report_outlives_rules(program):
    """The rules of custom calls that the options point to live as long as the result."""
    called = tessera.load(CALL)
    step = tessera.simulate(called, mesh="a=2", shard={"x": P("a")}, call_rules={"f": "([i])->([i])"}, machine="h100:2")
    del called
    gc.collect()
    assert page_data(step.report())["seconds"] == step.seconds


def test_partitioned(program):
    made = tessera.partition(program, machine="h100:8", **HINTS)
    step = made.simulate()
    assert step.machine == "h100:8" and step.trace is None
    assert step.seconds == made.seconds and step.peak_bytes == made.peak_bytes
    assert step.model_utilization is not None
    assert "per step" in repr(made)
    assert made.simulate("v100_25g:8").seconds != step.seconds
    assert tessera.simulate(made).seconds == step.seconds
    assert tessera.simulate(made.text, machine="h100:8").seconds == step.seconds  # a local program
    sharded = tessera.propagate(program, machine="h100:8", **HINTS)
    assert tessera.simulate(sharded).seconds == step.seconds
    plain = tessera.partition(program, **HINTS)
    assert plain.seconds is None and plain.peak_bytes is None and "per step" not in repr(plain)
    assert plain.simulate().machine == "default"


def test_functions():
    def layer(x, w):
        return x @ w
    x, w = np.ones((8, 4), "f"), np.ones((4, 6), "f")
    step = tessera.simulate(layer, x, w, mesh="a=2", shard={"x": P(None, "a"), "w": P("a")}, machine="h100:2x4")
    assert step.machine == "h100:2x4" and list(step.parts["collectives"]) == ["all_reduce"]


def test_shapes_choose():
    """A shape says how many devices are in a node, which changes the time of the same program."""
    program = tessera.load("""func.func @main(%x: tensor<1048576xf32>) -> tensor<1048576xf32> {
      return %x : tensor<1048576xf32>
    }""")
    hints = {"mesh": "a=8", "shard": {"x": P("a"), "result0": P()}}
    inside, across = (tessera.partition(program, machine=m, **hints).seconds for m in ("h100:8", "h100:2x4"))
    assert across > 2 * inside


def test_loops():
    guessed = tessera.simulate(LOOP, machine="h100")
    assert guessed.guess and guessed.unknown_loops == 1 and guessed.trip_count == 100
    counted = tessera.simulate(LOOP, machine="h100", trip_count=10)
    assert not counted.guess and counted.trip_count == 10 and counted.seconds < guessed.seconds
    made = tessera.partition(tessera.load(LOOP), machine="h100", trip_count=7)
    assert made.simulate().trip_count == 7 and made.simulate(trip_count=3).trip_count == 3


def test_machines(program, tmp_path):
    found = tessera.machines()
    assert {"default", "h100", "tpu_v5p", "v100_25g", "shared_cores"} <= set(found)
    mine = {**found["h100"], "name": "mine", "shape": [4]}
    step = tessera.simulate(program, machine=mine, **HINTS)
    assert step.machine == "mine:4"
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(mine))
    for machine in (path, str(path), json.dumps(mine)):
        assert tessera.simulate(program, machine=machine, **HINTS).seconds == step.seconds
    assert tessera.partition(program, machine=path, **HINTS).seconds == step.seconds


@pytest.mark.parametrize("machine, words", [
    ("abacus", "no machine is called 'abacus': there are default"),
    ("h100:8y4", "'8y4' is no shape"),
    ("h100:2", "the program is for 4 devices, and the shape of machine h100 has 2"),
    ("{}", "a machine needs"),
    ("-", "no machine is called '-'"),
    (3, "machine"),
])
def test_bad_machines(program, machine, words):
    for verb in (tessera.simulate, tessera.partition):
        with pytest.raises(tessera.InvalidArgument, match=words.replace("(", r"\(")):
            verb(program, machine=machine, **HINTS)


def test_bad_files(program, tmp_path):
    path = tmp_path / "broken.json"
    path.write_text('{"device": 3')
    with pytest.raises(tessera.InvalidArgument, match="broken.json: "):
        tessera.simulate(program, machine=path, **HINTS)
    with pytest.raises(tessera.Error):
        tessera.simulate(program, machine=tmp_path, **HINTS)


def test_what_is_refused(program):
    made = tessera.partition(program, **HINTS)
    with pytest.raises(tessera.InvalidArgument, match="a Partitioned has its mesh already"):
        tessera.simulate(made, mesh="a=2")
    with pytest.raises(tessera.InvalidArgument, match="partitioned already: mesh cannot be given"):
        tessera.simulate(made.text, mesh="a=2")
    with pytest.raises(tessera.InvalidArgument, match="simulate takes a function or a Program"):
        tessera.simulate(3)
    with pytest.raises(tessera.InvalidArgument):
        tessera.simulate(program, trip_count=0)
    program.close()
    with pytest.raises(tessera.FailedPrecondition):
        tessera.simulate(program)


def test_local_of_another_tool():
    text = """func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
      %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.add %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<8xf32>) -> tensor<8xf32>
      return %0 : tensor<8xf32>
    }"""
    step = tessera.simulate(text, local=True, mesh={"u": 2, "v": 2}, machine="h100:8")
    assert step.collectives[0].axes == ("v",) and step.model_utilization is None
