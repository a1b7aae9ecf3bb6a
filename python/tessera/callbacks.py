"""Python functions that a program calls back (jax.pure_callback, io_callback, debug.callback, debug.print) while
it runs on Tessera devices: once each, on the thread that runs it."""

import ctypes
import queue
import re
import threading

import numpy as np

from . import dtypes
from ._lib import CustomCallFunction

_TARGET = re.compile(rb"xla_\w*python\w*callback")
_UNKNOWN, _UNIMPLEMENTED = 2, 12  # codes of errors


def taken(buffer):
    """A copy of a buffer of the library; None for a token."""
    if not buffer.dtype:
        return None
    array = np.empty(tuple(buffer.dims[d] for d in range(buffer.rank)),
                     dtypes.to_numpy(buffer.dtype))
    if array.nbytes:
        ctypes.memmove(array.ctypes.data, buffer.data, array.nbytes)
    return array


def _give(buffer, value):
    """Fills a buffer of the library. JAX has compared shapes and dtypes by then."""
    if not buffer.dtype:
        return
    shape = tuple(buffer.dims[d] for d in range(buffer.rank))
    array = np.require(np.asarray(value), dtypes.to_numpy(buffer.dtype), "C").reshape(shape)
    if array.nbytes:
        ctypes.memmove(buffer.data, array.ctypes.data, array.nbytes)


class Callbacks:
    """The functions of a program for one run: what the C library calls, and what went wrong in it."""

    def __init__(self, handle, functions):
        self._handle = handle
        self._functions = functions
        self._requests = queue.SimpleQueue()
        self._caller = threading.get_ident()
        self.error = None  # the first exception that a function raised
        # None is a NULL pointer: a program without callbacks refuses them by name.
        self.function = CustomCallFunction(self._call) if functions else CustomCallFunction()

    # ---- on whatever thread runs the library ----

    def _call(self, _, call, operands, results, message, message_size):
        if not _TARGET.fullmatch(call.contents.target):
            return _UNIMPLEMENTED
        done = threading.Event()
        request = (call.contents, operands, results, done)
        if threading.get_ident() == self._caller:
            self._run(*request)
        else:
            self._requests.put(request)
            done.wait()
        if self.error is None:
            return 0
        said = f"{type(self.error).__name__}: {self.error}".encode("utf-8", "replace")
        ctypes.memmove(message, said[:message_size - 1] + b"\0", min(len(said), message_size - 1) + 1)
        return _UNKNOWN

    # ---- on the thread that runs the program ----

    def _run(self, call, operands, results, done):
        try:
            index = int(re.search(rb"\bindex = (\d+)", call.backend_config).group(1))
            self._handle.calling_back = threading.get_ident()
            out = self._functions[index](*(taken(operands[i]) for i in range(call.n_operands)))
            for i in range(call.n_results):
                _give(results[i], out[i])
        except BaseException as error:  # of any kind: it is the user's, and ends the run
            self.error = error
        finally:
            self._handle.calling_back = None
            done.set()

    def serve(self, until):
        """Runs what is asked for until `until` is set and finish was called."""
        while not until.is_set():
            request = self._requests.get()
            if request is not None:
                self._run(*request)

    def finish(self):
        """Ends serve."""
        self._requests.put(None)
