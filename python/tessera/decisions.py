"""Decisions that the user gives: a dict, JSON text or a file, as the C library reads them.

The C library names lines of the JSON in its messages. A dict has no lines, so it is written with one
line per decision, and a message names the decision instead: decisions["ops"][3].
"""

import contextlib
import json
import os
import re

from . import checks, errors
from ._lib import encode, machine_names
from .program import read_file

_LINE = re.compile(r"line (\d+) of the decisions")


def _json(value):
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise errors.InvalidArgument(f"decisions are no JSON: {error}") from None


def _lines(decisions):
    """A dict as lines of JSON, each with the expression that it is the value of."""
    rows = [("{", "decisions")]
    for key, value in decisions.items():
        if not isinstance(key, str):
            raise checks.wrong("a key of decisions", key, 'text like "ops"')
        comma = "," if len(rows) > 1 else ""
        at = f"decisions[{json.dumps(key)}]"
        if not isinstance(value, (list, tuple)):
            rows.append((f"{comma}{_json(key)}: {_json(value)}", at))
            continue
        rows.append((f"{comma}{_json(key)}: [", at))
        last = len(value) - 1
        rows += [(_json(item) + "," * (i < last), f"{at}[{i}]") for i, item in enumerate(value)]
        rows.append(("]", at))
    return rows + [("}", "decisions")]


def _machine_of(plan):
    """The machine in the text of a plan; None if there is none that is known."""
    try:
        name = json.loads(plan).get("machine")
    except (ValueError, AttributeError):
        return None
    return name if isinstance(name, str) and name.split(":")[0].replace("-", "_") in (*machine_names(), "cpu") else None


class Decisions:
    """Decisions as the C library takes them, and how its messages name them.

    text      JSON, encoded; None: no decisions are given
    machine   the machine that a plan is for, for which it must be partitioned: passes offer other choices on others
    """

    def __init__(self, decisions=None, machine=None):
        self.text, self._named = None, lambda line: f"line {line} of the decisions"
        self.machine = machine
        if decisions is None:
            return
        if isinstance(decisions, dict):
            rows = _lines(decisions)
            text, self._named = "\n".join(row for row, _ in rows), lambda line: rows[line - 1][1]
        elif isinstance(decisions, str) and decisions.lstrip()[:1] in ("{", "["):
            text = decisions
        elif isinstance(decisions, os.PathLike) or isinstance(decisions, str) and decisions.strip():
            path = os.fspath(decisions)
            text, self._named = read_file(path), lambda line: f"{path}:{line}"
        else:
            raise checks.wrong("decisions", decisions, "a dict, JSON text or the path of a file")
        self.text = encode(text, "decisions")
        if self.is_plan and machine is None:
            self.machine = _machine_of(text)

    @property
    def is_plan(self):
        """Whether this is a plan: it has a mesh, and is about the program without annotations."""
        return self.text is not None and self.text.lstrip().startswith(b'{"plan_version"')

    @contextlib.contextmanager
    def named(self):
        """Errors inside name decisions as the user gave them."""
        try:
            yield
        except errors.Error as error:
            said = _LINE.sub(lambda match: self._named(int(match.group(1))), str(error))
            if said == str(error):
                raise
            raise errors.from_code(error.code, said) from None


def decisions_of(decisions):
    """The Decisions of what a user gives, or of what is one already."""
    return decisions if isinstance(decisions, Decisions) else Decisions(decisions)
