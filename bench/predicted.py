"""Predicted steps of two partitioned programs by one model: Tessera's local program and the module that XLA's partitioner wrote.

Both are StableHLO for one device with explicit collectives, so `tessera simulate` prices both: FLOPs, seconds of compute, seconds of
each collective, peak memory. XLA's module is dumped twice and converted by jaxlib: right behind its partitioner, and behind XLA's
simplifications, before it assigns layouts and fuses. XLA for CPUs neither forms reduce-scatters nor combines collectives as XLA for
GPUs and TPUs does, so these modules go through the passes of `tessera optimize` that do (PASSES). Our local program is taken as it is
and behind the same simplifications, because XLA runs it so. Of each side the form with the shorter step counts.

serial is compute + collectives, one after the other; it does not depend on the order of ops, which XLA's scheduler changes later.
"""
import glob
import json
import re
import shutil
import subprocess

import hlo

MACHINES = ("h100:8", "tpu_v5p:8")
# What XLA does on GPUs and TPUs behind the point of the dump: common subexpressions, dead code, reduce-scatters, combined collectives.
PASSES = "fold,share,dead,scatter,fold,share,dead,late,bucket"
DUMPED = {"partitioned": "after_spmd-partitioning", "simplified": "before_layout-assignment"}
DUMP_PASSES = "spmd-partitioning|layout-assignment"


def run(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


def dumped(directory):
    """XLA's modules as it dumped them, by the names in DUMPED."""
    found = {}
    for word, pattern in DUMPED.items():
        paths = sorted(glob.glob(f"{directory}/*{pattern}*.txt"))
        if paths:
            with open(paths[0]) as file:
                found[word] = file.read()
    return found


MESH_GROUPS = re.compile(f"replica_groups=({hlo.MESH_GROUPS})")
CHANNEL = re.compile(r"\bchannel_id=\d+")
COPY = re.compile(r'= mhlo\.copy (%[\w#]+)(?: \{(?:[^{}"]|"[^"]*")*\})? : (.*)')
METADATA = re.compile(r', metadata=\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}')


def plain_module(module):
    """HLO text without metadata, with groups as lists of devices (those over a mesh would need its symbol in StableHLO) and with one
    channel, as the collectives of Tessera's local programs: others would not combine."""
    def groups(found):
        return "replica_groups={" + ",".join("{" + ",".join(map(str, g)) + "}" for g in hlo.expand_mesh(found.group(1))) + "}"
    return CHANNEL.sub("channel_id=1", MESH_GROUPS.sub(groups, METADATA.sub("", module)))


ALL_TO_ALL = re.compile(r'^( *)(%\w+):(\d+) = "mhlo\.all_to_all"\(([^)]*)\) <\{(.*?)\}> : \((tensor<.*?>)[,)].*$', re.MULTILINE)


def one_all_to_all(found):
    """An all-to-all of tuples, which XLA for CPUs writes, as one of a concatenation. XLA sliced its operand along a dimension of size 1."""
    indent, name, n, operands, attributes, piece = found.groups()
    name = "%t" + name[1:]  # a name that begins with a digit has digits only
    dims, kind = re.fullmatch(r"tensor<((?:\d+x)*)(.*)>", piece).groups()
    n, sizes = int(n), [int(d) for d in dims.split("x")[:-1]]
    at = sizes.index(1) if 1 in sizes else 0
    whole = list(sizes)
    whole[at] *= n
    text = lambda sizes: "tensor<" + "x".join([*map(str, sizes), kind]) + ">"
    attributes = re.sub(r"#mhlo\.channel_handle", "#stablehlo.channel_handle", attributes)
    lines = [f"{name}_c = stablehlo.concatenate {operands}, dim = {at} : ({', '.join([piece] * n)}) -> {text(whole)}",
             f'{name}_a = "stablehlo.all_to_all"({name}_c) <{{{attributes}, split_dimension = {at} : i64, concat_dimension = {at} : i64, '
             f'split_count = {n} : i64}}> : ({text(whole)}) -> {text(whole)}']
    for i in range(n):
        cut = ", ".join(f"{i * size if d == at else 0}:{(i + 1) * size if d == at else size}" for d, size in enumerate(sizes))
        lines.append(f"{name}_{i} = stablehlo.slice {name}_a [{cut}] : ({text(whole)}) -> {piece}")
    return "\n".join(indent + line for line in lines)


def without_tuples(text):
    """Rewrites all all-to-alls of tuples. Results are known to the end of the region: numbers of values are used again behind it."""
    lines = text.splitlines()
    for at, line in enumerate(lines):
        found = ALL_TO_ALL.match(line)
        if not found:
            continue
        indent, name = len(found.group(1)), found.group(2)
        lines[at] = one_all_to_all(found)
        for user in range(at + 1, len(lines)):
            if lines[user].strip() and len(lines[user]) - len(lines[user].lstrip()) < indent:
                break
            lines[user] = re.sub(rf"{name}#(\d+)\b", rf"%t{name[1:]}_\1", lines[user])
    return "\n".join(lines) + "\n"


def stablehlo_of(module):
    """The text of an HLO module as StableHLO; None if StableHLO lacks an op of it. Copies, which XLA for CPUs puts before loops,
    become reshapes to the same type: both are free in the model."""
    from jax._src.interpreters import mlir
    from jaxlib import _hlo, _jax
    from jaxlib.mlir import ir
    made = _jax.mlir.hlo_to_stablehlo(_hlo.hlo_module_from_text(plain_module(module)).as_serialized_hlo_module_proto())
    with mlir.make_ir_context():
        text = str(ir.Module.parse(made))
    text = without_tuples(text)
    text = COPY.sub(r"= stablehlo.reshape \1 : (\2) -> \2", text)
    return None if re.search(r'^ *(%\S+ = )?"?mhlo\.', text, re.MULTILINE) else text


def step_of(simulated):
    """The numbers of `tessera simulate --json` that the table needs."""
    keys = ("seconds", "compute_seconds", "exposed_seconds", "collective_seconds", "flops", "bytes", "peak_bytes", "guess")
    return {**{key: simulated[key] for key in keys}, "serial": simulated["compute_seconds"] + simulated["collective_seconds"],
            "collectives": [[c["kind"], c.get("axes", ""), c["runs"], c["bytes"], c["seconds"]] for c in simulated["collectives"]]}


def local_program(plain, mesh, machine, devices):
    """Tessera's local program for the machine, as text. Its devices are replicas: XLA compiles partitions only by its partitioner."""
    return run(["build/tessera", "partition", plain, "--mesh=" + mesh, f"--shard-file={plain}.shard", "--edges=divisible",
                "--machine=" + machine, f"--replica-count={devices}"])


def simplified(local, devices, directory):
    """A local program behind XLA's simplifications, as StableHLO; None if XLA or StableHLO lacks an op of it."""
    import jax
    from jax._src import compiler
    from jax._src.interpreters import mlir
    from jaxlib import _jax
    from jaxlib.mlir import ir
    shutil.rmtree(directory, ignore_errors=True)
    options = compiler.get_compile_options(devices, 1, env_options_overrides={
        "xla_backend_optimization_level": "0", "xla_dump_to": directory, "xla_dump_hlo_pass_re": DUMP_PASSES})
    with mlir.make_ir_context():
        module = ir.Module.parse(re.sub(r", tessera\.mesh = #sdy\.mesh<[^>]*>", "", local))
        try:
            compiler.backend_compile_and_load(jax.devices()[0].client, module, _jax.DeviceList(tuple(jax.devices())), options, [])
        except jax.errors.JaxRuntimeError:
            return None
    found = dumped(directory)
    return stablehlo_of(found["simplified"]) if "simplified" in found else None


def step_under(text, mesh, machine):
    """The predicted step of a local program."""
    named = "" if "tessera.mesh" in text else "bench:"
    return step_of(json.loads(run(["build/tessera", "simulate", "--local", f"--mesh={named}{mesh}", "--machine=" + machine, "--json"],
                                  text)))


def steps_of(texts, mesh, machine, devices):
    """The steps of forms of one program, each behind PASSES. texts: StableHLO by form."""
    passes = ["build/tessera", "optimize", f"--devices={devices}", "--passes=" + PASSES]
    return [{**step_under(run(passes, text), mesh, machine), "form": word} for word, text in texts.items()]


def shortest(steps):
    return min(steps, key=lambda step: step["serial"])


def ours(local, mesh, machine, devices, simpler):
    """The step of Tessera's local program: as it is, or behind XLA's simplifications unless they change the bytes sent: they merge
    equal all-gathers, which a local program keeps apart to need less memory."""
    steps = [{**step_under(local, mesh, machine), "form": "local"}]
    more = steps_of({"simplified": simpler} if simpler else {}, mesh, machine, devices)
    return shortest(steps + [step for step in more if abs(step["bytes"] - steps[0]["bytes"]) <= 0.001 * steps[0]["bytes"]])


def compare(row, plain, modules, devices, cost_analysis):
    """Adds to a row the predicted steps of both on each machine, and the FLOPs that XLA counts itself."""
    texts = {word: text for word, text in ((word, stablehlo_of(module)) for word, module in modules.items()) if text}
    row["predicted"], simpler = {}, {}  # machines may have the same local program
    for machine in MACHINES:
        local = local_program(plain, row["mesh"], machine, devices)
        if local not in simpler:
            simpler[local] = simplified(local, devices, plain + ".dump")
        row["predicted"][machine] = {"ours": ours(local, row["mesh"], machine, devices, simpler[local]),
                                     "xla": shortest(steps_of(texts, row["mesh"], machine, devices))}
    row["cost_analysis"] = {"flops": cost_analysis.get("flops"), "bytes": cost_analysis.get("bytes accessed"),
                            "loops": any(" while(" in module for module in modules.values())}
    shutil.rmtree(plain + ".dump", ignore_errors=True)
