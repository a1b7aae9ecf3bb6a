"""Short calls of compiled programs: what a call needs besides its arguments is made once and kept.

A call through the general path flattens trees, converts arguments, and runs on a thread of its own so that Ctrl-C can end it. That
costs more than a small program. Quick takes calls whose arguments are arrays of exactly the program's types, for programs that end soon.
"""

import ctypes
import sys
import time

import numpy as np

from . import _lib, dtypes
from ._lib import Buffer

_SOON = 1e-3  # seconds: a run that takes less need not be interruptible
_STAGED = 1 << 12  # bytes: the library copies smaller results instead of getting aligned memory
NOT_QUICK = object()


_DATA = object.__basicsize__  # where an ndarray has its address (PyArrayObject_fields.data, part of NumPy's ABI)


def _read_address(array, _pointer=ctypes.c_void_p.from_address, _id=id):
    return _pointer(_id(array) + _DATA).value


def _ask_address(array):
    return array.__array_interface__["data"][0]


def _choose_address():
    """Reading takes a fifth of asking, which takes 1 us. An interpreter with other objects is asked."""
    try:
        tests = [np.arange(n) for n in (1, 3, 1000)]
        return _read_address if all(_read_address(t[k:]) == _ask_address(t[k:]) for t in tests for k in (0, 1)) else _ask_address
    except Exception:
        return _ask_address


address_of = _choose_address() if sys.implementation.name == "cpython" else _ask_address


def buffers(types):
    """An array of Buffer for (shape, dtype) each, without data, and what keeps it alive."""
    out = (Buffer * max(len(types), 1))()
    for to, (shape, dtype) in zip(out, types):
        to.struct_size = ctypes.sizeof(Buffer)
        to.dtype, to.rank = dtypes.number_of(dtype), len(shape)
        to.dims = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    return out


class _Call:
    """The buffers of one call; a thread that calls takes it from a list."""

    __slots__ = ("inputs", "outputs", "in_slots", "out_slots", "in_at", "out_at")

    def __init__(self, arguments, results):
        self.inputs, self.outputs = buffers(arguments), buffers(results)
        self.in_slots = [self.inputs[i] for i in range(len(arguments))]  # objects that write to the arrays
        self.out_slots = [self.outputs[i] for i in range(len(results))]
        self.in_at, self.out_at = ctypes.addressof(self.inputs), ctypes.addressof(self.outputs)


class Quick:
    """Calls an executable of one device. arguments and results: a (shape, dtype) each; aligned_empty: makes large results."""

    def __init__(self, executable, arguments, results, aligned_empty):
        self._executable, self._empty = executable, aligned_empty
        self._arguments, self._results = arguments, results
        self._small = [int(np.prod(shape, dtype=np.int64)) * dtype.itemsize <= _STAGED for shape, dtype in results]
        self._calls = [_Call(arguments, results)]
        self._run = _lib.lib.tsr_executable_run
        self._sizes = len(arguments), len(results)

    def __call__(self, arrays):
        """The list of results, or NOT_QUICK if an argument is not exactly what the program takes."""
        try:
            call = self._calls.pop()  # no other thread has it
        except IndexError:
            call = _Call(self._arguments, self._results)
        kept = None
        for slot, array, (shape, dtype) in zip(call.in_slots, arrays, self._arguments):
            if type(array) is not np.ndarray:
                if type(array).__name__ != "ArrayImpl" or array.dtype != dtype:  # of JAX
                    return NOT_QUICK
                array = np.asarray(array)  # a view
                kept = kept, array
            if array.dtype is not dtype and array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
                return NOT_QUICK
            slot.data = address_of(array)
        out = [np.empty(shape, dtype) if small else self._empty(shape, dtype)
               for small, (shape, dtype) in zip(self._small, self._results)]
        for slot, array in zip(call.out_slots, out):
            slot.data = address_of(array)
        n_in, n_out = self._sizes
        error = self._run(self._executable._pointer, n_in, call.in_at, n_out, call.out_at)
        self._calls.append(call)
        if error:
            _lib._check(error)
        return out


class Meter:
    """Tells whether a program ends soon: one without loops, whose last run was short."""

    def __init__(self, bounded):
        self._bounded, self.soon = bounded, False

    def run(self, function, *arguments):
        start = time.perf_counter()
        function(*arguments)
        self.soon = self._bounded and time.perf_counter() - start < _SOON
