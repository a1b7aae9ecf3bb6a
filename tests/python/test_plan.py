"""tessera.plan, and autoshard with a search: plans fit, are obeyed, and give JAX's results."""

import concurrent.futures
import json
import os
import socket
import subprocess
import sys
import threading
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import tessera
from tessera import P
from tessera.processes import machine_here, plan_once


def step(params, x):
    def loss(p):
        return ((jnp.tanh(x @ p["w1"]) @ p["w2"]) ** 2).mean()
    return jax.tree.map(lambda p, g: p - 0.1 * g, params, jax.grad(loss)(params))


def arguments():
    rng = np.random.default_rng(0)
    return {"w1": rng.normal(size=(64, 128)).astype("f"), "w2": rng.normal(size=(128, 64)).astype("f")}, \
        rng.normal(size=(256, 64)).astype("f")


def test_the_plan_is_obeyed_and_equal():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="cpu:8")
    made = plan.partition()
    assert made.devices == 8
    assert made.seconds == pytest.approx(plan.seconds)
    assert plan.bound_seconds <= plan.cost_seconds and plan.peak_bytes <= plan.usable_bytes
    got, want = made.run(params, x), step(params, x)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_the_same_plan_twice_and_by_text():
    params, x = arguments()
    one, two = (tessera.plan(step, params, x, machine="h100:8").as_dict() for _ in range(2))
    assert one["decisions"] == two["decisions"] and one["mesh"] == two["mesh"]
    program = tessera.export(step, params, x)
    plan = tessera.plan(program, machine="h100:8")
    assert tessera.partition(program, decisions=plan.json()).devices == 8
    assert json.loads(plan.json())["plan_version"] == 2


def test_hints_are_constraints():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="h100:8", mesh="a=2,b=4", shard={"params.w1": P("b", "a")})
    assert plan.shard["0"] == '[{"b"}, {"a"}]'


def test_nothing_fits():
    params, x = arguments()
    with pytest.raises(tessera.ResourceExhausted, match="every plan needs at least"):
        tessera.plan(step, params, x, machine="h100:8", memory=1000)


@pytest.mark.parametrize("options, words", [
    ({}, "how many devices"), ({"devices": 0}, "devices is 0"), ({"machine": "h100:8", "level": 3}, "level is 3"),
    ({"machine": "h100:8", "memory": -1}, "memory is -1"), ({"machine": "h100:8", "mesh": "a=2", "shard": {"nobody": P("a")}}, "nobody"),
])
def test_bad_options(options, words):
    params, x = arguments()
    with pytest.raises(tessera.InvalidArgument, match=words):
        tessera.plan(step, params, x, **options)


def test_a_plan_has_its_own_mesh():
    params, x = arguments()
    program = tessera.export(step, params, x)
    plan = tessera.plan(program, machine="h100:8")
    with pytest.raises(tessera.InvalidArgument, match="its own mesh"):
        tessera.partition(program, mesh="a=2", decisions=plan.json())
    other = tessera.export(lambda a: a + 1, np.ones(4, "f"))
    with pytest.raises(tessera.InvalidArgument, match="another program"):
        tessera.partition(other, decisions=plan.json())


@pytest.mark.parametrize("exact", [None, "local", False])
def test_autoshard_searches(exact):
    params, x = arguments()
    planned = tessera.autoshard(step, machine="cpu:8", exact=exact)
    got, want, before = params, params, None
    for _ in range(3):  # the state keeps its sharding: no reshard between steps
        got, want = planned(got, x), step(want, x)
        shardings = [leaf.sharding for leaf in jax.tree.leaves(got)]
        assert before in (None, shardings)
        before = shardings
    assert any(not s.is_fully_replicated for s in before)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_autoshard_refuses_contradictions():
    for options in ({"machine": "cpu:8", "decisions": {}}, {"memory": 1000}):
        with pytest.raises(tessera.InvalidArgument):
            tessera.autoshard(step, **options)


# ---- the cache ----

@pytest.fixture(name="searched")
def _searched(monkeypatch):
    """Fingerprints of what was searched, without plans of other tests."""
    module, found = sys.modules["tessera.plan"], []
    search = module.Request._search
    monkeypatch.setattr(module, "_cache", module._Cache(2))
    monkeypatch.setattr(module.Request, "_search", lambda self: found.append(self.fingerprint()) or search(self))
    return found


def test_a_program_is_planned_once(searched):
    params, x = arguments()
    plans = [tessera.plan(step, params, x, machine="h100:8") for _ in range(2)]
    assert len(searched) == 1 and plans[0].json() == plans[1].json()
    assert plans[1].partition().devices == 8
    tessera.plan(step, params, x, machine="h100:4")
    tessera.plan(step, params, x, machine="h100:8", mesh="a=8")
    assert len(set(searched)) == 3
    tessera.plan(step, params, x, machine="h100:8")  # two are kept here, so that this one is forgotten
    assert len(searched) == 4


def test_lines_in_a_file_do_not_count_and_machines_do(searched, tmp_path):
    one = tessera.plan(lambda x: x * 2, np.ones(64, "f"), machine="h100:2")
    two = tessera.plan(
        lambda x: x * 2, np.ones(64, "f"), machine="h100:2")
    assert one.program.text != two.program.text and len(searched) == 1 and two.partition().devices == 2
    path = tmp_path / "machine.json"
    for seconds in (1e-6, 2e-6):
        link = {"latency_seconds": seconds, "gap_seconds": 0, "bytes_per_second": 1e9}
        path.write_text(json.dumps({"name": "own", "device": {"flops_per_second": 1e12, "bytes_per_second": 1e11, "memory_bytes": 1e9},
                                    "links": [link]}))
        tessera.plan(lambda x: x * 2, np.ones(64, "f"), machine=path, devices=2)
    assert len(searched) == 3


def test_autoshard_plans_once_per_shapes(searched):
    params, x = arguments()
    planned = tessera.autoshard(step, devices=8)
    state = planned(params, x)
    planned(state, x)
    assert len(searched) == 1
    assert planned.plan(params, x) is planned.plan(params, x) and planned.plan(params, x).machine == "shared_cores"
    planned(params, x[:128])
    assert len(searched) == 2
    tessera.autoshard(step, devices=8)(params, x[:128])  # another function of the same program
    assert len(searched) == 2


def test_autoshard_needs_the_devices():
    params, x = arguments()
    with pytest.raises(tessera.FailedPrecondition, match="16 devices, and JAX has 8 .*device_count=16"):
        tessera.autoshard(step, machine="h100:16")(params, x)
    with pytest.raises(tessera.FailedPrecondition, match="nothing was searched"):
        tessera.autoshard(step, mesh="a=8", shard={"x": P("a")}).plan(params, x)


@pytest.mark.parametrize("kind, machine", [("NVIDIA H100 80GB HBM3", "h100"), ("TPU v5 lite", "tpu_v5e"), ("TPU v5p", "tpu_v5p"),
                                           ("Quantum 1", "default")])
def test_the_machine_on_which_jax_runs(kind, machine):
    device = types.SimpleNamespace(platform="other", device_kind=kind)
    fake = types.SimpleNamespace(sharding=jax.sharding, devices=lambda: [device])
    assert machine_here(fake) == machine and machine_here(jax) == "shared_cores"


def test_a_time_limit():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="h100:8", time_limit=5)
    assert plan.as_dict()["reproducible"] is False and "time limit" in str(plan)
    assert plan.partition().devices == 8
    with pytest.raises(tessera.InvalidArgument, match="time_limit is 0"):
        tessera.plan(step, params, x, machine="h100:8", time_limit=0)
    with pytest.raises(tessera.InvalidArgument, match="time_limit limits a search"):
        tessera.autoshard(step, time_limit=1)


def test_a_machine_as_a_dict():
    params, x = arguments()
    slow = {**tessera.machines()["h100"], "name": "slow"}
    slow["links"] = [{**link, "bytes_per_second": link["bytes_per_second"] / 100} for link in slow["links"]]
    plan = tessera.plan(step, params, x, machine=slow, devices=4)
    assert plan.machine == "slow" and str(plan).splitlines()[0].endswith("on slow")
    assert plan.partition().seconds == pytest.approx(plan.seconds)


# ---- plans in JAX ----

def test_a_plan_to_jax():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="cpu:8")
    run = plan.to_jax()
    for a, b in zip(jax.tree.leaves(run(params, x)), jax.tree.leaves(step(params, x))):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
    assert run.partitioned.bytes == plan.partition().bytes
    sharded = plan.propagate()
    assert run.shardings.arguments == tessera.shardings(sharded).arguments


def test_a_notebook_shows_the_report():
    params, x = arguments()
    plan = tessera.plan(step, params, x, machine="h100:8", mesh="a=2,b=4", shard={"x": P("a")})
    shown = plan._repr_html_()
    assert "step" in shown and "<iframe " in shown and "bound" in shown
    pages = [plan.simulate().report(), plan.partition().simulate().report(), plan.propagate().simulate(machine="h100:8").report()]
    for piece in ("mesh", "timeline", "memory", "collectives"):
        assert all(piece in page.lower() for page in pages)
    assert "<iframe " in plan.propagate()._repr_html_()


# ---- several processes ----

class Together:
    """Processes of a fake: threads that meet."""

    def __init__(self, count):
        self.count, self._barrier, self._cells = count, threading.Barrier(count), [None] * count

    def of(self, index):
        return types.SimpleNamespace(count=self.count, index=index, gather=lambda data: self._all(index, data),
                                     broadcast=lambda data: self._all(index, data)[0])

    def _all(self, index, data):
        self._cells[index] = data
        self._barrier.wait(30)
        cells = list(self._cells)
        self._barrier.wait(30)
        return cells


def together(marks, makers):
    shared = Together(len(marks))

    def one(index):
        try:
            return plan_once(shared.of(index), marks[index], makers[index])
        except tessera.Error as error:
            return type(error), str(error)

    with concurrent.futures.ThreadPoolExecutor(len(marks)) as pool:
        return list(pool.map(one, range(len(marks))))


def never():
    raise AssertionError("planned by another process than 0")


def fails():
    raise tessera.ResourceExhausted("no plan: too large")


def test_process_0_plans_and_all_compare():
    assert together([b"m"] * 3, [lambda: ("{}", "text"), never, never]) == [("{}", "text")] * 3
    assert together([b"m"] * 2, [fails, never]) == [(tessera.ResourceExhausted, "no plan: too large")] * 2
    for kind, message in together([b"m", b"m", b"n"], [never] * 3):
        assert kind is tessera.FailedPrecondition and "process 2 of 3 plans another program" in message


def test_two_processes_share_a_plan():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=4", "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, os.path.join(os.path.dirname(__file__), "two_processes_plan.py"), str(port)]
    running = [subprocess.Popen([*command, str(i)], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for i in range(2)]
    said = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0], "\n".join(said)
    assert all(text.rstrip().endswith("agrees") for text in said), said


def test_results_by_number():
    """Rules of a plan name results by number, also if a path has another number: (tree, scalar)."""

    def step(params, batch):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((batch @ p["a"] @ p["b"]) ** 2))(params)
        return jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), loss

    some = lambda *shape: np.linspace(-1, 1, np.prod(shape), dtype="f").reshape(shape)
    args = {"a": some(16, 32), "b": some(32, 8)}, some(64, 16)
    plan = tessera.plan(step, *args, machine="h100:8", mesh="x=8", shard={"params.a": P(None, "x")})
    params, loss = plan.to_jax()(*args)
    expected, value = jax.jit(step)(*args)
    np.testing.assert_allclose(loss, value, rtol=1e-5)
    np.testing.assert_allclose(params["a"], expected["a"], rtol=1e-4, atol=1e-5)
