"""Tessera: takes a program for one device and makes it one for many."""

from ._lib import version as _version
from .autoshard import autoshard
from .dimensions import Dimension, Dimensions
from .errors import (Error, FailedPrecondition, Internal, InvalidArgument, NotFound, OutOfRange,
                     ResourceExhausted, Unavailable, Unimplemented)
from .export import export
from .options import P
from .partitioned import Collective, Partitioned, Reason
from .program import Program, Value, load
from .sharded import Sharded
from .shardings import Shardings, shardings
from .stages import partition, propagate, run
from .to_jax import JaxProgram, to_jax

__version__ = _version()

__all__ = [
    "export", "load", "propagate", "partition", "run", "shardings", "to_jax", "autoshard", "P",
    "Program", "Value", "Dimensions", "Dimension", "Sharded", "Partitioned", "Collective", "Reason",
    "Shardings", "JaxProgram", "Error", "InvalidArgument", "NotFound", "ResourceExhausted",
    "FailedPrecondition", "OutOfRange", "Unimplemented", "Internal", "Unavailable", "__version__",
]
