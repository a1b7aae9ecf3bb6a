"""A StableHLO program: its text, what it takes and gives, and the trees it was exported with."""

import collections
import ctypes
import os

from . import checks, dtypes, errors, table
from ._lib import FunctionInfo, Handle, TypeInfo
from .dimensions import Dimensions

SCATTER = ("spec", "xla")
TOKEN = "!stablehlo.token"  # of which None is the value, here and there: it only says what is first

Value = collections.namedtuple("Value", "name dtype shape text")
Value.__doc__ = """What an argument or result is.

name is what annotations match; dtype NumPy's name ("bfloat16"; None for a token); shape a tuple, in
which -2**63 is a size that is not known; text the type as StableHLO has it.

>>> tessera.load("func.func @main(%x: tensor<2xf32>) {\\n  return\\n}").arguments
[Value(name='x', dtype='float32', shape=(2,), text='tensor<2xf32>')]
"""


def function_info(handle, index):
    info = FunctionInfo()
    handle.call("tsr_program_function", index, ctypes.byref(info))
    return info


def entry_index(handle):
    """The number of @main; without one, of the first public function."""
    public = []
    for i in range(handle.function_count()):
        info = function_info(handle, i)
        if info.name == b"main":
            return i
        if info.is_public:
            public.append(i)
    if not public:
        raise errors.InvalidArgument("the program has no function @main")
    return public[0]


def _value(handle, what, function, i):
    info = TypeInfo()
    handle.call(f"tsr_program_{what}", function, i, ctypes.byref(info))
    name = handle.text(f"tsr_program_{what}_name", function, i)
    dtype = dtypes.name_of(info.dtype) if info.dtype else None
    shape = tuple(info.dims[d] for d in range(info.rank))
    return Value(name or f"{'arg' if what == 'argument' else 'result'}{i}", dtype, shape,
                 info.text.decode())


class Program:
    """A verified program. tessera.export and tessera.load make it.

    text        StableHLO; with locations if it was exported from JAX
    arguments   a list of Value(name, dtype, shape, text), one per flat argument of @main
    results     the same for its results
    arg_names   names of the arguments: parameter and pytree path, "params.layers.0.w". Annotations
                match these names
    in_tree, out_tree     JAX's pytrees of (args, kwargs) and of the results; None if it was loaded
    in_avals, out_avals   shapes and dtypes in JAX, flat; None if it was loaded
    donated     for each argument whether it is donated; None if it was loaded
    scatter     what happens with scatter windows that lie partly out of bounds. "xla" drops the
                window, as JAX does; the default of export. "spec" drops the elements out of bounds,
                as StableHLO specifies; the default of load

    close() frees the memory of the C library. `with` calls it at its end.

    >>> with tessera.load("func.func @main(%x: tensor<2xf32>) {\\n  return\\n}") as program:
    ...     print(program, program.arg_names)
    <tessera.Program @main: 1 argument, 0 results, 1 op> ['x']
    """

    def __init__(self, text, name=None, trees=None, scatter="spec", callbacks=()):
        self.text = text
        self.scatter = scatter
        self._callbacks = callbacks  # Python functions that the text names by their numbers
        self.name = name
        self._trees = trees
        self._handle = Handle(text, name)
        self._entry = entry_index(self._handle)
        info = function_info(self._handle, self._entry)
        self.function = info.name.decode()
        self.n_ops = info.n_ops
        self.arguments = [_value(self._handle, "argument", self._entry, i)
                          for i in range(info.n_arguments)]
        self.results = [_value(self._handle, "result", self._entry, i)
                        for i in range(info.n_results)]

    arg_names = property(lambda self: [a.name for a in self.arguments])
    result_names = property(lambda self: [r.name for r in self.results])
    in_tree = property(lambda self: self._trees and self._trees.in_tree)
    out_tree = property(lambda self: self._trees and self._trees.out_tree)
    in_avals = property(lambda self: self._trees and self._trees.in_avals)
    out_avals = property(lambda self: self._trees and self._trees.out_avals)
    donated = property(lambda self: self._trees and self._trees.donated)
    call = property(lambda self: self._trees and self._trees.call)

    def fresh(self):
        """A handle of its own, for stages that rewrite the program."""
        return self._handle.copy()

    def dimensions(self, names=None) -> Dimensions:
        """The dimensions by name, as layout= takes them: a Dimensions.

        What nobody named is called by its size. names gives names to some, text or a dict, and the
        ops carry them on.

        >>> program = tessera.load('''func.func @main(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
        ...   %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
        ...   return %0 : tensor<6x4xf32>
        ... }''')
        >>> program.dimensions({"x": "batch,_"})
        name   size  dimensions  from
        batch  4     3           names:1
        d6     6     3           made up: dimension 1 of argument 0 'x'
        <BLANKLINE>
        x        batch,d6
        result0  d6,batch
        """
        return Dimensions(self, names)

    def close(self):
        """Frees the C library's copy now; later uses raise FailedPrecondition."""
        self._handle.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _title(self):
        return (f"@{self.function}: {table.plural(len(self.arguments), 'argument')}, "
                f"{table.plural(len(self.results), 'result')}, {table.plural(self.n_ops, 'op')}")

    def __repr__(self):
        return f"<tessera.Program {self._title()}>"

    def _repr_html_(self):
        rows = [[v.name, v.text] for v in self.arguments + self.results]
        return table.in_html(self._title(), ["value", "type"], rows)


# ---- loading ----

def _is_path(text):
    return "\n" not in text and not text.lstrip().startswith(("module", "func", "#", '"'))


def load(text_or_path, scatter=None) -> Program:
    """Reads StableHLO text, or a file with it. Returns a Program.

    A text without a line break that does not begin like a program is taken as a path. A loaded program
    has no pytrees: run takes and returns flat arrays. scatter is "spec" (default) or "xla"; Program
    describes both. Use "xla" for text that JAX printed.

    >>> program = tessera.load('''func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
    ...   %0 = stablehlo.add %x, %x : tensor<2xf32>
    ...   return %0 : tensor<2xf32>
    ... }''')
    >>> tessera.run(program, np.array([1, 2], "f"))
    array([2., 4.], dtype=float32)
    """
    scatter = SCATTER[0] if scatter is None else scatter
    if not isinstance(scatter, str) or scatter not in SCATTER:
        raise checks.wrong("scatter", scatter, '"spec" or "xla"')
    if isinstance(text_or_path, str) and not text_or_path.strip():
        raise errors.InvalidArgument("load takes text or a path, and this has nothing in it: "
                                     f"{text_or_path!r}")
    if isinstance(text_or_path, os.PathLike) or (
            isinstance(text_or_path, str) and _is_path(text_or_path)):
        return _load_file(os.fspath(text_or_path), scatter)
    if isinstance(text_or_path, (bytes, bytearray)) and b"ML\xefR" in text_or_path:
        return Program(text_or_path.decode("utf-8", "surrogateescape"))  # says what is wrong
    if not isinstance(text_or_path, str):
        has = ": its .as_text(debug_info=True)" if hasattr(text_or_path, "as_text") else \
            ": its .mlir_module()" if hasattr(text_or_path, "mlir_module") else ""
        raise errors.InvalidArgument(
            f"load takes text or a path, not {type(text_or_path).__name__}{has}")
    return Program(text_or_path, scatter=scatter)


def read_file(path):
    """The text of a file."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            return f.read()
    except FileNotFoundError:
        raise errors.NotFound(f"there is no file {path}") from None
    except OSError as e:
        raise errors.Unavailable(f"{path}: {e.strerror}") from None
    except ValueError as e:  # a NUL, half of a surrogate pair
        raise errors.InvalidArgument(f"{path!r} is no path: {e}") from None


def _load_file(path, scatter):
    return Program(read_file(path), path, scatter=scatter)
