"""One plan for all processes of a multi-process JAX program.

All processes must run the same program with the same shardings, otherwise their collectives do not match and they hang. So process 0
plans and the others take its plan, after all have compared what they are about to plan: the program without locations in source
files, which differ between hosts, and the options. An error of process 0 is an error in all processes.

jax.experimental.multihost_utils carries the bytes, over the devices. It needs all processes, so a mesh over the devices of some
processes is planned in each of them: the search is deterministic.
"""

import json

import numpy as np

from . import errors
from .options import annotated_devices


class Processes:
    """The processes of JAX, and what they tell each other."""

    def __init__(self, jax):
        self.count, self.index = jax.process_count(), jax.process_index()

    def gather(self, data):
        """Bytes of the same length from each process: a list, the same in all."""
        from jax.experimental import multihost_utils
        rows = multihost_utils.process_allgather(np.frombuffer(data, np.uint8))
        return [bytes(row) for row in np.asarray(rows).reshape(self.count, len(data)).astype(np.uint8)]

    def broadcast(self, data):
        """The bytes of process 0; the others give None."""
        from jax.experimental import multihost_utils
        source = self.index == 0
        size = multihost_utils.broadcast_one_to_all(np.array([len(data) if source else 0], np.int32), is_source=source)
        held = np.frombuffer(data, np.uint8) if source else np.zeros(int(size[0]), np.uint8)
        return bytes(np.asarray(multihost_utils.broadcast_one_to_all(held, is_source=source)).astype(np.uint8))


# ---- where JAX runs ----

# Words in the kind of a device, and the machine that it is.
_KINDS = (("A100", "a100"), ("H100", "h100"), ("H200", "h200"), ("B200", "b200"), ("MI300X", "mi300x"), ("V100", "v100_25g"),
          ("TPU v3", "tpu_v3"), ("TPU v4", "tpu_v4"), ("TPU v5 lite", "tpu_v5e"), ("TPU v5", "tpu_v5p"), ("TPU v6 lite", "tpu_v6e"))


def machine_here(jax, mesh=None):
    """The machine of JAX's devices: "shared_cores" for CPUs, "default" if its kind is not known."""
    device = mesh.devices.flat[0] if isinstance(mesh, jax.sharding.Mesh) else jax.devices()[0]
    if device.platform == "cpu":
        return "shared_cores"
    return next((machine for word, machine in _KINDS if word in device.device_kind), "default")


def check_devices(jax, plan):
    """That JAX has the devices of a plan."""
    devices, here = annotated_devices(plan.mesh), jax.device_count()
    if devices > here:
        cpus = f" (XLA_FLAGS=--xla_force_host_platform_device_count={devices} simulates them)" if jax.default_backend() == "cpu" else ""
        raise errors.FailedPrecondition(
            f"the plan for {plan.machine} has mesh {plan.mesh}, {devices} devices, and JAX has {here}{cpus}: "
            f"give autoshard devices={here}, or tessera.plan to plan for another machine without running")


# ---- the plan ----

def spans_all(jax, mesh):
    """Whether a mesh has devices of all processes; None: the first devices of all, as JAX numbers them."""
    return not isinstance(mesh, jax.sharding.Mesh) or \
        len({device.process_index for device in mesh.devices.flat}) == jax.process_count()


def plan_once(processes, mark, make):
    """The JSON and the text of a plan: make() in process 0, its result in the others. mark is the fingerprint."""
    marks = processes.gather(mark)
    others = [number for number, other in enumerate(marks) if other != marks[0]]
    if others:
        raise errors.FailedPrecondition(
            f"process {', '.join(map(str, others))} of {processes.count} plans another program, or with other options, than process 0: "
            "all processes must call autoshard's function with the same shapes, machine and hints, in the same order")
    data = json.dumps(_outcome(make)).encode() if processes.index == 0 else None
    made = json.loads(processes.broadcast(data))
    if "error" in made:
        raise errors.from_code(made["code"], made["error"])
    return made["plan"], made["text"]


def _outcome(make):
    try:
        plan, text = make()
        return {"plan": plan, "text": text}
    except errors.Error as error:
        return {"error": str(error), "code": error.code}
