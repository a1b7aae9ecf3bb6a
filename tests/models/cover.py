"""Which cases there are, and few of them that still cover every pair.

A case is a model with its options (dtype, scan, remat) and one way to run it:

    one               on one device
    <annotation>      on 8 devices, split as the annotation says
    <annotation>*     on 8 devices, by hand with shard_map

Factors of the covering array are (model x way), dtype, scan and remat. A greedy choice: again and again the case that covers
most pairs not yet covered; among equals one whose model and options are there already (JAX is compiled once for each), then
the first. O(cases x chosen), deterministic.
"""

import itertools
from typing import NamedTuple


class Options(NamedTuple):
    model: str
    dtype: str
    scan: bool
    remat: bool

    def build(self):
        """What the model's function is called with: only what it knows."""
        words = {"scan": self.scan, "remat": self.remat}
        return {"dtype": self.dtype, **{k: True for k, on in words.items() if on}}

    def __str__(self):
        words = [self.model, self.dtype, "scan" * self.scan, "remat" * self.remat]
        return " ".join(w for w in words if w)


def ways(model):
    yield "one"
    for name, annotation in model.annotations.items():
        yield name
        if annotation.shard_map:
            yield name + "*"


def product(models):
    """All cases: (Options, way)."""
    cases = []
    for m in models:
        flags = [(False, True) if known else (False,) for known in (m.scan, m.remat)]
        for dtype, scan, remat in itertools.product(m.dtypes, *flags):
            cases += [(Options(m.name, dtype, scan, remat), way) for way in ways(m)]
    return cases


def pairs(case):
    options, way = case
    factors = [("run", options.model, way), ("dtype", options.dtype), ("scan", options.scan), ("remat", options.remat)]
    return set(itertools.combinations(factors, 2))


def covering(cases):
    """Some of the cases, in their order: every pair of factors that occurs in any of them occurs in one of these."""
    missing = set().union(*map(pairs, cases))
    left = list(cases)
    chosen, compiled = set(), set()
    while missing:
        best = max(left, key=lambda case: (len(pairs(case) & missing), case[0] in compiled))
        left.remove(best)
        missing -= pairs(best)
        chosen.add(best)
        compiled.add(best[0])
    return [case for case in cases if case in chosen]


def grouped(cases):
    """[(Options, [way, …])]: what shares JAX's side."""
    groups = {}
    for options, way in cases:
        groups.setdefault(options, []).append(way)
    return list(groups.items())
