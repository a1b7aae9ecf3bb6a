"""A StableHLO program: its text, what it takes and gives, and the trees it was exported with."""

import collections
import ctypes
import os

from . import dtypes, errors
from ._lib import FunctionInfo, Handle, TypeInfo

# What an argument or result is: dtype is NumPy's name ("bfloat16"), shape a tuple; text is the type.
Value = collections.namedtuple("Value", "name dtype shape text")


def entry_index(handle):
    """The number of @main; without one, of the first public function."""
    public = []
    for i in range(handle.function_count()):
        info = FunctionInfo()
        handle.call("function", i, ctypes.byref(info))
        if info.name == b"main":
            return i
        if info.is_public:
            public.append(i)
    if not public:
        raise errors.InvalidArgument("the program has no function @main")
    return public[0]


def _value(handle, what, function, i, name):
    info = TypeInfo()
    handle.call(what, function, i, ctypes.byref(info))
    dtype = dtypes.name_of(info.dtype) if info.dtype else None
    shape = tuple(info.dims[d] for d in range(info.rank))
    return Value(name, dtype, shape, info.text.decode())


class Program:
    """A program that the C library has read and found right.

    text        StableHLO, with locations if it was exported from JAX
    arguments   a list of Value(name, dtype, shape, text), one per flat argument of @main
    results     the same of its results
    arg_names   their names: parameter name and pytree path, "params.layers.0.w"
    in_tree, out_tree   JAX's trees of ((args, kwargs), results); None if it was loaded
    in_avals, out_avals   what JAX calls the same, flat; None if it was loaded
    """

    def __init__(self, text, name=None, arg_names=None, result_names=None, in_tree=None,
                 out_tree=None, in_avals=None, out_avals=None):
        self.text = text
        self.name = name
        self.in_tree, self.out_tree = in_tree, out_tree
        self.in_avals, self.out_avals = in_avals, out_avals
        self._handle = Handle(text, name)
        self._entry = entry_index(self._handle)
        info = FunctionInfo()
        self._handle.call("function", self._entry, ctypes.byref(info))
        self.function = info.name.decode()
        self.n_ops = info.n_ops
        arg_names = arg_names or [f"arg{i}" for i in range(info.n_arguments)]
        result_names = result_names or [f"result{i}" for i in range(info.n_results)]
        self.arguments = [_value(self._handle, "argument", self._entry, i, arg_names[i])
                          for i in range(info.n_arguments)]
        self.results = [_value(self._handle, "result", self._entry, i, result_names[i])
                        for i in range(info.n_results)]

    @property
    def arg_names(self):
        return [a.name for a in self.arguments]

    @property
    def result_names(self):
        return [r.name for r in self.results]

    def fresh(self):
        """A handle of its own, for stages that rewrite the program."""
        return Handle(self.text, self.name)

    def close(self):
        """Frees the C library's copy now; later uses raise FailedPrecondition."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return (f"<tessera.Program @{self.function}: {len(self.arguments)} arguments, "
                f"{len(self.results)} results, {self.n_ops} ops>")


def load(text_or_path):
    """A Program from StableHLO text, or from a file that has it."""
    if isinstance(text_or_path, os.PathLike) or (
            isinstance(text_or_path, str) and "\n" not in text_or_path and
            not text_or_path.lstrip().startswith(("module", "func", "#", "\"builtin"))):
        path = os.fspath(text_or_path)
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as f:
                return Program(f.read(), path)
        except FileNotFoundError:
            raise errors.NotFound(f"there is no file {path}") from None
        except OSError as e:
            raise errors.Unavailable(f"{path}: {e.strerror}") from None
    if isinstance(text_or_path, bytes):
        text_or_path = text_or_path.decode("utf-8", "surrogateescape")
    if not isinstance(text_or_path, str):
        raise errors.InvalidArgument(
            f"load takes text or a path, not {type(text_or_path).__name__}")
    return Program(text_or_path)
