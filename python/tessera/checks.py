"""Arguments that are no arrays: numbers, flags and lists of what they must be, else InvalidArgument; and
keywords, which are ours or the function's."""

import difflib
import inspect
import operator

from . import errors


def _shown(value):
    """A value in a message: its type if it is long, or does not say what it is."""
    try:
        said = repr(value)
    except Exception:
        said = ""
    return said if 0 < len(said) <= 60 and "\n" not in said else type(value).__name__


def wrong(what, value, expected):
    """The exception for an argument that is not what it must be."""
    return errors.InvalidArgument(f"{what} is {_shown(value)}, expected {expected}")


def given(value):
    """Whether a hint says something: None and what is empty do not."""
    if value is None or value is False:
        return False
    return not (isinstance(value, (str, bytes, dict, list, tuple)) and len(value) == 0)


def number(what, value, least, most, expected):
    """A whole number in a range, also NumPy's; no bool, no float."""
    try:
        n = operator.index(value)
    except TypeError:
        n = None
    if n is None or isinstance(value, bool) or not least <= n <= most:
        raise wrong(what, value, expected)
    return n


def flag(what, value):
    """True or False; None is False, 0 and 1 are taken."""
    if value is None:
        return False
    try:
        n = operator.index(value)
    except TypeError:
        n = int(value) if type(value).__name__ in ("bool_", "bool") else None
    if n not in (0, 1):
        raise wrong(what, value, "True or False")
    return bool(n)


def several(what, value, kind, expected):
    """A tuple of ints or strings, of one or of a collection of them; None is ()."""
    if value is None:
        return ()
    collections = (tuple, list, set, frozenset, range)
    items = tuple(value) if isinstance(value, collections) else (value,)
    if kind is int:
        return tuple(number(what, item, -2**31, 2**31, expected) for item in items)
    if not all(isinstance(item, kind) for item in items):
        raise wrong(what, value, expected)
    return items


# ---- keywords ----

def _named_parameters(fn, n_args):
    """Parameters that a call with so many arguments may give by name, and whether any word is one;
    None if that is not known."""
    try:
        parameters = list(inspect.signature(fn).parameters.values())
    except (TypeError, ValueError):
        return None, True
    named = [p.name for i, p in enumerate(parameters)
             if p.kind == p.KEYWORD_ONLY or (p.kind == p.POSITIONAL_OR_KEYWORD and i >= n_args)]
    return named, any(p.kind == p.VAR_KEYWORD for p in parameters)


def no_option(verb, word, options, more=""):
    """The exception for a keyword that nobody knows."""
    near = difflib.get_close_matches(word, options, 1)
    return errors.InvalidArgument(f"tessera.{verb} has no option '{word}'{more}"
                                  + (f"; did you mean '{near[0]}'?" if near else ""))


def keywords(verb, fn, args, said, kwargs=(), others=()):
    """That each keyword is known, and is either an option of a verb (said: {name: value}, and names
    of others) or a parameter of the function, not both."""
    named, any_word = _named_parameters(fn, len(args))
    name = getattr(fn, "__name__", None) or type(fn).__name__
    for word, value in said.items():
        if named and word in named and value is not None:
            raise errors.InvalidArgument(
                f"{word}= is an option of tessera.{verb} and a parameter of {name}: " + {
                    "export": f"give {name} its own by position",
                    "run": f"make a Program of it, tessera.export({name}, …), then "
                           "tessera.partition of that, which has a .run(…)",
                }.get(verb, f"make a Program of it, tessera.export({name}, …), and give that to "
                            f"tessera.{verb}"))
    for word in kwargs:
        if any_word or word in named or word in others:
            continue
        raise no_option(verb, word, [*said, *others, *named], f", and {name} no such parameter")
