#!/usr/bin/env python3
"""hlo.py FILE [DEVICES]: the collectives in a module as XLA prints it, the bytes sent per device, and the most bytes of gathered
values alive at once.
hlo.py GIVEN FINAL MESH: the collectives of two modules side by side, for each kind and axes of a mesh ("data=2,model=4").

Each collective counts as often as it runs: loops by their trip count, called computations by their calls, every branch of a
conditional once. Bytes are those of the best known algorithms, as `tessera partition --stats` counts them. In a group of n, an
all-gather sends n - 1 times its operands, an all-reduce 2 (n - 1) / n times, a reduce-scatter and an all-to-all (n - 1) / n
times. A permute sends its operands from each device that has a target other than itself. Groups of one send nothing and do not
count.

XLA's pipeline for CPUs forms no reduce-scatters. An all-reduce counts as one if every user slices one n-th of it.
"""
import math
import re
import sys
from collections import defaultdict

BITS = {"pred": 8, "token": 0, "opaque": 0, "c64": 64, "c128": 128, "s1": 1, "u1": 1, "bf16": 16}
KINDS = ("all-reduce", "all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all", "collective-permute",
         "collective-broadcast")
UNKNOWN_TRIPS = 100  # as src/cost/trips.h has it
INSTRUCTION = re.compile(r"^\s*(ROOT )?%?([\w.\-]+) = (.*)$")
COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) .*\{$")


class Instruction:
    """One line: its name, the text of its type, its opcode, the names of its operands and the rest."""

    def __init__(self, name, rest):
        end = closing(rest, 0) if rest.startswith("(") else rest.index(" ") - 1
        self.name, self.type, rest = name, rest[:end + 1], rest[end + 1:].lstrip()
        opening = rest.index("(")
        end = closing(rest, opening)
        self.opcode, self.inner, self.attributes = rest[:opening], rest[opening + 1:end], rest[end + 1:]
        # XLA prints `f32[2] %x` at the end of its passes and `x` before them.
        plain = "%" not in self.inner and self.opcode not in ("constant", "parameter")
        self.operands = re.findall(r"[A-Za-z_][\w.\-]*" if plain else r"%([\w.\-]+)", self.inner)

    def called(self, key):
        """Names of the computations that an attribute says."""
        found = re.search(rf"\b{key}=(?:\{{([^}}]*)\}}|(%?[\w.\-]+))", self.attributes)
        return re.findall(r"[\w.\-]+", found.group(1) or found.group(2)) if found else []


class Computation:
    def __init__(self, name):
        self.name, self.instructions, self.root, self.users = name, {}, None, defaultdict(list)

    def add(self, instruction, is_root):
        self.instructions[instruction.name] = instruction
        for operand in instruction.operands:
            self.users[operand].append(instruction)
        if is_root:
            self.root = instruction


def closing(text, at):
    """The index at which the parenthesis that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(f"unclosed: {text[at:at + 80]}")


def read_module(text):
    """Computations by name, and the entry."""
    computations, entry, current = {}, None, None
    for line in text.splitlines():
        if current is None:
            found = COMPUTATION.match(line)
            if found and " = " not in line.split("(")[0]:
                current = Computation(found.group(2))
                computations[current.name] = current
                entry = current if found.group(1) else entry
        elif line.startswith("}"):
            current = None
        else:
            found = INSTRUCTION.match(line)
            if found:
                current.add(Instruction(found.group(2), found.group(3)), bool(found.group(1)))
    return computations, entry


def count_elements(dims):
    count = 1
    for dim in filter(None, dims.split(",")):
        count *= int(dim.lstrip("<="))
    return count


def type_bytes(text):
    """Bytes of an array, or of all arrays of a tuple."""
    total = 0
    for kind, dims in re.findall(r"\b([a-z]+\d*[a-z0-9]*)\[([\d,<=]*)\]", text):
        bits = BITS.get(kind) or int(re.search(r"\d+", kind).group())
        total += count_elements(dims) * bits / 8
    return total


# ---- groups ----

def mesh_group_width(text):
    """Devices in a group of mesh['a'=2,'b'=4] {'a','b':(1)2}."""
    sizes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", text)}
    width = 1
    for name, part in re.findall(r"'(\w+)'(?::\(\d+\)(\d+))?", text[text.index("]") + 1:]):
        width *= int(part) if part else sizes[name]
    return width


# Groups over a mesh: mesh['a'=2,'b'=4], device_ids=([4,2]T(1,0)) {'b'}
MESH_GROUPS = r"mesh\[[^\]]*\](?:, device_ids=\((?:[^()]|\([^()]*\))*\))? *\{[^}]*\}"


def group_widths(instruction, devices):
    """Devices in each group."""
    found = re.search(rf"replica_groups=({MESH_GROUPS}|\{{\{{.*?\}}\}}|\{{\}}|\[[\d,]+\]<=)", instruction.attributes)
    text = found.group(1) if found else "{}"
    if text == "{}":
        return [devices]
    if text.startswith("mesh"):
        width = mesh_group_width(text)
        return [width] * (devices // width)
    if text.startswith("{{"):
        return [len(group.split(",")) for group in re.findall(r"\{([\d,]+)\}", text)]
    groups, width = text[1:text.index("]")].split(",")
    return [int(width)] * int(groups)


def expand_mesh(text):
    """The groups of mesh['a'=2,'b'=4] {'b'}, device by device."""
    sizes = {name: int(size) for name, size in re.findall(r"'(\w+)'=(\d+)", text)}
    taken = re.findall(r"'(\w+)'(?::\((\d+)\)(\d+))?", text[text.rindex("{"):])
    cuts = {name: {1, size} for name, size in sizes.items()}
    for name, pre, size in taken:
        cuts[name] |= {int(pre or 1), int(pre or 1) * int(size or sizes[name])}
    axes = []  # (name, where it begins, size), major to minor
    for name in sizes:
        ends = sorted(cuts[name])
        axes += [(name, a, b // a) for a, b in zip(ends, ends[1:])]
    inside = {(name, at) for name, at, _ in axes for n, pre, size in taken
              if n == name and int(pre or 1) <= at < int(pre or 1) * int(size or sizes[name])}
    groups = defaultdict(list)
    for device in range(math.prod(size for _, _, size in axes)):
        rest, key = device, []
        for name, at, size in reversed(axes):
            rest, index = divmod(rest, size)
            if (name, at) not in inside:
                key.append(index)
        groups[tuple(key)].append(device)
    ids = mesh_devices(text)
    return [[ids[i] if ids else i for i in group] for group in groups.values()]


def mesh_devices(text):
    """The device at each position of a mesh, of device_ids=([4,2]T(1,0)) or device_ids=(3,2,1,0); None: in order."""
    found = re.search(r"device_ids=\((?:\[([\d,]+)\]T\(([\d,]+)\)|([\d,]+))\)", text)
    if not found:
        return None
    if found.group(3):
        return [int(i) for i in found.group(3).split(",")]
    return iota_devices(*([int(n) for n in words.split(",")] for words in found.groups()[:2]))


def iota_devices(dims, order):
    """0, 1, 2, … in the shape dims, transposed."""
    strides, ids = [math.prod(dims[i + 1:]) for i in range(len(dims))], [0]
    for d in order:
        ids = [i + k * strides[d] for i in ids for k in range(dims[d])]
    return ids


def expand_iota(text):
    """The groups of [4,2]<=[2,4]T(1,0), device by device."""
    shape, dims, order = re.match(r"\[([\d,]+)\]<=\[([\d,]+)\](?:T\(([\d,]+)\))?", text).groups()
    numbers = lambda words: [int(n) for n in words.split(",")]
    dims, (_, width) = numbers(dims), numbers(shape)
    ids = iota_devices(dims, numbers(order) if order else list(range(len(dims))))
    return [ids[i:i + width] for i in range(0, len(ids), width)]


def groups_of(instruction, devices):
    """The groups of a collective, or the pairs of a permute, in one order."""
    pairs = re.search(r"source_target_pairs=\{(.*?\})\}", instruction.attributes)
    if pairs:
        return tuple(sorted((int(a), int(b)) for a, b in re.findall(r"\{(\d+),(\d+)\}", pairs.group(1)) if a != b))
    found = re.search(rf"replica_groups=({MESH_GROUPS}|\{{\{{.*?\}}\}}|\{{\}}|"
                      r"\[[\d,]+\]<=\[[\d,]+\](?:T\([\d,]+\))?)", instruction.attributes)
    text = found.group(1) if found else "{}"
    if text == "{}":
        groups = [range(devices)]
    elif text.startswith("mesh"):
        groups = expand_mesh(text)
    elif text.startswith("{{"):
        groups = [[int(i) for i in group.split(",")] for group in re.findall(r"\{([\d,]+)\}", text)]
    else:
        groups = expand_iota(text)
    return tuple(sorted(tuple(sorted(group)) for group in groups))


def bytes_out(kind, n, operand_bytes):
    return operand_bytes * {"all-gather": n - 1, "all-reduce": 2 * (n - 1) / n, "reduce-scatter": (n - 1) / n,
                            "all-to-all": (n - 1) / n, "ragged-all-to-all": (n - 1) / n}.get(kind, 1)


# ---- loops ----

def constant_of(computation, name, depth=0):
    """The integer that a value is, if it is a constant, seen through copies."""
    instruction = computation.instructions.get(name)
    if not instruction or depth > 8:
        return None
    if instruction.opcode == "constant" and re.fullmatch(r"-?\d+", instruction.inner):
        return int(instruction.inner)
    if instruction.opcode in ("copy", "convert", "bitcast") and instruction.operands:
        return constant_of(computation, instruction.operands[0], depth + 1)
    return None


def element_of(computation, name):
    """The number of the tuple's element that a value is, or None."""
    instruction = computation.instructions.get(name)
    while instruction and instruction.opcode in ("copy", "bitcast"):
        instruction = computation.instructions.get(instruction.operands[0])
    if not instruction or instruction.opcode != "get-tuple-element":
        return None
    return int(re.search(r"index=(\d+)", instruction.attributes).group(1))


def seen_through(computations, computation, instruction):
    """A fusion or call of one op, as that op with the operands of the fusion."""
    names = instruction.called("calls") + instruction.called("to_apply")
    if instruction.opcode not in ("fusion", "call") or not names:
        return instruction.opcode, instruction.operands, instruction.attributes
    inner = computations[names[0]]
    operands = []
    for name in inner.root.operands:
        parameter = inner.instructions[name]
        if parameter.opcode == "parameter":
            operands.append(instruction.operands[int(parameter.inner)])
        else:
            operands.append(name)
            computation.instructions.setdefault(name, parameter)
    return inner.root.opcode, operands, inner.root.attributes


def loop_trips(computations, computation, loop):
    """How often the body of `while i < n: i += k` runs; None if it is not of that form."""
    found = re.search(r'"known_trip_count":\{"n":"(\d+)"', loop.attributes)
    if found:
        return int(found.group(1))
    condition = computations[loop.called("condition")[0]]
    body = computations[loop.called("body")[0]]
    first = computation.instructions.get(loop.operands[0])
    opcode, operands, attributes = seen_through(computations, condition, condition.root)
    if opcode != "compare" or not first or first.opcode != "tuple" or body.root.opcode != "tuple":
        return None
    index, bound = element_of(condition, operands[0]), constant_of(condition, operands[1])
    if bound is None and element_of(condition, operands[1]) is not None:
        bound = constant_of(computation, first.operands[element_of(condition, operands[1])])
    if index is None or bound is None or "direction=LT" not in attributes:
        return None
    start = constant_of(computation, first.operands[index])
    stepper = body.instructions.get(body.root.operands[index])
    while stepper and stepper.opcode in ("copy", "bitcast"):
        stepper = body.instructions.get(stepper.operands[0])
    opcode, operands, _ = seen_through(computations, body, stepper) if stepper else (None, [], "")
    steps = [constant_of(body, name) for name in operands]
    step = next((s for s in steps if s is not None), None)
    if opcode != "add" or start is None or not step:
        return None
    return max(0, -((start - bound) // step))


# ---- reduce-scatters ----

def only_sliced(computations, computation, name, n, whole, depth=0):
    """Every user of a value takes one n-th of it."""
    users = computation.users.get(name, [])
    if not users or depth > 8 or (computation.root and computation.root.name == name):
        return False
    for user in users:
        if user.opcode == "dynamic-slice" and user.operands[0] == name:
            if type_bytes(user.type) * n > whole * 1.0001:
                return False
        elif user.opcode in ("reshape", "bitcast", "copy", "transpose"):
            if not only_sliced(computations, computation, user.name, n, whole, depth + 1):
                return False
        elif user.opcode == "fusion":
            inner = computations[user.called("calls")[0]]
            parameters = [i for i in inner.instructions.values() if i.opcode == "parameter"]
            for parameter in parameters:
                if user.operands[int(parameter.inner)] == name and not only_sliced(
                        computations, inner, parameter.name, n, whole, depth + 1):
                    return False
        else:
            return False
    return True


def is_reduce_scatter(computations, computation, instruction, n):
    """Every user of every result of an all-reduce takes one n-th."""
    if len(instruction.operands) == 1:
        return only_sliced(computations, computation, instruction.name, n, type_bytes(instruction.type))
    parts = computation.users.get(instruction.name, [])
    return bool(parts) and all(
        part.opcode == "get-tuple-element" and
        only_sliced(computations, computation, part.name, n, type_bytes(part.type)) for part in parts)


# ---- all of it ----

def collective_of(computations, computation, instruction, devices):
    """(kind, bytes sent per device) or None."""
    kind = instruction.opcode[:-6] if instruction.opcode.endswith("-start") else instruction.opcode
    if kind not in KINDS:
        return None
    moved = sum(type_bytes(computation.instructions[name].type) for name in instruction.operands)
    if kind == "collective-permute":
        # Behind the operand of a permute into a buffer stand the buffer and offsets.
        if len(instruction.operands) == 4:
            moved = type_bytes(computation.instructions[instruction.operands[0]].type)
        pairs = re.search(r"source_target_pairs=\{(.*?\})\}", instruction.attributes)
        pairs = re.findall(r"\{(\d+),(\d+)\}", pairs.group(1)) if pairs else []
        senders = sum(source != target for source, target in pairs)
        return (kind, moved * senders / devices) if senders else None
    widths = group_widths(instruction, devices)
    if max(widths) < 2:
        return None
    if kind == "all-reduce" and is_reduce_scatter(computations, computation, instruction, max(widths)):
        kind = "reduce-scatter"
    return kind, sum(n * bytes_out(kind, n, moved) for n in widths) / devices


def children_of(computations, computation, instruction):
    """(computation's name, how often it runs for one run of the instruction, whether that is a guess)"""
    if instruction.opcode == "while":
        trips = loop_trips(computations, computation, instruction)
        guessed = trips is None
        trips = UNKNOWN_TRIPS if guessed else trips
        return [(name, trips, guessed) for key in ("condition", "body") for name in instruction.called(key)]
    keys = {"call": ("to_apply",), "fusion": ("calls",), "async-start": ("calls",),
            "conditional": ("branch_computations", "true_computation", "false_computation")}
    return [(name, 1, False) for key in keys.get(instruction.opcode, ()) for name in instruction.called(key)]


def each(text, devices):
    """Yields (kind, groups, runs, bytes of one run, whether the runs are a guess) of each collective."""
    computations, entry = read_module(text)
    pending = [(entry, 1, False)]
    while pending:
        computation, runs, guessed = pending.pop()
        for instruction in list(computation.instructions.values()):
            found = collective_of(computations, computation, instruction, devices)
            if found:
                yield found[0], groups_of(instruction, devices), runs, found[1], guessed
            for name, times, is_guess in children_of(computations, computation, instruction):
                pending.append((computations[name], runs * times, guessed or is_guess))


def count(text, devices):
    """{"kinds": {kind: [runs, bytes]}, "runs": …, "bytes": …, "guessed": whether a loop's trips are}"""
    kinds, any_guess = defaultdict(lambda: [0, 0.0]), False
    for kind, _, runs, size, guessed in each(text, devices):
        kinds[kind][0] += runs
        kinds[kind][1] += runs * size
        any_guess = any_guess or guessed
    return {"kinds": {kind: list(row) for kind, row in sorted(kinds.items())},
            "runs": sum(row[0] for row in kinds.values()), "bytes": sum(row[1] for row in kinds.values()),
            "guessed": any_guess}


def by_groups(text, devices):
    """{(kind, groups): [runs, bytes]}"""
    found = defaultdict(lambda: [0, 0.0])
    for kind, groups, runs, size, _ in each(text, devices):
        found[kind, groups][0] += runs
        found[kind, groups][1] += runs * size
    return found


# ---- two modules side by side ----

def axes_of(groups, mesh):
    """The axes of "data=2,model=4" along which the groups of a collective, or the pairs of a permute, communicate."""
    axes = [(name, int(size)) for name, size in (axis.split("=") for axis in mesh.split(","))]

    def place(device):
        found = {}
        for name, size in reversed(axes):
            device, found[name] = divmod(device, size)
        return found

    along = [name for name, _ in axes if any(place(device)[name] != place(group[0])[name]
                                            for group in groups for device in group)]
    pairs = all(len(group) == 2 for group in groups)
    whole = math.prod(size for name, size in axes if name in along) == max(map(len, groups), default=1)
    return "+".join(along) + ("" if whole or pairs else " (subgroups)")


def beside(before, after, devices, mesh):
    """XLA's module beside the one that it was given: [kind, axes, runs, bytes, XLA's runs, XLA's bytes] of each kind and axes.
    XLA combines collectives: one of many operands replaces many of one. Bytes are then the same."""
    rows = defaultdict(lambda: [0, 0.0, 0, 0.0])
    for at, text in ((0, before), (2, after)):
        for (kind, groups), (runs, size) in by_groups(text, devices).items():
            row = rows[kind, axes_of(groups, mesh)]
            row[at] += runs
            row[at + 1] += size
    return [[*key, *row] for key, row in sorted(rows.items())]


def same_bytes(row):
    """XLA sends the bytes that it was given, combined or not; row is one of beside()."""
    return abs(row[3] - row[5]) <= 0.5


# ---- memory ----

ALIASES = ("bitcast", "get-tuple-element", "tuple", "optimization-barrier", "all-gather-done")


def gathered_peak(text):
    """Most bytes of all-gathers' results that are alive at once, by the order of a scheduled module: each from its all-gather
    to the last use of it, or of a bitcast or tuple of it. A loop's body adds to what is alive around the loop."""
    computations, entry = read_module(text)
    return computation_peak(computations, entry)


def computation_peak(computations, computation):
    order = {name: i for i, name in enumerate(computation.instructions)}
    last = dict(order)
    for name in reversed(list(order)):  # users are behind, so theirs is known
        for user in computation.users.get(name, []):
            last[name] = max(last[name], last[user.name] if user.opcode in ALIASES else order[user.name])
    change = defaultdict(float)
    for instruction in computation.instructions.values():
        if instruction.opcode in ("all-gather", "all-gather-start"):
            change[order[instruction.name]] += gathered_bytes(instruction)
            change[last[instruction.name] + 1] -= gathered_bytes(instruction)
    peak = alive = 0.0
    for i, instruction in enumerate(computation.instructions.values()):
        alive += change[i]
        inside = [computation_peak(computations, computations[name])
                  for name, _, _ in children_of(computations, computation, instruction) if instruction.opcode != "fusion"]
        peak = max(peak, alive + max(inside, default=0.0))
    return peak


def gathered_bytes(instruction):
    """Bytes of an all-gather's results. The type of an all-gather-start has the operands before them."""
    arrays = re.findall(r"\w+\[[\d,<=]*\]", instruction.type)
    if instruction.opcode == "all-gather-start":
        arrays = arrays[len(arrays) // 2:]
    return sum(map(type_bytes, arrays))


def read_text(path):
    with open(path) as file:
        return file.read()


def main():
    if len(sys.argv) == 4:
        devices = math.prod(int(axis.split("=")[1]) for axis in sys.argv[3].split(","))
        for row in beside(read_text(sys.argv[1]), read_text(sys.argv[2]), devices, sys.argv[3]):
            kind, axes, runs, size, their_runs, their_size = row
            print(f"{kind} over {axes}: {runs}, {size:.0f} bytes; {their_runs}, {their_size:.0f} bytes: "
                  f"{'same' if same_bytes(row) else 'differs'}")
        return
    text = read_text(sys.argv[1])
    counted = count(text, int(sys.argv[2]) if len(sys.argv) > 2 else 8)
    for kind, (runs, size) in counted["kinds"].items():
        print(f"{runs:5} {kind:20} {size:15.0f} bytes")
    print(f"{counted['runs']:5} in all {size_text(counted)}")
    print(f"gathered, alive at once: {gathered_peak(text):.0f} bytes")


def size_text(counted):
    return f"{counted['bytes']:26.0f} bytes" + (", with loops guessed" if counted["guessed"] else "")


if __name__ == "__main__":
    main()
