"""Axes split so that no part of one is left: names, cuts, and the same tile on every device."""

import itertools
import math
import random

import pytest

import tessera
from tessera import axes

MESH = axes.Mesh({"data": 8, "model": 4}, None)


def split_for(*texts, mesh=MESH):
    split, shardings = axes.Split(mesh), [axes.read_sharding(t) for t in texts]
    assert all(split.add(s) for s in shardings)
    return split, shardings


def test_a_sharding_is_read_with_parts_open_dimensions_priorities_and_what_is_replicated():
    s = axes.read_sharding('#sdy.sharding<@mesh, [{"data":(2)4, "model", ?}p1, {?}, {}], '
                           'replicated={"x"}, unreduced={"y"}>')
    assert s.mesh == "mesh"
    assert s.dims == [[axes.Axis("data", 2, 4), axes.Axis("model", 1, None)], [], []]


def test_names_with_quotes_brackets_and_other_letters_are_read():
    s = axes.read_sharding('<@"a mesh", [{"a\\22]}b", "\\C3\\A9"}]>')
    assert s.mesh == "a mesh"
    assert [a.name for a in s.dims[0]] == ['a"]}b', "é"]
    assert axes.unquote(axes.quote('a"\\b')) == 'a"\\b'


def test_meshes_are_read_from_a_program_and_from_its_own_lines_only():
    text = ('module {\n  sdy.mesh @mesh = <["data"=8, "model"=4]>\n'
            '  sdy.mesh @"other one" = <["x"=2], device_ids=[1, 0]>\n'
            '  sdy.mesh @empty_mesh = <[]>\n  sdy.mesh @one = <[], device_ids=[3]>\n'
            '  %0 = foo {a = "sdy.mesh @no = <[\\22x\\22=2]>"}\n}\n')
    assert axes.read_meshes(text) == {
        "mesh": axes.Mesh({"data": 8, "model": 4}, None),
        "other one": axes.Mesh({"x": 2}, [1, 0]),
        "empty_mesh": axes.Mesh({}, None), "one": axes.Mesh({}, [3])}


def test_device_ids_in_order_are_no_order_of_their_own():
    assert axes.read_meshes('sdy.mesh @m = <["x"=2], device_ids=[0, 1]>')["m"].device_ids is None


def test_an_axis_nobody_takes_a_part_of_keeps_its_name():
    split, (s,) = split_for('<@mesh, [{"data"}, {"model"}]>')
    assert split.axes("data") == [("data", 8)]
    assert split.spec(s) == [["data"], ["model"]]


def test_an_axis_is_cut_where_shardings_cut_it():
    split, (a, b, c) = split_for('<@mesh, [{"data":(1)2}, {}]>',
                                 '<@mesh, [{"data":(4)2, "model"}]>', '<@mesh, [{"data"}]>')
    assert split.axes("data") == [("data_0", 2), ("data_1", 2), ("data_2", 2)]
    assert split.spec(a) == [["data_0"], []]
    assert split.spec(b) == [["data_2", "model"]]
    assert split.spec(c) == [["data_0", "data_1", "data_2"]]


def test_new_names_are_not_those_of_other_axes():
    mesh = axes.Mesh({"data": 8, "data_1": 2, "data__0": 2}, None)
    split, _ = split_for('<@m, [{"data":(1)2}]>', mesh=mesh)
    names = [n for name in mesh.axes for n, _ in split.axes(name)]
    assert len(set(names)) == len(names) == 4


def test_cuts_that_do_not_go_together_are_refused_and_leave_the_others():
    mesh = axes.Mesh({"a": 12}, None)
    split, (s,) = split_for('<@m, [{"a":(1)2}]>', mesh=mesh)
    assert not split.add(axes.read_sharding('<@m, [{"a":(1)3}]>'))
    assert split.axes("a") == [("a_0", 2), ("a_1", 6)]
    assert split.can_say(s.dims[0][0]) and not split.can_say(axes.Axis("a", 1, 3))


def test_an_axis_of_one_device_stays():
    split, (s,) = split_for('<@m, [{"a"}]>', mesh=axes.Mesh({"a": 1, "b": 2}, None))
    assert split.axes("a") == [("a", 1)] and split.spec(s) == [["a"]]


def test_an_axis_that_the_mesh_has_not():
    with pytest.raises(tessera.InvalidArgument, match='mesh @mesh has no axis "x"'):
        split_for('<@mesh, [{"x"}]>')


def test_uneven_axes_are_dropped_from_the_minor_end():
    sizes = {"a": 2, "b": 4}
    assert axes.drop_uneven(["a", "b"], 8, sizes) == (["a", "b"], [])
    assert axes.drop_uneven(["a", "b"], 6, sizes) == (["a"], ["b"])
    assert axes.drop_uneven(["a", "b"], 5, sizes) == ([], ["a", "b"])
    assert axes.drop_uneven(["b"], 0, sizes) == (["b"], [])


# ---- the same tiles ----

def tile(names, coordinates, sizes):
    """Which part of a dimension a device has."""
    index = 0
    for name in names:
        index = index * sizes[name] + coordinates[name]
    return index


def coordinates(device, sizes):
    out = {}
    for name, size in reversed(list(sizes.items())):
        device, out[name] = divmod(device, size)
    return out


def part_coordinate(axis, coordinate, size):
    """Of an axis that is pre x size x rest."""
    if axis.size is None:
        return coordinate, size
    rest = size // (axis.pre * axis.size)
    return coordinate // rest % axis.size, axis.size


def random_sharding(rng, mesh, chains):
    pieces = []
    for name, chain in chains.items():
        a, b = sorted(rng.sample(range(len(chain)), 2)) if len(chain) > 1 else (0, 0)
        size = chain[b] // chain[a]
        whole = size == mesh.axes[name]
        pieces.append(axes.Axis(name, 1, None) if whole else axes.Axis(name, chain[a], size))
    rng.shuffle(pieces)
    dims = [[] for _ in range(rng.randint(1, 3))]
    for piece in pieces:
        rng.choice(dims).append(piece)
    return axes.Sharding("mesh", dims)


@pytest.mark.parametrize("seed", range(50))
def test_every_device_has_the_same_tile_before_and_after(seed):
    rng = random.Random(seed)
    mesh = axes.Mesh({f"a{i}": math.prod(rng.choices([2, 3], k=rng.randint(1, 3)))
                      for i in range(rng.randint(1, 3))}, None)
    chains = {}
    for name, size in mesh.axes.items():
        chain = [1]
        while chain[-1] < size:
            left = size // chain[-1]
            chain.append(chain[-1] * rng.choice([p for p in (2, 3) if left % p == 0]))
        chains[name] = chain
    shardings = [random_sharding(rng, mesh, chains) for _ in range(4)]
    split = axes.Split(mesh)
    assert all(split.add(s) for s in shardings)
    new = dict(axis for name in mesh.axes for axis in split.axes(name))
    assert math.prod(new.values()) == math.prod(mesh.axes.values())
    for device, s in itertools.product(range(math.prod(new.values())), shardings):
        old_at, new_at = coordinates(device, mesh.axes), coordinates(device, new)
        for dim, names in zip(s.dims, split.spec(s)):
            expected = 0
            for axis in dim:
                part, size = part_coordinate(axis, old_at[axis.name], mesh.axes[axis.name])
                expected = expected * size + part
            assert tile(names, new_at, new) == expected
