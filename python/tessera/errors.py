"""Exceptions: one class per code of the C library (PJRT's codes), all of them tessera.Error."""


class Error(Exception):
    """An error of the C library. str(error) is its message, with the location in the program if there is one.

    code is PJRT's error code.

    >>> try:
    ...     tessera.load("func.func @main(%x: tensor<2xf32>) {\\n  return %y : tensor<2xf32>\\n}")
    ... except tessera.InvalidArgument as error:
    ...     print(error.code, str(error).splitlines()[0])
    3 <memory>:2:10: error: '%y' is not defined before this use
    """

    code = 2

    def __init__(self, message, code=None):
        super().__init__(message)
        if code is not None:
            self.code = code


class InvalidArgument(Error, ValueError):
    """The program, an annotation or a value given to it is wrong."""

    code = 3


class NotFound(Error, LookupError):
    """Nothing is called so."""

    code = 5


class ResourceExhausted(Error, MemoryError):
    """No memory, or over a limit."""

    code = 8


class FailedPrecondition(Error):
    """Not possible in this state: a program that was closed, a check in the program that failed."""

    code = 9


class OutOfRange(Error, IndexError):
    """There are not so many."""

    code = 11


class Unimplemented(Error, NotImplementedError):
    """Right, but Tessera cannot do it."""

    code = 12


class Internal(Error):
    """A bug of Tessera. Please report it."""

    code = 13


class Unavailable(Error, OSError):
    """A file that cannot be read or written."""

    code = 14


_CLASSES = {
    c.code: c
    for c in (InvalidArgument, NotFound, ResourceExhausted, FailedPrecondition, OutOfRange,
              Unimplemented, Internal, Unavailable)
}


def from_code(code, message):
    """The exception of a code; a plain Error for those without a class."""
    return _CLASSES.get(code, Error)(message, code)
