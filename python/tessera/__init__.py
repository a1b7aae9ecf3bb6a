"""Tessera: takes a program for one device and makes it one for many.

    export, load                 make a Program of a JAX function, or of StableHLO text
    propagate                    infer the shardings of all values from a few annotations
    partition                    write the local program that each device runs
    plan                         choose the mesh and all shardings by search
    search                       try shardings by hand: push, price, pop
    run                          evaluate a program on simulated devices
    compile                      make a program fast on this machine: an Executable, run many times
    simulate, machines           predict seconds and peak memory of a step; the machines that are known
    shardings, to_jax, autoshard give shardings or the local program back to JAX

>>> import jax.numpy as jnp, numpy as np, tessera
>>> from tessera import P
>>> x, w = np.ones((8, 4), "f"), np.ones((4, 6), "f")
>>> hints = {"mesh": "data=2,model=2", "shard": {"x": P("data"), "w": P(None, "model")}}
>>> def layer(x, w):
...     return jnp.tanh(x @ w)
>>> tessera.propagate(layer, x, w, **hints)
x       tensor<8x4xf32>  tensor<4x4xf32>  <@mesh, [{"data"}, {}]>
w       tensor<4x6xf32>  tensor<4x3xf32>  <@mesh, [{}, {"model"}]>
result  tensor<8x6xf32>  tensor<4x3xf32>  <@mesh, [{"data", ?}, {"model", ?}]>
>>> np.allclose(tessera.run(layer, x, w, **hints), layer(x, w))
True

help(tessera.propagate) describes the options. All errors derive from tessera.Error. The package's README
has the rest.
"""

from ._lib import version as _version
from .autoshard import autoshard
from .compiled import Executable
from .dimensions import Dimension, Dimensions
from .errors import (Error, FailedPrecondition, Internal, InvalidArgument, NotFound, OutOfRange,
                     ResourceExhausted, Unavailable, Unimplemented)
from .export import export
from .options import P
from .partitioned import Collective, Partitioned, Reason
from .plan import Plan
from .program import Program, Value, load
from .search import Price, Search
from .sharded import Sharded
from .shardings import Shardings, shardings
from .simulated import Alive, Busy, Simulated, machines
from .stages import compile, partition, plan, propagate, run, search, simulate
from .to_jax import JaxProgram, to_jax

__version__ = _version()

__all__ = [
    "export", "load", "propagate", "partition", "plan", "search", "run", "compile", "simulate", "machines", "shardings", "to_jax", "autoshard", "P",
    "Program", "Value", "Dimensions", "Dimension", "Sharded", "Partitioned", "Executable", "Plan", "Price", "Search", "Collective", "Reason", "Simulated", "Busy", "Alive",
    "Shardings", "JaxProgram", "Error", "InvalidArgument", "NotFound", "ResourceExhausted",
    "FailedPrecondition", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "__version__",
]
