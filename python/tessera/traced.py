"""Calls inside of what JAX traces: the function with shardings as constraints, over any axes."""

import jax

from .export import has_explicit_axes, warn_user


def _only(spec, names):
    """A PartitionSpec with these axes only."""
    entries = [(entry,) if isinstance(entry, str) else entry or () for entry in spec]
    kept = [tuple(name for name in entry if name in names) for entry in entries]
    return jax.sharding.PartitionSpec(*(entry or None for entry in kept))


def on_mesh_set(mesh):
    """Whether jax.set_mesh has set a mesh of the same axes."""
    now = jax.sharding.get_abstract_mesh()
    return not now.empty and list(mesh.shape.items()) == list(now.shape.items())


def over_auto_axes(fn, results):
    """fn with the Explicit axes of the mesh that is set as Auto ones inside. results are the
    NamedShardings of its results, on a mesh of the same axes."""
    now = jax.sharding.get_abstract_mesh()
    explicit = {name for name, kind in zip(now.axis_names, now.axis_types)
                if kind == jax.sharding.AxisType.Explicit}
    return jax.sharding.auto_axes(fn, out_sharding=[_only(s.spec, explicit) for s in results])


def with_constraints(plain, named):
    """plain (leaves of the arguments to leaves of the results) with the shardings of its arguments
    and results as constraints: traced values, and their cotangents, may have any other sharding.
    Under a mesh with Explicit axes, over which JAX takes no cotangents of arrays over Auto ones, the
    axes are Auto inside."""
    constrain = jax.lax.with_sharding_constraint

    @jax.jit
    def over_devices(*leaves):
        return list(map(constrain, plain(*map(constrain, leaves, named.arguments)), named.results))

    def over_axes(*leaves):
        return plain(*map(constrain, leaves, [s.spec for s in named.arguments]))

    @jax.jit
    def over_mesh_set(*leaves):
        return list(map(constrain, over_axes(*leaves), [s.spec for s in named.results]))

    def call(*leaves):
        same = on_mesh_set(named.mesh)
        if not has_explicit_axes(jax):
            return (over_mesh_set if same else over_devices)(*leaves)
        if not same:  # another mesh, or it has sub-axes of the axes
            replicated = [jax.sharding.PartitionSpec()] * len(named.results)
            return jax.sharding.auto_axes(plain, out_sharding=replicated)(*leaves)
        return over_auto_axes(over_axes, named.results)(*leaves)

    return call


def without_rules(run, fallback, warn):
    """run, which JAX can neither differentiate nor batch, with fallback in its place under grad and
    vmap. warn(word) is called then, with the name of the transformation."""
    batched = jax.custom_batching.custom_vmap(run)

    @batched.def_vmap
    def by_vmap(axis_size, in_batched, *leaves):
        warn("vmap")
        in_axes = tuple(0 if is_ else None for is_ in in_batched)
        results = jax.vmap(fallback, in_axes=in_axes, axis_size=axis_size)(*leaves)
        return results, [True] * len(results)

    both = jax.custom_jvp(batched)

    @both.defjvp
    def by_jvp(primals, tangents):
        warn("grad")
        return jax.jvp(fallback, primals, tangents)

    return both


def warn_once(name, what):
    """A warn of without_rules."""
    told = []

    def warn(word):
        if not told:
            told.append(word)
            warn_user(f"{name}: {word} of {what} runs the Python function instead, with the shardings of its "
                      "arguments and results as constraints, and XLA decides the rest: take "
                      f"{word} inside of what is sharded")

    return warn


def with_fallback(inside, fallback, named, name):
    """inside, for what JAX traces, with fallback (leaves to leaves) under grad, vmap and Explicit axes."""
    constrained = with_constraints(fallback, named)
    guarded = without_rules(inside, constrained, warn_once(name, "an exported program"))
    return lambda *leaves: constrained(*leaves) if has_explicit_axes(jax) else guarded(*leaves)
