"""The C library through ctypes: its structs, its functions, and handles that free themselves.

Every struct begins with struct_size; a function that fails gives an error object, which becomes an
exception here. Nothing outside this file touches a pointer.
"""

import ctypes
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_ubyte, c_uint64, c_void_p

from . import errors


# ---- structs ----

class _Sized(ctypes.Structure):
    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


class LoadOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("allow_unregistered", c_int)]


class PrintOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("generic", c_int), ("locations", c_int)]


class FunctionInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("n_arguments", c_size_t),
                ("n_results", c_size_t), ("n_ops", c_size_t), ("is_public", c_int)]


class TypeInfo(_Sized):
    _fields_ = [("struct_size", c_size_t), ("dtype", c_int), ("rank", c_size_t),
                ("dims", POINTER(c_int64)), ("text", c_char_p)]


class PropagateOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("strategy", c_int), ("mesh", c_char_p),
                ("n_rules", c_size_t), ("rules", POINTER(c_char_p)),
                ("n_allow_arguments", c_size_t), ("allow_arguments", POINTER(c_ubyte)),
                ("n_allow_results", c_size_t), ("allow_results", POINTER(c_ubyte)),
                ("divisible_edges", c_int), ("conservative", c_int), ("close", c_int),
                ("call_rules", c_void_p), ("layout", c_char_p), ("names", c_char_p)]


class PartitionOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("annotations", POINTER(PropagateOptions)),
                ("machine", c_char_p), ("plain", c_int), ("why", c_int), ("mesh_axes", c_int)]


class Tile(_Sized):
    _fields_ = [("struct_size", c_size_t), ("global_type", c_char_p), ("rank", c_size_t),
                ("whole", POINTER(c_int64)), ("tile", POINTER(c_int64)),
                ("offset", POINTER(c_int64)), ("extent", POINTER(c_int64)), ("is_sum", c_int)]


class Buffer(_Sized):
    _fields_ = [("struct_size", c_size_t), ("dtype", c_int), ("rank", c_size_t),
                ("dims", POINTER(c_int64)), ("data", c_void_p)]


class EvaluateOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("seed", c_uint64), ("memory_limit", c_uint64),
                ("partitions", c_size_t)]


# ---- the library ----

_H = c_void_p  # a handle, an error, or text to be freed
_OUT = POINTER(c_void_p)

# name: (result, arguments); a result of _E is an error.
_E = "error"
_FUNCTIONS = {
    "tsr_version": (c_char_p, []),
    "tsr_error_code": (c_int, [_H]),
    "tsr_error_message": (c_char_p, [_H]),
    "tsr_error_free": (None, [_H]),
    "tsr_text_free": (None, [_H]),
    "tsr_dtype_bytes": (c_size_t, [c_int]),
    "tsr_dtype_name": (c_char_p, [c_int]),
    "tsr_program_load": (_E, [c_char_p, c_size_t, POINTER(LoadOptions), _OUT]),
    "tsr_program_free": (None, [_H]),
    "tsr_program_print": (_E, [_H, POINTER(PrintOptions), _OUT, POINTER(c_size_t)]),
    "tsr_program_function_count": (c_size_t, [_H]),
    "tsr_program_function": (_E, [_H, c_size_t, POINTER(FunctionInfo)]),
    "tsr_program_argument": (_E, [_H, c_size_t, c_size_t, POINTER(TypeInfo)]),
    "tsr_program_result": (_E, [_H, c_size_t, c_size_t, POINTER(TypeInfo)]),
    "tsr_program_propagate": (_E, [_H, POINTER(PropagateOptions), _OUT]),
    "tsr_program_argument_sharding": (_E, [_H, c_size_t, c_size_t, c_int, _OUT]),
    "tsr_program_result_sharding": (_E, [_H, c_size_t, c_size_t, c_int, _OUT]),
    "tsr_program_partition": (_E, [_H, POINTER(PartitionOptions), POINTER(c_size_t), _OUT]),
    "tsr_program_argument_tile": (_E, [_H, c_size_t, c_size_t, c_size_t, POINTER(Tile)]),
    "tsr_program_result_tile": (_E, [_H, c_size_t, c_size_t, c_size_t, POINTER(Tile)]),
    "tsr_program_evaluate": (_E, [_H, c_char_p, POINTER(EvaluateOptions), c_size_t, c_void_p,
                                  c_size_t, c_void_p]),
    "tsr_buffer_free": (None, [POINTER(Buffer)]),
}


def _candidates():
    here = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(here, "libtessera.so")
    if os.environ.get("TESSERA_LIBRARY"):
        yield os.environ["TESSERA_LIBRARY"]
    yield os.path.join(here, "..", "..", "build", "libtessera.so")


def _open():
    tried = [os.path.normpath(p) for p in _candidates()]
    for path in tried:
        if os.path.exists(path):
            return ctypes.CDLL(path)
    raise ImportError("libtessera.so is in none of: " + ", ".join(tried) +
                      ". Build it with make, or name it in TESSERA_LIBRARY")


def _declare(lib):
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(lib, name)
        function.argtypes = arguments
        function.restype = c_void_p if result is _E else result
    return lib


lib = _declare(_open())


def _check(error):
    if not error:
        return
    code = lib.tsr_error_code(error)
    message = lib.tsr_error_message(error).decode("utf-8", "replace").rstrip("\n")
    lib.tsr_error_free(error)
    raise errors.from_code(code, message)


def take_text(pointer):
    """The text at an out parameter, which is freed; None for NULL."""
    if not pointer.value:
        return None
    text = ctypes.string_at(pointer.value).decode("utf-8", "replace")
    lib.tsr_text_free(pointer)
    return text


def encode(text, what):
    """A C string; None stays None."""
    if text is None:
        return None
    if not isinstance(text, str):
        raise errors.InvalidArgument(f"{what} is {type(text).__name__}, expected str")
    if "\0" in text:
        raise errors.InvalidArgument(f"{what} has a NUL in it: {text!r}")
    return text.encode("utf-8", "surrogateescape")


class Handle:
    """A program of the C library: one thread at a time, freed once."""

    def __init__(self, text, name=None):
        self._pointer = None
        self._lock = threading.Lock()
        data = text.encode("utf-8", "surrogateescape")
        out = c_void_p()
        _check(lib.tsr_program_load(data, len(data), byref(LoadOptions(name=encode(name, "name"))),
                                    byref(out)))
        self._pointer = out.value

    def call(self, function, *arguments):
        """Calls tsr_program_<function>, with the handle first; raises what it fails with."""
        with self._lock:
            if not self._pointer:
                raise errors.FailedPrecondition("the program was closed")
            _check(getattr(lib, "tsr_program_" + function)(self._pointer, *arguments))

    def text(self, function, *arguments):
        """The same for a function whose last parameter is text to be freed."""
        out = c_void_p()
        self.call(function, *arguments, byref(out))
        return take_text(out)

    def function_count(self):
        with self._lock:
            if not self._pointer:
                raise errors.FailedPrecondition("the program was closed")
            return lib.tsr_program_function_count(self._pointer)

    def print(self, locations=False, generic=False):
        out, size = c_void_p(), c_size_t()
        self.call("print", byref(PrintOptions(generic=generic, locations=locations)), byref(out),
                  byref(size))
        return take_text(out)

    def close(self):
        with self._lock:
            pointer, self._pointer = self._pointer, None
            if pointer:
                lib.tsr_program_free(pointer)

    def __del__(self):
        if getattr(self, "_pointer", None):
            self.close()


def version():
    return lib.tsr_version().decode()
