"""The C library through ctypes: its structs, its functions, and handles that free themselves.

Every struct begins with struct_size; a function that fails gives an error object, which becomes an
exception here. Nothing outside this file touches a pointer.
"""

import ctypes
import os
import threading
from ctypes import (POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_ubyte, c_uint64,
                    c_void_p)

from . import checks, errors


# ---- structs ----

class _Sized(ctypes.Structure):
    def __init__(self, **fields):
        super().__init__(struct_size=ctypes.sizeof(self), **fields)


# stage, done and total of a long call; the first is the struct's progress_user
PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)


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
                ("call_rules", c_void_p), ("layout", c_char_p), ("names", c_char_p),
                ("devices", c_size_t), ("by_cost", c_int), ("reshards", c_int),
                ("machine", c_char_p), ("trip_count", c_size_t), ("progress", PROGRESS),
                ("progress_user", c_void_p)]


class PartitionOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("annotations", POINTER(PropagateOptions)),
                ("machine", c_char_p), ("plain", c_int), ("why", c_int), ("mesh_axes", c_int),
                ("collectives", c_char_p),
                ("trip_count", c_size_t), ("progress", PROGRESS), ("progress_user", c_void_p),
                ("decisions", c_char_p), ("keep_decisions", c_int)]


class PlanOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("machine", c_char_p), ("devices", c_size_t),
                ("annotations", POINTER(PropagateOptions)), ("level", c_int),
                ("memory_bytes", c_double), ("untied", c_int), ("tactics", c_char_p),
                ("time_limit_seconds", c_double)]


class Price(_Sized):
    _fields_ = [("struct_size", c_size_t), ("seconds", c_double), ("compute_seconds", c_double),
                ("bytes", c_double), ("peak_bytes", c_double), ("visited", c_uint64)]


class SimulateOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("partition", POINTER(PartitionOptions)), ("local", c_int),
                ("mesh", c_char_p), ("trip_count", c_size_t), ("most_values", c_size_t),
                ("trace", c_int), ("report", c_int)]


class Step(_Sized):
    _fields_ = [("struct_size", c_size_t), ("machine", c_char_p), ("devices", c_size_t),
                ("seconds", c_double), ("compute_seconds", c_double), ("waiting_seconds", c_double),
                ("collective_seconds", c_double), ("bytes", c_double), ("flops", c_double),
                ("utilization", c_double), ("model_utilization", c_double), ("peak_bytes", c_double),
                ("usable_bytes", c_double), ("argument_bytes", c_double), ("result_bytes", c_double),
                ("undonated_bytes", c_double), ("peak_op", c_char_p), ("guess", c_int),
                ("unknown_loops", c_size_t), ("trip_count", c_size_t), ("n_collectives", c_size_t),
                ("n_values", c_size_t)]


class StepCollective(_Sized):
    _fields_ = [("struct_size", c_size_t), ("kind", c_char_p), ("axes", c_char_p), ("count", c_size_t),
                ("runs", c_double), ("bytes", c_double), ("seconds", c_double),
                ("waiting_seconds", c_double), ("guess", c_int)]


class StepValue(_Sized):
    _fields_ = [("struct_size", c_size_t), ("name", c_char_p), ("type", c_char_p), ("kind", c_int),
                ("bytes", c_double)]


class Tile(_Sized):
    _fields_ = [("struct_size", c_size_t), ("global_type", c_char_p), ("rank", c_size_t),
                ("whole", POINTER(c_int64)), ("tile", POINTER(c_int64)),
                ("offset", POINTER(c_int64)), ("extent", POINTER(c_int64)), ("is_sum", c_int),
                ("combine", c_char_p), ("first", c_size_t)]


class Buffer(_Sized):
    _fields_ = [("struct_size", c_size_t), ("dtype", c_int), ("rank", c_size_t),
                ("dims", POINTER(c_int64)), ("data", c_void_p)]


class CustomCall(_Sized):
    _fields_ = [("struct_size", c_size_t), ("target", c_char_p), ("backend_config", c_char_p),
                ("n_operands", c_size_t), ("operands", POINTER(POINTER(TypeInfo))),
                ("n_results", c_size_t), ("results", POINTER(POINTER(TypeInfo)))]


CustomCallFunction = ctypes.CFUNCTYPE(c_int, c_void_p, POINTER(CustomCall), POINTER(Buffer),
                                      POINTER(Buffer), c_void_p, c_size_t)


class EvaluateOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("seed", c_uint64), ("memory_limit", c_uint64),
                ("partitions", c_size_t), ("cancel", POINTER(c_int)), ("progress", PROGRESS),
                ("progress_user", c_void_p), ("scatter", c_int),
                ("custom_call", CustomCallFunction), ("custom_call_user", c_void_p)]


class CompileOptions(_Sized):
    _fields_ = [("struct_size", c_size_t), ("seed", c_uint64), ("partitions", c_size_t),
                ("workers", c_size_t), ("device_memory", c_uint64), ("scatter", c_int),
                ("cancel", POINTER(c_int)), ("n_frozen", c_size_t), ("frozen", POINTER(c_size_t))]


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
    "tsr_program_copy": (_E, [_H, _OUT]),
    "tsr_program_free": (None, [_H]),
    "tsr_program_print": (_E, [_H, POINTER(PrintOptions), _OUT, POINTER(c_size_t)]),
    "tsr_program_function_count": (c_size_t, [_H]),
    "tsr_program_function": (_E, [_H, c_size_t, POINTER(FunctionInfo)]),
    "tsr_program_argument": (_E, [_H, c_size_t, c_size_t, POINTER(TypeInfo)]),
    "tsr_program_result": (_E, [_H, c_size_t, c_size_t, POINTER(TypeInfo)]),
    "tsr_program_argument_name": (_E, [_H, c_size_t, c_size_t, _OUT]),
    "tsr_program_result_name": (_E, [_H, c_size_t, c_size_t, _OUT]),
    "tsr_program_dimensions": (_E, [_H, c_char_p, c_int, _OUT]),
    "tsr_rules_new": (_E, [_OUT]),
    "tsr_rules_free": (None, [_H]),
    "tsr_rules_add": (_E, [_H, c_char_p, c_char_p]),
    "tsr_program_propagate": (_E, [_H, POINTER(PropagateOptions), _OUT]),
    "tsr_program_argument_sharding": (_E, [_H, c_size_t, c_size_t, c_int, _OUT]),
    "tsr_program_result_sharding": (_E, [_H, c_size_t, c_size_t, c_int, _OUT]),
    "tsr_program_argument_part": (_E, [_H, c_size_t, c_size_t, _OUT]),
    "tsr_program_result_part": (_E, [_H, c_size_t, c_size_t, _OUT]),
    "tsr_program_partition": (_E, [_H, POINTER(PartitionOptions), POINTER(c_size_t), _OUT]),
    "tsr_program_traffic": (_E, [_H, _OUT]),
    "tsr_program_decisions": (_E, [_H, _OUT]),
    "tsr_machine_count": (c_size_t, []),
    "tsr_machine_name": (c_char_p, [c_size_t]),
    "tsr_machine_describe": (_E, [c_char_p, _OUT]),
    "tsr_program_plan": (_E, [_H, POINTER(PlanOptions), _OUT, _OUT]),
    "tsr_program_simulate": (_E, [_H, c_char_p, POINTER(SimulateOptions), _OUT]),
    "tsr_simulation_free": (None, [_H]),
    "tsr_simulation_step": (_E, [_H, POINTER(Step)]),
    "tsr_simulation_collective": (_E, [_H, c_size_t, POINTER(StepCollective)]),
    "tsr_simulation_value": (_E, [_H, c_size_t, POINTER(StepValue)]),
    "tsr_simulation_text": (_E, [_H, _OUT]),
    "tsr_simulation_json": (_E, [_H, _OUT]),
    "tsr_simulation_trace": (_E, [_H, _OUT]),
    "tsr_simulation_report": (_E, [_H, _OUT]),
    "tsr_program_devices": (_E, [_H, POINTER(c_size_t)]),
    "tsr_program_argument_tile": (_E, [_H, c_size_t, c_size_t, c_size_t, POINTER(Tile)]),
    "tsr_program_result_tile": (_E, [_H, c_size_t, c_size_t, c_size_t, POINTER(Tile)]),
    "tsr_propagation_new": (_E, [_H, POINTER(PropagateOptions), _OUT]),
    "tsr_propagation_free": (None, [_H]),
    "tsr_propagation_value": (_E, [_H, c_char_p, POINTER(c_size_t)]),
    "tsr_propagation_push": (_E, [_H, c_size_t, c_char_p, POINTER(c_size_t)]),
    "tsr_propagation_add_axis": (_E, [_H, c_size_t, c_size_t, c_char_p, POINTER(c_size_t)]),
    "tsr_propagation_pop": (_E, [_H]),
    "tsr_propagation_price": (_E, [_H, POINTER(Price)]),
    "tsr_propagation_sharding": (_E, [_H, c_size_t, c_int, _OUT]),
    "tsr_propagation_table": (_E, [_H, c_int, _OUT]),
    "tsr_propagation_why": (_E, [_H, c_char_p, c_int, _OUT]),
    "tsr_program_evaluate": (_E, [_H, c_char_p, POINTER(EvaluateOptions), c_size_t, c_void_p,
                                  c_size_t, c_void_p]),
    "tsr_buffer_free": (None, [POINTER(Buffer)]),
    "tsr_program_compile": (_E, [_H, c_char_p, POINTER(CompileOptions), _OUT]),
    "tsr_executable_free": (None, [_H]),
    "tsr_executable_run": (_E, [_H, c_size_t, c_void_p, c_size_t, c_void_p]),
    "tsr_executable_stats": (_E, [_H, _OUT]),
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
        if not os.path.exists(path):
            continue
        try:
            return _declare(ctypes.CDLL(path))
        except OSError as e:
            raise ImportError(f"{path} cannot be loaded: {e}") from None
        except AttributeError as e:
            raise ImportError(f"{path} is of another version than this package: {e}") from None
    raise ImportError("libtessera.so is in none of: " + ", ".join(tried) +
                      ". Build it with make, or name it in TESSERA_LIBRARY")


def _declare(library):
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, name)
        function.argtypes = arguments
        function.restype = c_void_p if result is _E else result
    return library


lib = _open()


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


def _bytes_of(text, what):
    if not isinstance(text, str):
        raise checks.wrong(what, text, "text")
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as e:
        raise errors.InvalidArgument(
            f"{what} has half of a character in it: {text[e.start]!r}") from None


def encode(text, what):
    """A C string; None stays None."""
    if text is None:
        return None
    data = _bytes_of(text, what)
    if b"\0" in data:
        raise errors.InvalidArgument(f"{what} has a NUL in it: {text!r}")
    return data


class _Owner:
    """Something of the C library: used by one thread at a time, freed once, and not used after."""

    _free = None  # the function that frees it
    _what = ""

    def __init__(self):
        self._pointer = None
        self.calling_back = None  # the thread on which this is running a function of the user
        self._lock = threading.RLock()  # also taken by __del__, which may come at any time

    def pointer(self):
        """Of what is still there; whoever asks holds the lock."""
        if not self._pointer:
            raise errors.FailedPrecondition(f"the {self._what} was closed")
        return self._pointer

    def refuse_within(self):
        """Raises if this thread is in a function that the running object has called back."""
        if self.calling_back == threading.get_ident():
            raise errors.FailedPrecondition(f"the {self._what} is running: what it calls back cannot use it")

    @property
    def lock(self):
        self.refuse_within()  # the run that calls back has it, on another thread
        return self._lock

    def call(self, function, *arguments):
        """Calls a function with the pointer first; raises what it fails with."""
        with self.lock:
            _check(getattr(lib, function)(self.pointer(), *arguments))

    def text(self, function, *arguments):
        """The same for a function whose last parameter is text to be freed."""
        out = c_void_p()
        self.call(function, *arguments, byref(out))
        return take_text(out)

    def close(self):
        with self.lock:
            pointer, self._pointer = self._pointer, None
            if pointer:
                self._free(pointer)

    def __del__(self):
        if getattr(self, "_pointer", None):
            self.close()

    def __reduce__(self):
        raise TypeError(f"a {self._what} of the C library cannot be pickled or copied")


class Handle(_Owner):
    """A program."""

    _free = staticmethod(lib.tsr_program_free)
    _what = "program"

    def __init__(self, text, name=None):
        super().__init__()
        data = _bytes_of(text, "the program")
        options = LoadOptions(name=encode(name, "name"))
        out = c_void_p()
        _check(lib.tsr_program_load(data, len(data), byref(options), byref(out)))
        self._pointer = out.value

    def copy(self):
        """Another of the same program, which shares nothing with this one."""
        out = c_void_p()
        self.call("tsr_program_copy", byref(out))
        other = Handle.__new__(Handle)
        _Owner.__init__(other)
        other._pointer = out.value
        return other

    def function_count(self):
        with self.lock:
            return lib.tsr_program_function_count(self.pointer())

    def devices(self):
        """How many devices a partitioned program is for; 0: it is not partitioned."""
        out = c_size_t()
        self.call("tsr_program_devices", byref(out))
        return out.value

    def print(self, locations=False):
        out = c_void_p()
        self.call("tsr_program_print", byref(PrintOptions(locations=locations)), byref(out), None)
        return take_text(out)


class Executable(_Owner):
    """A compiled program, independent of the program that it was made of."""

    _free = staticmethod(lib.tsr_executable_free)
    _what = "executable"

    def __init__(self, handle, function, options):
        super().__init__()
        out = c_void_p()
        handle.call("tsr_program_compile", function.encode(), byref(options), byref(out))
        self._pointer = out.value

    def run(self, inputs, outputs):
        """inputs, outputs: an array of Buffer, and its length."""
        self.call("tsr_executable_run", inputs[1], inputs[0], outputs[1], outputs[0])

    def stats(self):
        out = c_void_p()
        self.call("tsr_executable_stats", byref(out))
        return take_text(out)


class Propagation(_Owner):
    """What propagation found, kept for questions. It takes the program: this is freed first."""

    _free = staticmethod(lib.tsr_propagation_free)
    _what = "propagation"

    def __init__(self, handle, options):
        super().__init__()
        self._program = None
        out = c_void_p()
        handle.call("tsr_propagation_new", byref(options), byref(out))
        self._pointer = out.value
        self._program, handle._pointer = handle._pointer, None

    def close(self):
        with self.lock:
            super().close()
            program, self._program = self._program, None
            if program:
                lib.tsr_program_free(program)


class Simulation(_Owner):
    """A predicted step. It shares nothing with the program."""

    _free = staticmethod(lib.tsr_simulation_free)
    _what = "simulation"

    def __init__(self, handle, machine, options):
        super().__init__()
        out = c_void_p()
        handle.call("tsr_program_simulate", machine, byref(options), byref(out))
        self._pointer = out.value

    def struct(self, kind, function, *index):
        """A struct that a function fills."""
        out = kind()
        self.call(function, *index, byref(out))
        return out


def machine_names():
    return [lib.tsr_machine_name(i).decode() for i in range(lib.tsr_machine_count())]


def machine_json(machine):
    """The description of a machine with all defaults, as JSON."""
    out = c_void_p()
    _check(lib.tsr_machine_describe(machine, byref(out)))
    return take_text(out)


class Rules(_Owner):
    """How custom calls may be split: texts by the name of their target."""

    _free = staticmethod(lib.tsr_rules_free)
    _what = "set of rules"

    def __init__(self, rules):
        super().__init__()
        out = c_void_p()
        _check(lib.tsr_rules_new(byref(out)))
        self._pointer = out.value
        for target, rule in rules.items():
            self.call("tsr_rules_add", encode(target, "a target"), encode(rule, "a rule"))


def version():
    return lib.tsr_version().decode()
