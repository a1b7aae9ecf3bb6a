"""Which cases there are, and few of them that still cover every pair.

A case is a model with its options (dtype, scan, remat) and one way to run it:

    one               on one device, by the evaluator
    compiled          on one device, by the compiled engine
    <annotation>      on 8 devices, split as the annotation says
    <annotation>*     on 8 devices, by hand with shard_map
    …@compiled        <annotation> by the compiled engine
    …@local           either of these on 8 devices of stock JAX, which runs our local program (to_jax, exact="local")
    plan:<machine>    three steps on 8 devices of stock JAX, planned without annotations (planned.py)

Factors of the covering array are (model x way), dtype, scan and remat. Each way must meet both of each two, so two sets of
options for each model, opposites, are needed and nearly enough; JAX, which is what takes the time, then compiles a model only
twice. Which opposites: those with most pairs of options that no model before had. Deterministic.
"""

import itertools
from typing import NamedTuple


LOCAL, COMPILED = "@local", "@compiled"
PLANS = ("plan:cpu", "plan:h100", "plan:small", "plan:memory")


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
    yield "compiled"
    for name, annotation in model.annotations.items():
        yield name + COMPILED
        for way in (name, name + "*") if annotation.shard_map else (name,):
            yield way
            yield way + LOCAL
    yield from PLANS


def product(models):
    """All cases: (Options, way)."""
    cases = []
    for m in models:
        flags = [(False, True) if known else (False,) for known in (m.scan, m.remat)]
        for dtype, scan, remat in itertools.product(m.dtypes, *flags):
            cases += [(Options(m.name, dtype, scan, remat), way) for way in ways(m)]
    return cases


def levels(options):
    return {("dtype", options.dtype), ("scan", options.scan), ("remat", options.remat)}


def pairs(case):
    options, way = case
    return set(itertools.combinations(sorted({("run", (options.model, way)), *levels(options)}), 2))


def covering(cases):
    """Some of the cases, in their order: every pair of factors that occurs in any of them occurs in one of these. Of the
    local programs in JAX, which XLA compiles long, each annotation of each model once and one plan of each model, with options by
    turns."""
    kept = covering_pairs([case for case in cases if not in_jax(case[1])])
    done, turns = set(), 0
    for options, way in cases:
        key, others = (options.model, way), sorted({o for o, _ in kept if o.model == options.model})
        if way.endswith(LOCAL) and "*" not in way and key not in done:
            kept.add((others[turns % len(others)], way))
            done.add(key)
            turns += 1
    kept |= one_plan_each(sorted(kept))
    return [case for case in cases if case in kept]


def covering_plans(cases):
    """Plans of each model for this host with opposite options, and for the other machines with these options by turns."""
    kept, plans = sorted(covering_pairs([case for case in cases if not in_jax(case[1])])), set()
    for turn, (_, of_model) in enumerate(itertools.groupby(kept, key=lambda case: case[0].model)):
        options = sorted({o for o, _ in of_model})
        plans |= {(o, PLANS[0]) for o in options}
        plans |= {(options[(turn + i) % len(options)], way) for i, way in enumerate(PLANS[1:])}
    return [case for case in cases if case in plans]


def one_plan_each(kept):
    """A plan of each model, with machines and the options that are kept by turns."""
    plans = set()
    for turn, (_, of_model) in enumerate(itertools.groupby(kept, key=lambda case: case[0].model)):
        options = sorted({o for o, _ in of_model})
        plans.add((options[turn // len(PLANS) % len(options)], PLANS[turn % len(PLANS)]))
    return plans


def in_jax(way):
    """Whether stock JAX runs it."""
    return way.endswith(LOCAL) or way in PLANS


def covering_pairs(cases):
    kept, seen = set(), set()
    for _, of_model in itertools.groupby(cases, key=lambda case: case[0].model):
        groups = grouped(of_model)
        missing = set().union(*(levels(options) for options, _ in groups))
        while missing:
            new = lambda group: set().union(*(pairs((group[0], way)) for way in group[1])) - seen
            options, ways = max(groups, key=lambda group: (len(levels(group[0]) & missing), len(new(group))))
            missing -= levels(options)
            seen |= new((options, ways))
            kept |= {(options, way) for way in ways}
    for case in cases:
        if not pairs(case) <= seen:
            seen |= pairs(case)
            kept.add(case)
    return kept


def grouped(cases):
    """[(Options, [way, …])]: what shares JAX's side."""
    groups = {}
    for options, way in cases:
        groups.setdefault(options, []).append(way)
    return list(groups.items())
