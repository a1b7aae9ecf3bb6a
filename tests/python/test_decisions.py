"""Decisions of the partitioner in Python: asked for, given back, edited, refused, and run by stock JAX on 8 CPU devices."""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P

import tessera
from test_back_local import collectives, same
from test_back_to_jax import CASES, MESH, XW, draw


def mlp(x, w, v):
    return jnp.tanh(x @ w) @ v


ARGS = draw(8, 16), draw(16, 32, seed=1), draw(32, 16, seed=2)
HINTS = {"mesh": MESH, "shard": {"x": P("data"), "w": P(None, "model")}}


@pytest.fixture(scope="module")
def program():
    return tessera.export(mlp, *ARGS)


def dots(decisions):
    return [d for d in decisions["ops"] if d["name"] == "stablehlo.dot_general"]


def by_hand(program):
    """Both products on shards of x alone: their weights are gathered, and no partial sum is reduced. The factors of
    [i,k]x[k,j] are i, j and k."""
    return {"ops": [{"op": d["op"], "factors": [{"axes": ["data"]}, {}, {}]}
                    for d in dots(tessera.partition(program, **HINTS).decisions())]}


def kinds(made):
    return {c.kind: c.count for c in made.collectives}


# ---- asked for ----

def test_decisions_name_the_ops_and_their_axes(program):
    first, second = dots(tessera.partition(program, **HINTS).decisions())
    assert [f["axes"] for f in first["factors"]] == [["data"], ["model"], []]
    assert [f["axes"] for f in second["factors"]] == [["data"], [], ["model"]]
    assert first["file"].endswith("test_decisions.py") and first["line"] == mlp.__code__.co_firstlineno + 1


def test_decisions_are_found_when_asked_for_and_each_dict_is_new(program):
    made = tessera.partition(program, **HINTS)
    assert made._decisions is None
    one = made.decisions()
    one["ops"].clear()
    assert made.decisions()["ops"]


def test_nothing_sharded(program):
    decisions = tessera.partition(program).decisions()
    assert {d["kind"] for d in decisions["ops"]} == {"replicated"}
    assert tessera.partition(program, decisions=decisions).devices == 1


# ---- given back ----

def test_round_trip(program, tmp_path):
    """All decisions without any annotation give the same local program."""
    made = tessera.partition(program, **HINTS)
    decisions = made.decisions()
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(decisions, indent=1))
    for given in (decisions, json.dumps(decisions), json.dumps(decisions, indent=2), path, str(path)):
        again = tessera.partition(program, decisions=given)
        assert again.text == made.text
        assert again.devices == made.devices == 8
    same_ops = [{**d, "why": None} for d in again.decisions()["ops"]]
    assert same_ops == [{**d, "why": None} for d in decisions["ops"]]


@pytest.mark.parametrize("options", [{"collectives": "xla"}, {"conflicts": "cost"}, {"machine": "h100"}], ids=str)
def test_round_trip_with_options(program, options):
    made = tessera.partition(program, **HINTS, **options)
    assert tessera.partition(program, **HINTS, **options, decisions=made.decisions()).text == made.text


@pytest.mark.parametrize("name", CASES)
def test_round_trip_of_loops_calls_and_gradients(name):
    fn, args, shard = CASES[name]
    sharded = tessera.propagate(fn, *args, mesh=MESH, shard=shard)
    made = tessera.partition(sharded, collectives="xla")
    assert tessera.partition(sharded, collectives="xla", decisions=made.decisions()).text == made.text


def test_without_decisions_in_it_nothing_changes(program):
    assert tessera.partition(program, **HINTS, decisions={}).text == tessera.partition(program, **HINTS).text


# ---- edited ----

def test_edited_decisions_are_obeyed(program):
    made = tessera.partition(program, **HINTS)
    assert kinds(made) == {"all_reduce": 1}
    decisions = made.decisions()
    for d in dots(decisions):
        d["factors"] = [{"axes": ["data"]}, {}, {}]
        del d["operands"], d["results"]  # they follow from the axes
    del decisions["copies"]
    edited = tessera.partition(program, decisions=decisions)
    assert "all_reduce" not in kinds(edited) and kinds(edited)["all_gather"] > 0
    assert all([f["axes"] for f in d["factors"]] == [["data"], [], []] for d in dots(edited.decisions()))
    np.testing.assert_allclose(edited.run(*ARGS), mlp(*ARGS), rtol=1e-5, atol=1e-5)


def test_some_decisions_of_a_sharded(program):
    edited = tessera.partition(tessera.propagate(program, **HINTS), decisions=by_hand(program))
    assert "all_reduce" not in kinds(edited)


# ---- refused ----

def refused(program, decisions, words):
    with pytest.raises(tessera.InvalidArgument) as caught:
        tessera.partition(program, **HINTS, decisions=decisions)
    assert words in str(caught.value), str(caught.value)


def test_refused_with_location_and_reason(program):
    op = dots(tessera.partition(program, **HINTS).decisions())[0]["op"]
    twice = {"op": op, "factors": [{"axes": ["data"]}, {"axes": ["data"]}, {}]}
    with pytest.raises(tessera.InvalidArgument) as caught:
        tessera.partition(program, **HINTS, decisions={"version": 1, "copies": [], "ops": [twice]})
    first = str(caught.value).splitlines()[0]
    line = 1 + [i for i, text in enumerate(program.text.splitlines()) if "stablehlo.dot_general" in text][0]
    assert first.startswith(f"<mlp>:{line}:")
    assert first.endswith("error: the decision about 'stablehlo.dot_general' (decisions[\"ops\"][0]) is refused: "
                          'axis "data" is used twice')


def test_messages_name_the_decision_of_a_dict(program):
    op = by_hand(program)["ops"][0]
    refused(program, {"ops": [op, {**op, "op": 99}]}, 'decisions["ops"][1]: "op" is not the number of an op')
    refused(program, {"ops": [op, op]}, 'decisions["ops"][1]')
    refused(program, {"ops": [], "opps": []}, 'decisions["opps"]: unknown key "opps"')
    refused(program, {"ops": ({"op": op["op"], "factors": [{"axes": ["date"]}, {}, {}]},)},
            'decisions["ops"][0]: the mesh has no axis "date"')
    refused(program, {"passes": 3}, 'decisions["passes"]: "passes" is not an array')
    refused(program, {"passes": [{"pass": "share", "op": op["op"], "taken": True}]}, 'decisions["passes"][0]')
    refused(program, {"program_ops": 77}, "decisions: they are for a program of 77 ops")


def test_messages_name_the_line_of_a_file(program, tmp_path):
    path = tmp_path / "d.json"
    path.write_text('{"ops": [\n  {"op": 99}]}')
    refused(program, path, f'{path}:2: "op" is not the number of an op')
    refused(program, '{"ops": [\n  {"op": 99}]}', 'line 2 of the decisions: "op" is not the number of an op')
    with pytest.raises(tessera.NotFound, match="there is no file"):
        tessera.partition(program, **HINTS, decisions=tmp_path / "none.json")


def test_what_is_no_decisions(program):
    expected = "expected a dict, JSON text or the path of a file"
    for wrong in (3, [], b"{}", "", " "):
        refused(program, wrong, expected)
    refused(program, {3: 4}, "a key of decisions is 3")
    refused(program, {"ops": [float("nan")]}, "decisions are no JSON")
    refused(program, {"ops": [object()]}, "decisions are no JSON")
    refused(program, "{", "the decisions are not valid JSON")
    refused(program, "[]", "expected an object")


# ---- in JAX ----

def test_jax_runs_what_was_decided(program):
    sharded = tessera.propagate(program, **HINTS)
    planned = tessera.to_jax(sharded, exact="local")
    edited = tessera.to_jax(sharded, exact="local", decisions=by_hand(program))
    expected = jax.jit(mlp)(*ARGS)
    for made in (planned, edited):
        result = made(*ARGS)
        same(result, expected)
        assert len(result.devices()) == 8
    ours, theirs = collectives(edited.partitioned.text), collectives(edited.lower(*ARGS).compile().as_text())
    assert ours == theirs and "all-reduce" not in ours and ours["all-gather"] > 0
    assert collectives(planned.partitioned.text) == {"all-reduce": 1}


def test_all_decisions_in_jax(program):
    sharded = tessera.propagate(program, **HINTS)
    planned = tessera.to_jax(sharded, exact="local")
    again = tessera.to_jax(sharded, exact="local", decisions=planned.partitioned.decisions())
    assert again.partitioned.text == planned.partitioned.text


def test_autoshard(program, tmp_path):
    path = tmp_path / "d.json"
    path.write_text(json.dumps(by_hand(program)))
    expected = jax.jit(mlp)(*ARGS)
    for decisions in (by_hand(program), pathlib.Path(path)):
        f = tessera.autoshard(mlp, **HINTS, decisions=decisions)
        same(f(*ARGS), expected)
        same(jax.jit(f)(*ARGS), expected)
        text = f.lower(*ARGS).compile().as_text()
        assert "all-reduce" not in collectives(text) and "all-gather" in collectives(text)
        assert dots(tessera.partition(f.sharded(*ARGS)).decisions())  # as found without decisions

    @tessera.autoshard(**HINTS, decisions={"ops": [{"op": 1, "kind": "replicated"}]})
    def g(x, w, v):
        return mlp(x, w, v)

    with pytest.raises(tessera.InvalidArgument, match=r'\(decisions\["ops"\]\[0\]\) is refused'):
        g(*ARGS)


def test_other_forms_are_refused(program):
    sharded = tessera.propagate(program, **HINTS)
    with pytest.raises(tessera.InvalidArgument, match='decisions need exact="local"'):
        tessera.to_jax(sharded, decisions=by_hand(program))
    for exact in (True, False, "constraints"):
        with pytest.raises(tessera.InvalidArgument, match='decisions need exact="local"'):
            tessera.autoshard(mlp, **HINTS, exact=exact, decisions=by_hand(program))


def test_shardings_of_arguments_are_those_of_propagate(program):
    moved = {"values": [{"op": 1, "argument": 0, "sharding": {"dims": [["model"], []]}}]}
    assert tessera.partition(program, **HINTS, decisions=moved).devices == 8
    with pytest.raises(tessera.InvalidArgument, match=r"decisions give device 1 2:4 of x, propagate gave it 0:2: annotate"):
        tessera.to_jax(tessera.propagate(program, **HINTS), exact="local", decisions=moved)
