"""Tessera: takes a program for one device and makes it one for many."""

from ._lib import version as _version
from .errors import (Error, FailedPrecondition, Internal, InvalidArgument, NotFound, OutOfRange,
                     ResourceExhausted, Unavailable, Unimplemented)
from .export import export
from .options import P
from .program import Program, Value, load
from .partitioned import Collective, Partitioned, Reason
from .sharded import Sharded
from .stages import partition, propagate, run

__version__ = _version()
