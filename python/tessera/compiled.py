"""Programs compiled for this machine: made once, run many times."""

import ctypes
import fnmatch
import json
import numbers

import numpy as np

from . import _lib, checks, dtypes, errors
from ._lib import Buffer, CompileOptions
from .callbacks import Callbacks
from .quick import NOT_QUICK, Meter, Quick
from .run import SCATTER, as_tree, cut, evaluate, flat_arguments, interruptible, join, parts_of

_ALIGN = 64  # bytes; aligned arrays are read and written in place


def aligned_empty(shape, dtype):
    """An uninitialized array that the library writes in place.

    >>> aligned_empty((3, 5), "f").ctypes.data % 64
    0
    """
    dtype = np.dtype(dtype)
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.empty(size + _ALIGN, np.uint8)
    at = -raw.ctypes.data % _ALIGN
    return raw[at:at + size].view(dtype).reshape(shape)


def frozen_of(program, frozen):
    """The numbers of frozen arguments: patterns of names, or numbers; True: all.

    >>> frozen_of(tessera.export(lambda w, x: x @ w, np.ones((2, 3), "f"), np.ones((1, 2), "f")), ["w*"])
    [0]
    """
    if frozen is None or frozen is False:
        return []
    names = [value.name for value in program.arguments]
    if frozen is True:
        return list(range(len(names)))
    out = set()
    for rule in frozen if isinstance(frozen, (tuple, list, set, frozenset, range)) else (frozen,):
        if isinstance(rule, str):
            found = [i for i, name in enumerate(names) if fnmatch.fnmatchcase(name, rule)]
        elif isinstance(rule, numbers.Integral) and not isinstance(rule, bool):
            found = [int(rule)] if 0 <= rule < len(names) else []
        else:
            raise checks.wrong("frozen", rule, "names or numbers of arguments, or True")
        if not found:
            raise errors.InvalidArgument(f"frozen: {rule!r} matches no argument; arguments are {', '.join(names[:8])}"
                                         f"{', …' if len(names) > 8 else ''}")
        out.update(found)
    return sorted(out)


class Executable:
    """A compiled program. Calling it runs it on NumPy or JAX arrays, as tessera.run does.

    devices       number of devices
    compiled      False: the program cannot be compiled (dynamic sizes, tokens); calls evaluate it
    stats()       bytes of a device, and the instructions by kind

    >>> f = tessera.compile(lambda x: x * 2 + 1, np.zeros(4, "f"))
    >>> f(np.arange(4, dtype="f"))
    array([1., 3., 5., 7.], dtype=float32)
    """

    def __init__(self, program, handle, entry, devices, seed, workers, device_memory, frozen=None):
        self.program, self.devices, self._seed = program, devices, seed
        self._handle = handle
        self._parts = None
        if devices > 1 or handle is not program._handle:
            self._parts = [parts_of(handle, what, entry, values, range(devices))
                           for what, values in (("argument", program.arguments),
                                                ("result", program.results))]
        self._cancel = ctypes.c_int(0)
        kept = frozen_of(program, frozen)
        options = CompileOptions(n_frozen=len(kept), frozen=(ctypes.c_size_t * max(len(kept), 1))(*kept),
                                 cancel=ctypes.pointer(self._cancel), seed=seed, partitions=devices, workers=workers or 0,
                                 device_memory=device_memory or 0,
                                 scatter=SCATTER.index(program.scatter))
        try:
            self._executable = _lib.Executable(handle, program.function, options)
        except errors.Unimplemented as why:
            self._executable, self.why_not = None, str(why)
        self._results = [self._result_type(i) for i in range(len(program.results))]
        self._meter = Meter(self._executable is not None and json.loads(self._executable.stats())["loops"] == 0)
        self._quick, self._one = self._make_quick()

    compiled = property(lambda self: self._executable is not None)

    def _result_type(self, i):
        value = self.program.results[i]
        if value.dtype is None:
            return None
        shape = value.shape if self._parts is None else self._parts[1][i][0].shape
        return tuple(shape), dtypes.named(value.dtype)

    def _make_quick(self):
        """For one device, arguments that are arrays by position, and results that are one array or a tuple of arrays."""
        program, values = self.program, self.program.arguments
        if self._executable is None or self._parts is not None or None in self._results or any(v.dtype is None for v in values):
            return None, False
        arguments = [(tuple(v.shape), dtypes.named(v.dtype)) for v in values]
        if any(dtype == np.bool_ for _, dtype in arguments):  # their bytes must be 0 or 1
            return None, False
        one = len(self._results) == 1
        if program.in_tree is not None:
            import jax
            flat = jax.tree.structure((tuple(range(len(values))), {}))
            one = program.out_tree == jax.tree.structure(0)
            plain = one or program.out_tree == jax.tree.structure(tuple(range(len(self._results))))
            odd = any(jax.dtypes.issubdtype(a.dtype, jax.dtypes.prng_key) or a.dtype == jax.dtypes.float0 for a in program.out_avals)
            if program.in_tree != flat or not plain or odd:
                return None, False
        elif not one:
            return None, False
        return Quick(self._executable, arguments, self._results, aligned_empty), one

    def __call__(self, *args, **kwargs):
        if self._quick is not None and self._meter.soon and not kwargs and len(args) == len(self.program.arguments):
            out = self._quick(args)
            if out is not NOT_QUICK:
                return out[0] if self._one else tuple(out)
        arrays, _ = flat_arguments(self.program, args, kwargs, self._seed)
        return as_tree(self.program, self.run_flat(arrays))

    def run_flat(self, arrays):
        """The same on a list of NumPy arrays of the arguments' types: a list of results."""
        if self._parts is None:
            return self._run(arrays)
        arguments, results = self._parts
        parts = [cut(places[device], device, array)
                 for device in range(self.devices) for places, array in zip(arguments, arrays)]
        out, n = self._run(parts), len(results)
        return [join(places, out[i::n]) if places[0] else None
                for i, places in enumerate(results)]

    def _run(self, arrays):
        n = len(self._results) * self.devices
        if self._executable is None:
            return evaluate(self._handle, self.program, arrays, n, self.devices, self._seed)
        arrays = [np.require(array, requirements="C") for array in arrays]
        out = [aligned_empty(*self._results[i % len(self._results)]) for i in range(n)]
        self._cancel.value = 0
        run = self._executable.run, _buffers(arrays), _buffers(out)
        if self._meter.soon:
            self._meter.run(*run)
        else:
            interruptible(self._cancel, Callbacks(self._handle, {}), (arrays, out), self._meter.run, *run)
        return out

    def stats(self) -> dict:
        """Bytes of a device (argument_bytes, result_bytes, constant_bytes, temporary_bytes), and the
        instructions by kind; those with eval=True run through the evaluator.

        >>> tessera.compile(lambda x: x * 2 + 1, np.zeros(4, "f")).stats()["argument_bytes"]
        16
        """
        if self._executable is None:
            return {"compiled": False, "why": self.why_not}
        return {"compiled": True, **json.loads(self._executable.stats())}

    def __repr__(self):
        name = self.program.function
        if not self.compiled:
            return f"<Executable of @{name}: evaluated, not compiled: {self.why_not}>"
        stats = self.stats()
        slow = sum(kind["instructions"] for kind in stats["kinds"] if kind["eval"])
        return (f"<Executable of @{name} on {self.devices} device{'s' * (self.devices > 1)}: "
                f"{stats['instructions']} instructions, {slow} through eval, "
                f"{stats['temporary_bytes']} bytes of temporaries>")


def _buffers(arrays):
    out = (Buffer * max(len(arrays), 1))()
    for to, array in zip(out, arrays):
        to.struct_size = ctypes.sizeof(Buffer)
        to.dtype, to.rank = dtypes.number_of(array.dtype), array.ndim
        to.dims = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        to.data = array.ctypes.data
    return out, len(arrays)
