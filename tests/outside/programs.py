"""Programs of public JAX libraries: train steps, solvers, samplers and simulators as their users write them, at small sizes.

Each function builds one program: `fn, args`, the arguments pytrees of arrays. A parameter that is called `batch` is data, whose
first dimension is that of the batch; libraries.py shards by that. Random numbers come from keys, which are arguments. Libraries
are imported inside, so that a missing one skips its programs alone.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

PROGRAMS = {}


def program(*libraries):
    """Registers a builder; libraries are the PyPI names that it needs, the first the one whose program it is."""
    def register(build):
        PROGRAMS[build.__name__] = (build, libraries)
        return build
    return register


def normal(*shape, seed=0, scale=1.0):
    return (scale * np.random.default_rng([seed, *shape]).standard_normal(shape)).astype("float32")


def whole(high, *shape, seed=0):
    return np.random.default_rng([seed, *shape]).integers(0, high, shape).astype("int32")


def numpy(tree):
    """Arrays of a tree as NumPy's; keys stay."""
    is_key = lambda x: jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended)
    return jax.tree.map(lambda x: x if is_key(x) else np.asarray(x), tree)


# ---- networks -----------------------------------------------------------------------------------------------------


@program("flax", "optax")
def flax_mixer():
    """MLP-Mixer in linen with dropout; AdamW on a schedule, gradients clipped."""
    import flax.linen as nn
    import optax

    class Mlp(nn.Module):
        width: int

        @nn.compact
        def __call__(self, x):
            return nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(self.width)(x)))

    class Mixer(nn.Module):
        @nn.compact
        def __call__(self, x, train):
            x = nn.Conv(32, (4, 4), strides=(4, 4))(x)
            x = x.reshape(x.shape[0], -1, 32)
            for _ in range(2):
                y = nn.LayerNorm()(x).swapaxes(1, 2)
                x = x + nn.Dropout(0.1, deterministic=not train)(Mlp(24)(y).swapaxes(1, 2))
                x = x + Mlp(64)(nn.LayerNorm()(x))
            return nn.Dense(10)(nn.LayerNorm()(x).mean(axis=1))

    model = Mixer()
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.warmup_cosine_decay_schedule(0.0, 1e-3, 5, 50)))

    def step(params, state, batch, key):
        def loss(params):
            logits = model.apply(params, batch["image"], True, rngs={"dropout": key})
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    batch = {"image": normal(8, 16, 16, 3), "label": whole(10, 8)}
    params = numpy(model.init(jax.random.key(0), batch["image"], False))
    return step, (params, numpy(optimizer.init(params)), batch, jax.random.key(1))


@program("flax", "optax")
def flax_nnx_convnet():
    """A convolutional network in nnx with batch statistics; SGD with Nesterov momentum."""
    import optax
    from flax import nnx

    class Net(nnx.Module):
        def __init__(self, rngs):
            self.conv1 = nnx.Conv(3, 8, kernel_size=(3, 3), rngs=rngs)
            self.norm = nnx.BatchNorm(8, rngs=rngs)
            self.conv2 = nnx.Conv(8, 16, kernel_size=(3, 3), strides=2, feature_group_count=2, rngs=rngs)
            self.head = nnx.Linear(16, 10, rngs=rngs)

        def __call__(self, x):
            x = nnx.relu(self.norm(self.conv1(x)))
            x = nnx.max_pool(x, (2, 2), strides=(2, 2))
            return self.head(nnx.silu(self.conv2(x)).mean(axis=(1, 2)))

    graph, params, rest = nnx.split(Net(nnx.Rngs(0)), nnx.Param, ...)
    optimizer = optax.sgd(0.05, momentum=0.9, nesterov=True)
    pure = lambda state: numpy(nnx.to_pure_dict(state))

    def step(params, stats, state, batch):
        def loss(p):
            model = nnx.merge(graph, as_state(p, params_like), as_state(stats, rest_like))
            logits = model(batch["image"])
            value = optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
            return value, nnx.to_pure_dict(nnx.state(model, nnx.BatchStat))
        (value, new), grads = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), new, state, value

    params_like, rest_like = params, rest

    def as_state(pure_dict, like):
        state = jax.tree.map(lambda x: x, like)
        nnx.replace_by_pure_dict(state, pure_dict)
        return state

    params, stats = pure(params), pure(rest)
    return step, (params, stats, numpy(optimizer.init(params)), {"image": normal(8, 8, 8, 3), "label": whole(10, 8)})


@program("equinox", "optax")
def equinox_gru():
    """A recurrent classifier by lax.scan in Equinox; Lion."""
    import equinox as eqx
    import optax

    class Recurrent(eqx.Module):
        cell: eqx.nn.GRUCell
        head: eqx.nn.Linear

        def __call__(self, xs):
            state, _ = lax.scan(lambda c, x: (self.cell(x, c), None), jnp.zeros(self.cell.hidden_size), xs)
            return self.head(state)

    keys = jax.random.split(jax.random.key(0))
    params, static = eqx.partition(Recurrent(eqx.nn.GRUCell(8, 32, key=keys[0]), eqx.nn.Linear(32, 5, key=keys[1])), eqx.is_array)
    optimizer = optax.lion(1e-3, weight_decay=0.1)

    def step(params, state, batch):
        def loss(params):
            logits = jax.vmap(eqx.combine(params, static))(batch["sequence"])
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["label"]).mean()
        value, grads = eqx.filter_value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return eqx.apply_updates(params, updates), state, value

    batch = {"sequence": normal(8, 12, 8), "label": whole(5, 8)}
    return step, (numpy(params), numpy(optimizer.init(params)), batch)


@program("dm-haiku", "optax")
def haiku_transformer():
    """A causal transformer in Haiku, its layers stacked by hk.experimental.layer_stack; Adafactor."""
    import haiku as hk
    import optax

    def forward(tokens):
        x = hk.Embed(50, 32)(tokens) + hk.get_parameter("positions", [16, 32], init=hk.initializers.TruncatedNormal(0.1))
        mask = jnp.tril(jnp.ones((1, 1, 16, 16)))

        def layer(x):
            norm = lambda y: hk.LayerNorm(-1, True, True)(y)
            y = norm(x)
            x = x + hk.MultiHeadAttention(4, 8, w_init=hk.initializers.VarianceScaling(), model_size=32)(y, y, y, mask)
            return x + hk.Linear(32)(jax.nn.gelu(hk.Linear(64)(norm(x))))

        x = hk.experimental.layer_stack(2)(layer)(x)
        return hk.Linear(50)(hk.LayerNorm(-1, True, True)(x))

    model = hk.without_apply_rng(hk.transform(forward))
    optimizer = optax.adafactor(1e-2, min_dim_size_to_factor=16)

    def step(params, state, batch):
        def loss(params):
            logits = model.apply(params, batch)[:, :-1]
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch[:, 1:]).mean()
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    batch = whole(50, 8, 16)
    params = numpy(model.init(jax.random.key(0), batch))
    return step, (params, numpy(optimizer.init(params)), batch)


@program("jraph", "dm-haiku", "optax")
def jraph_graph_network():
    """A graph network with edge, node and global updates on a padded batch of graphs; AMSGrad."""
    import haiku as hk
    import jraph
    import optax

    def forward(graph):
        mlp = lambda *sizes: lambda x: hk.nets.MLP(sizes)(x)
        update = lambda sizes: jraph.concatenated_args(lambda x: mlp(*sizes)(x))
        graph = jraph.GraphMapFeatures(hk.Linear(16), hk.Linear(16), hk.Linear(16))(graph)
        net = jraph.GraphNetwork(update([32, 16]), update([32, 16]), update([32, 4]))
        return net(graph)

    model = hk.without_apply_rng(hk.transform(forward))
    graphs = []
    for k, (nodes, edges) in enumerate([(5, 9), (7, 12), (4, 6)]):
        graphs.append(jraph.GraphsTuple(
            n_node=np.array([nodes]), n_edge=np.array([edges]), nodes=normal(nodes, 6, seed=k), edges=normal(edges, 3, seed=k),
            globals=normal(1, 2, seed=k), senders=whole(nodes, edges, seed=k), receivers=whole(nodes, edges, seed=k + 9)))
    graph = numpy(jax.tree.map(jnp.asarray, jraph.pad_with_graphs(jraph.batch_np(graphs), 24, 40, 4)))
    optimizer = optax.amsgrad(1e-2)

    def step(params, state, graph, target):
        def loss(params):
            made = model.apply(params, graph)
            mask = jraph.get_graph_padding_mask(graph)
            return jnp.sum(mask[:, None] * (made.globals - target) ** 2) / jnp.sum(mask)
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, value

    params = numpy(model.init(jax.random.key(0), graph))
    return step, (params, numpy(optimizer.init(params)), graph, normal(4, 4))


@program("e3nn-jax")
def e3nn_forces():
    """Energy and forces of an equivariant message-passing layer: spherical harmonics, tensor products, radial basis."""
    import e3nn_jax as e3nn

    hidden = e3nn.Irreps("8x0e + 4x1o")
    edges = e3nn.Irreps.spherical_harmonics(2)
    full = e3nn.tensor_product(hidden, edges)
    mixing = e3nn.FunctionalLinear(full.filter(["0e", "1o"]), hidden)

    def energy(params, positions, senders, receivers):
        vectors = e3nn.IrrepsArray("1o", positions[receivers] - positions[senders])
        harmonics = e3nn.spherical_harmonics(edges, vectors, normalize=True)
        lengths = jnp.sqrt(jnp.sum(vectors.array**2, axis=1) + 1e-6)
        radial = e3nn.bessel(lengths, 8, 5.0) @ params["radial"]
        nodes = e3nn.IrrepsArray(hidden, params["nodes"])
        message = e3nn.tensor_product(nodes[senders], harmonics).filter(["0e", "1o"])
        message = jax.vmap(lambda m: mixing(params["mix"], m))(message)
        message = message * radial
        nodes = e3nn.scatter_sum(message, dst=receivers, output_size=positions.shape[0])
        scalars = e3nn.norm(nodes, squared=True).array
        return jnp.sum(jnp.tanh(scalars @ params["out"]))

    def step(params, positions, senders, receivers):
        value, (grads, forces) = jax.value_and_grad(energy, argnums=(0, 1))(params, positions, senders, receivers)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), -forces

    params = {"radial": normal(8, 1), "nodes": normal(16, hidden.dim), "out": normal(12, 1),
              "mix": [normal(*i.path_shape, seed=k) for k, i in enumerate(mixing.instructions)]}
    senders = np.repeat(np.arange(16), 3).astype("int32")
    receivers = ((senders + np.tile([1, 2, 5], 16)) % 16).astype("int32")
    return step, (params, normal(16, 3, scale=2), senders, receivers)


# ---- solvers ------------------------------------------------------------------------------------------------------


@program("diffrax", "equinox", "optax")
def diffrax_neural_ode():
    """A neural ODE trained through an adaptive Tsit5 solve with a PID controller; Adam."""
    import diffrax
    import equinox as eqx
    import optax

    params, static = eqx.partition(eqx.nn.MLP(4, 4, 32, 2, activation=jnp.tanh, key=jax.random.key(0)), eqx.is_array)
    optimizer = optax.adam(1e-2)

    def step(params, state, batch):
        def loss(params):
            field = eqx.combine(params, static)

            def solve(y0):
                return diffrax.diffeqsolve(
                    diffrax.ODETerm(lambda t, y, args: field(y)), diffrax.Tsit5(), 0.0, 1.0, 0.1, y0, throw=False, max_steps=64,
                    saveat=diffrax.SaveAt(ts=jnp.linspace(0, 1, 5)),
                    stepsize_controller=diffrax.PIDController(rtol=1e-3, atol=1e-5)).ys
            return jnp.mean((jax.vmap(solve)(batch["start"]) - batch["path"]) ** 2)
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, value

    return step, (numpy(params), numpy(optimizer.init(params)), {"start": normal(4, 4), "path": normal(4, 5, 4)})


@program("diffrax", "equinox")
def diffrax_sde():
    """Paths of a stochastic differential equation, Heun's method on a virtual Brownian tree."""
    import diffrax

    def paths(batch, key, drift):
        def solve(y0, key):
            noise = diffrax.VirtualBrownianTree(0.0, 1.0, tol=0.05, shape=(3,), key=key)
            terms = diffrax.MultiTerm(diffrax.ODETerm(lambda t, y, a: jnp.tanh(drift @ y)),
                                      diffrax.ControlTerm(lambda t, y, a: 0.2 * jnp.diag(jnp.cos(y)), noise))
            return diffrax.diffeqsolve(terms, diffrax.Heun(), 0.0, 1.0, 0.1, y0, throw=False, max_steps=16,
                                       saveat=diffrax.SaveAt(steps=True)).ys
        return jax.vmap(solve)(batch, jax.random.split(key, batch.shape[0]))

    return paths, (normal(6, 3), jax.random.key(3), normal(3, 3))


@program("optimistix", "equinox", "lineax")
def optimistix_least_squares():
    """Fits curves by Levenberg-Marquardt, and a root by Newton with its implicit gradient."""
    import optimistix as optx

    def fit(batch, start):
        def residual(p, data):
            return p[0] * jnp.exp(-p[1] * data[0]) + p[2] - data[1]

        solver = optx.LevenbergMarquardt(rtol=1e-4, atol=1e-4)
        curves = jax.vmap(lambda d: optx.least_squares(residual, solver, start, d, max_steps=8, throw=False).value)(batch)
        root = lambda a: optx.root_find(lambda y, a: jnp.tanh(y) + 0.5 * y - a, optx.Newton(rtol=1e-5, atol=1e-5), jnp.zeros_like(a), a,
                                        max_steps=8, throw=False).value
        return curves, root(start), jax.grad(lambda a: jnp.sum(root(a) ** 2))(start)

    x = np.linspace(0, 3, 16, dtype="float32")
    y = np.stack([a * np.exp(-b * x) + c for a, b, c in normal(4, 3, scale=0.3) + [2, 1, 0]]).astype("float32")
    batch = np.stack([np.broadcast_to(x, y.shape), y + normal(4, 16, scale=0.02)], axis=1)
    return fit, (batch, np.array([1.5, 0.8, 0.1], "float32"))


@program("lineax", "equinox")
def lineax_solvers():
    """The same systems by LU, QR, CG, GMRES and BiCGStab, and the gradient through one."""
    import lineax as lx

    def solve(batch, right):
        positive = batch @ batch.swapaxes(1, 2) / 8 + jnp.eye(8)

        def of(solver, tags=()):
            return jax.vmap(lambda m, r: lx.linear_solve(lx.MatrixLinearOperator(m, tags), r, solver, throw=False).value)

        spd = lx.positive_semidefinite_tag
        iterate = dict(rtol=1e-5, atol=1e-5)
        grads = jax.grad(lambda m: jnp.sum(of(lx.CG(**iterate, max_steps=12), spd)(m, right) ** 2))(positive)
        return {"lu": of(lx.LU())(positive, right), "qr": of(lx.QR())(positive, right), "cholesky": of(lx.Cholesky(), spd)(positive, right),
                "cg": of(lx.CG(**iterate, max_steps=12), spd)(positive, right),
                "bicgstab": of(lx.BiCGStab(**iterate, max_steps=12))(positive, right), "grads": grads}

    return solve, (normal(4, 8, 8), normal(4, 8, seed=1))


@program("jaxopt")
def jaxopt_logistic_regression():
    """Multiclass logistic regression by L-BFGS, and sparse by proximal gradient; the gradient by implicit differentiation."""
    import jaxopt

    def fit(params, batch, penalty):
        data = (batch["x"], batch["y"])
        smooth = lambda p, l2, data: jaxopt.objective.multiclass_logreg(p, data) + 0.5 * l2 * jnp.sum(p**2)
        lbfgs = jaxopt.LBFGS(smooth, maxiter=5, implicit_diff=False)
        sparse = jaxopt.ProximalGradient(jaxopt.objective.multiclass_logreg, jaxopt.prox.prox_lasso, maxiter=5)
        return lbfgs.run(params, penalty, data).params, sparse.run(params, 0.01, data).params

    batch = {"x": normal(32, 16), "y": whole(5, 32)}
    return fit, (normal(16, 5, scale=0.1), batch, np.float32(0.1))


@program("ott-jax")
def ott_sinkhorn():
    """Entropic optimal transport of two point clouds by Sinkhorn's iteration, and its gradient."""
    from ott.geometry import pointcloud
    from ott.problems.linear import linear_problem
    from ott.solvers.linear import sinkhorn

    def transport(batch, target):
        def cost(x):
            problem = linear_problem.LinearProblem(pointcloud.PointCloud(x, target, epsilon=0.5))
            return sinkhorn.Sinkhorn(max_iterations=30, inner_iterations=10, threshold=1e-3)(problem).reg_ot_cost
        value, grads = jax.value_and_grad(cost)(batch)
        return value, batch - 0.1 * grads

    return transport, (normal(24, 3), normal(20, 3, seed=1) + 1)


# ---- samplers -----------------------------------------------------------------------------------------------------


@program("numpyro")
def numpyro_svi():
    """Stochastic variational inference of a hierarchical regression with a normal guide."""
    import numpyro
    import numpyro.distributions as dist
    from numpyro.infer import SVI, Trace_ELBO
    from numpyro.infer.autoguide import AutoNormal

    def model(batch):
        scale = numpyro.sample("scale", dist.HalfNormal(1.0))
        weights = numpyro.sample("weights", dist.Normal(0, scale).expand([16]).to_event(1))
        with numpyro.plate("data", batch["x"].shape[0]):
            numpyro.sample("y", dist.StudentT(4.0, batch["x"] @ weights, 0.5), obs=batch["y"])

    svi = SVI(model, AutoNormal(model), numpyro.optim.ClippedAdam(0.01), Trace_ELBO(num_particles=2))
    batch = {"x": normal(32, 16), "y": normal(32)}
    state = numpy(svi.init(jax.random.key(0), batch))

    def step(state, batch):
        for _ in range(2):
            state, loss = svi.update(state, batch)
        return state, loss

    return step, (state, batch)


@program("blackjax")
def blackjax_nuts():
    """Chains of the No-U-Turn sampler on logistic regression."""
    import blackjax

    def sample(key, batch, start):
        def density(w):
            logits = batch["x"] @ w
            return jnp.sum(batch["y"] * jax.nn.log_sigmoid(logits) + (1 - batch["y"]) * jax.nn.log_sigmoid(-logits)) - 0.5 * jnp.sum(w**2)

        nuts = blackjax.nuts(density, step_size=0.2, inverse_mass_matrix=jnp.ones(start.shape[-1]), max_num_doublings=3)

        def chain(key, start):
            def one(state, key):
                state, info = nuts.step(key, state)
                return state, (state.position, info.acceptance_rate, info.num_integration_steps)
            return lax.scan(one, nuts.init(start), jax.random.split(key, 3))[1]
        return jax.vmap(chain)(jax.random.split(key, start.shape[0]), start)

    batch = {"x": normal(16, 4), "y": whole(2, 16).astype("float32")}
    return sample, (jax.random.key(5), batch, normal(2, 4, scale=0.1))


@program("tfp-nightly")
def tfp_hmm():
    """A hidden Markov model's posterior marginals, Viterbi path, and the gradient of its likelihood."""
    from tensorflow_probability.substrates import jax as tfp
    tfd = tfp.distributions

    def infer(params, batch):
        def model(p):
            return tfd.HiddenMarkovModel(tfd.Categorical(logits=p["start"]), tfd.Categorical(logits=p["move"]),
                                         tfd.Normal(p["mean"], jax.nn.softplus(p["scale"])), num_steps=batch.shape[1])
        loss, grads = jax.value_and_grad(lambda p: -jnp.mean(model(p).log_prob(batch)))(params)
        best = model(params)
        return loss, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads), best.posterior_marginals(batch).probs_parameter(), \
            best.posterior_mode(batch)

    params = {"start": normal(4), "move": normal(4, 4), "mean": normal(4, seed=1, scale=2), "scale": normal(4, seed=2)}
    return infer, (params, normal(6, 10))


@program("tfp-nightly")
def tfp_hmc():
    """Hamiltonian Monte Carlo of a transformed posterior with dual-averaging step sizes."""
    from tensorflow_probability.substrates import jax as tfp
    tfd, tfb = tfp.distributions, tfp.bijectors

    def sample(key, batch, start):
        def density(scale, shift):
            prior = tfd.Gamma(2.0, 1.0).log_prob(scale) + tfd.Normal(0.0, 1.0).log_prob(shift)
            return prior + jnp.sum(tfd.Normal(shift[..., None], scale[..., None]).log_prob(batch), axis=-1)

        kernel = tfp.mcmc.TransformedTransitionKernel(tfp.mcmc.HamiltonianMonteCarlo(density, 0.1, 3), [tfb.Softplus(), tfb.Identity()])
        kernel = tfp.mcmc.DualAveragingStepSizeAdaptation(kernel, 3)
        return tfp.mcmc.sample_chain(4, [start[0], start[1]], kernel=kernel, trace_fn=None, seed=key)

    return sample, (jax.random.key(4), normal(16), np.abs(normal(2, 4)) + 0.5)


@program("distrax", "dm-haiku", "optax")
def distrax_flow():
    """A normalizing flow of masked coupling layers with rational quadratic splines; Adam on the likelihood."""
    import distrax
    import haiku as hk
    import optax

    def log_prob(x):
        layers, mask = [], jnp.arange(4) % 2 == 0
        for _ in range(2):
            conditioner = hk.Sequential([hk.Linear(32), jax.nn.relu, hk.Linear(4 * 13), hk.Reshape((4, 13), preserve_dims=-1)])
            layers.append(distrax.MaskedCoupling(
                mask, bijector=lambda p: distrax.RationalQuadraticSpline(p, -3.0, 3.0), conditioner=conditioner))
            mask = ~mask
        base = distrax.Independent(distrax.Normal(jnp.zeros(4), jnp.ones(4)), 1)
        return distrax.Transformed(base, distrax.Inverse(distrax.Chain(layers))).log_prob(x)

    model = hk.without_apply_rng(hk.transform(log_prob))
    optimizer = optax.adam(1e-2)

    def step(params, state, batch):
        value, grads = jax.value_and_grad(lambda p: -jnp.mean(model.apply(p, batch)))(params)
        updates, state = optimizer.update(grads, state)
        return optax.apply_updates(params, updates), state, value

    batch = normal(16, 4)
    params = numpy(model.init(jax.random.key(0), batch))
    return step, (params, numpy(optimizer.init(params)), batch)


@program("evosax")
def evosax_sep_cma_es():
    """Two generations of separable CMA-ES on a shifted ellipsoid. (CMA-ES itself samples along eigenvectors, whose signs are free.)"""
    from evosax.algorithms import Sep_CMA_ES

    strategy = Sep_CMA_ES(population_size=16, solution=jnp.zeros(8))
    params = strategy.default_params
    state = numpy(strategy.init(jax.random.key(0), jnp.ones(8), params))

    def evolve(state, key, shift):
        for k in range(2):
            ask, tell = jax.random.split(jax.random.fold_in(key, k))
            population, state = strategy.ask(ask, state, params)
            values = jax.vmap(lambda x: jnp.sum(jnp.arange(1.0, 9.0) * (x - shift) ** 2))(population)
            state, _ = strategy.tell(tell, population, values, state, params)
        return state, values

    return evolve, (state, jax.random.key(1), normal(8, scale=0.1))


# ---- simulators and games -----------------------------------------------------------------------------------------


@program("jax-md")
def jax_md_nose_hoover():
    """Lennard-Jones particles in a periodic box under a Nose-Hoover thermostat, and their pressure."""
    from jax_md import energy, quantity, simulate, space

    displacement, shift = space.periodic(6.0)
    total = energy.lennard_jones_pair(displacement, sigma=1.0)
    init, apply = simulate.nvt_nose_hoover(total, shift, dt=2e-3, kT=0.5)

    def run(key, positions):
        state = init(key, positions)
        state = lax.fori_loop(0, 5, lambda i, s: apply(s), state)
        return state.position, state.momentum, quantity.pressure(total, state.position, 6.0), total(state.position)

    grid = np.stack(np.meshgrid(*[np.arange(3) * 2.0] * 2 + [np.arange(2) * 3.0]), axis=-1).reshape(-1, 3)
    return run, (jax.random.key(0), (grid + normal(18, 3, scale=0.1)).astype("float32"))


@program("gymnax", "rlax", "flax")
def gymnax_actor_critic():
    """Rollouts of a policy in gymnax's Acrobot, and its actor-critic gradient with rlax's V-trace."""
    import flax.linen as nn
    import gymnax
    import rlax

    env, env_params = gymnax.make("Acrobot-v1")

    class Policy(nn.Module):
        @nn.compact
        def __call__(self, x):
            x = nn.tanh(nn.Dense(32)(x))
            return nn.Dense(3)(x), nn.Dense(1)(x)[..., 0]

    policy = Policy()

    def train(params, keys):
        def rollout(key):
            start, key = jax.random.split(key)
            observation, state = env.reset(start, env_params)

            def one(carry, key):
                observation, state = carry
                act, move = jax.random.split(key)
                logits, _ = policy.apply(params, observation)
                action = jax.random.categorical(act, logits)
                following, state, reward, done, *_ = env.step(move, state, action, env_params)
                return (following, state), (observation, action, reward, jnp.float32(done), logits)
            return lax.scan(one, (observation, state), jax.random.split(key, 6))[1]

        observation, action, reward, done, behaviour = jax.vmap(rollout)(keys)

        def loss(params):
            logits, values = policy.apply(params, observation)

            def of_one(logits, values, action, reward, done, behaviour):
                rho = rlax.categorical_importance_sampling_ratios(logits[:-1], behaviour[:-1], action[:-1])
                out = rlax.vtrace_td_error_and_advantage(values[:-1], values[1:], reward[:-1], 0.99 * (1 - done[:-1]), rho)
                actor = rlax.policy_gradient_loss(logits[:-1], action[:-1], out.pg_advantage, jnp.ones_like(reward[:-1]))
                return actor + 0.5 * jnp.mean(out.errors**2)
            return jnp.mean(jax.vmap(of_one)(logits, values, action, reward, done, behaviour))
        value, grads = jax.value_and_grad(loss)(params)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), observation, action

    params = numpy(policy.init(jax.random.key(0), jnp.zeros(6)))
    return train, (params, jax.random.split(jax.random.key(1), 4))


@program("mctx")
def mctx_gumbel_muzero():
    """Gumbel MuZero's tree search with a small learned model."""
    import mctx

    def search(params, batch, key):
        def recurrent(params, key, action, embedding):
            hidden = jnp.tanh(embedding @ params["move"] + params["action"][action])
            return mctx.RecurrentFnOutput(reward=jnp.tanh(hidden @ params["reward"]), discount=jnp.full(action.shape, 0.9),
                                          prior_logits=hidden @ params["policy"], value=jnp.tanh(hidden @ params["value"])), hidden

        hidden = jnp.tanh(batch @ params["embed"])
        root = mctx.RootFnOutput(prior_logits=hidden @ params["policy"], value=hidden @ params["value"], embedding=hidden)
        out = mctx.gumbel_muzero_policy(params, key, root, recurrent, num_simulations=6, max_num_considered_actions=4)
        return out.action, out.action_weights, out.search_tree.summary().value

    params = {"embed": normal(8, 16), "move": normal(16, 16, scale=0.3), "action": normal(5, 16), "reward": normal(16), "policy": normal(16, 5),
              "value": normal(16, seed=1, scale=0.3)}
    return search, (params, normal(4, 8), jax.random.key(2))


@program("pgx")
def pgx_game():
    """Random play of Connect Four, boards side by side."""
    import pgx

    env = pgx.make("connect_four")

    def play(keys, noise):
        state = jax.vmap(env.init)(keys)

        def one(state, noise):
            action = jnp.argmax(jnp.where(state.legal_action_mask, noise, -jnp.inf), axis=-1)
            state = jax.vmap(env.step)(state, action)
            return state, (state.rewards, state.terminated)
        state, (rewards, ended) = lax.scan(one, state, noise)
        return state.observation, state.current_player, rewards, ended

    return play, (jax.random.split(jax.random.key(0), 4), normal(10, 4, 7))


@program("brax")
def brax_spring():
    """Steps of Brax's spring dynamics: a pendulum on a cart, and the gradient through them."""
    from brax.envs import inverted_pendulum

    env = inverted_pendulum.InvertedPendulum(backend="spring")
    start = env.reset(jax.random.key(0))
    pipeline = numpy(start.pipeline_state)

    def run(pipeline, batch):
        def reward(actions):
            def one(state, action):
                state = env.pipeline_step(state, action)
                return state, state.q
            _, path = lax.scan(one, pipeline, actions)
            return jnp.sum(jnp.cos(path[:, 1]) - 0.1 * path[:, 0] ** 2), path
        (value, path), grads = jax.vmap(jax.value_and_grad(reward, has_aux=True))(batch)
        return value, path, batch + 0.1 * grads

    return run, (pipeline, normal(2, 3, 1, scale=0.5))


@program("mujoco-mjx", "mujoco")
def mjx_pendulum():
    """MuJoCo in JAX: a double pendulum with a motor, several worlds."""
    import mujoco
    from mujoco import mjx

    model = mujoco.MjModel.from_xml_string("""<mujoco><option timestep="0.01" iterations="1" ls_iterations="4"><flag eulerdamp="disable"/></option><worldbody>
      <body><joint name="a" type="hinge" axis="0 1 0" damping="0.1"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5" contype="0" conaffinity="0"/>
      <body pos="0 0 -.5"><joint name="b" type="hinge" axis="0 1 0" damping="0.1"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5" contype="0"
       conaffinity="0"/></body></body></worldbody><actuator><motor joint="a" gear="2"/></actuator></mujoco>""")
    device_model, data = mjx.put_model(model), mjx.make_data(model)

    def run(batch, controls):
        def world(start):
            state = data.replace(qpos=start[:2], qvel=start[2:])

            def one(state, control):
                state = mjx.step(device_model, state.replace(ctrl=control))
                return state, state.qpos
            state, path = lax.scan(one, state, controls)
            return path, state.qvel
        return jax.vmap(world)(batch)

    return run, (normal(4, 4), normal(4, 1))


@program("jaxley")
def jaxley_neuron():
    """A Hodgkin-Huxley neuron of two compartments under a current: voltages and their gradient."""
    import jaxley as jx
    from jaxley.channels import HH

    branch = jx.Branch(jx.Compartment(), ncomp=2)
    cell = jx.Cell(branch, parents=[-1, 0])
    cell.insert(HH())
    cell[0, 0].stimulate(jx.step_current(i_delay=0.1, i_dur=1.0, i_amp=0.3, delta_t=0.025, t_max=0.5))
    cell[1, 0].record()
    cell.make_trainable("HH_gNa")
    params = numpy(cell.get_parameters())

    def run(params):
        def loss(params):
            voltage = jx.integrate(cell, params=params, delta_t=0.025)
            return jnp.mean(voltage), voltage
        (value, voltage), grads = jax.value_and_grad(loss, has_aux=True)(params)
        return value, voltage, grads

    return run, (params,)


@program("tinygp", "optax")
def tinygp_regression():
    """The likelihood of a Gaussian process and its gradient, and predictions with their variance."""
    import tinygp

    def fit(params, x, y, test):
        def process(p):
            kernel = jnp.exp(p["amplitude"]) * tinygp.kernels.Matern52(jnp.exp(p["scale"])) + \
                tinygp.kernels.ExpSineSquared(scale=1.5, gamma=jnp.exp(p["gamma"]))
            return tinygp.GaussianProcess(kernel, x, diag=0.1)
        value, grads = jax.value_and_grad(lambda p: -process(p).log_probability(y))(params)
        conditioned = process(params).condition(y, test).gp
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), conditioned.loc, conditioned.variance

    params = {"amplitude": np.float32(0.1), "scale": np.float32(-0.3), "gamma": np.float32(-1.0)}
    x = np.sort(normal(24) * 3)
    return fit, (params, x, np.sin(x) + normal(24, seed=1, scale=0.1), np.linspace(-3, 3, 16, dtype="float32"))


@program("dm-pix")
def pix_augmentation():
    """Images rotated, blurred, recoloured and compared (SSIM), and the gradient through it all."""
    import dm_pix as pix

    def augment(batch, angle, key):
        def loss(images):
            turned = jax.vmap(pix.rotate, in_axes=(0, None))(images, angle)
            blurred = pix.gaussian_blur(turned, sigma=1.0, kernel_size=3)
            coloured = pix.adjust_hue(pix.random_contrast(key, blurred, 0.5, 1.5), 0.1)
            coloured = pix.adjust_saturation(pix.random_flip_left_right(key, coloured), 1.2)
            return jnp.mean(pix.ssim(coloured, images, filter_size=5)), coloured
        (value, images), grads = jax.value_and_grad(loss, has_aux=True)(batch)
        return value, images, grads

    batch = np.random.default_rng(0).uniform(0.1, 0.9, (4, 12, 12, 3)).astype("float32")
    return augment, (batch, np.float32(0.3), jax.random.key(7))


@program("s2fft")
def s2fft_transform():
    """The spherical harmonic transform of a map and back, with its gradient."""
    import s2fft

    def transform(signal):
        forward = lambda f: s2fft.forward_jax(f, 8, reality=True)
        harmonics = forward(signal)
        back = s2fft.inverse_jax(harmonics, 8, reality=True)
        power = jax.grad(lambda f: jnp.sum(jnp.abs(forward(f)) ** 2))(signal)
        return harmonics, back.real, power

    return transform, (normal(8, 15),)


@program("optax")
def optax_ctc():
    """Connectionist temporal classification and its gradient; rectified Adam."""
    import optax

    optimizer = optax.chain(optax.scale_by_radam(), optax.add_decayed_weights(1e-2), optax.scale(-0.02))

    def step(params, state, batch):
        def loss(params):
            logits = jnp.tanh(batch["sound"] @ params["up"]) @ params["down"]
            return jnp.mean(optax.ctc_loss(logits, batch["silent"], batch["labels"], batch["unused"]))
        value, grads = jax.value_and_grad(loss)(params)
        updates, state = optimizer.update(grads, state, params)
        return optax.apply_updates(params, updates), state, value

    lengths = lambda n, *used: (np.arange(n)[None] >= np.array(used)[:, None]).astype("float32")
    batch = {"sound": normal(4, 12, 8), "silent": lengths(12, 12, 9, 10, 12), "labels": whole(9, 4, 4) + 1, "unused": lengths(4, 4, 2, 3, 1)}
    params = {"up": normal(8, 32, scale=0.3), "down": normal(32, 10, scale=0.3)}
    return step, (params, numpy(optimizer.init(params)), batch)


@program("flowjax", "equinox")
def flowjax_autoregressive():
    """The log likelihood of a masked autoregressive flow and its gradient."""
    import equinox as eqx
    from flowjax.distributions import Normal
    from flowjax.flows import masked_autoregressive_flow

    flow = masked_autoregressive_flow(jax.random.key(0), base_dist=Normal(jnp.zeros(4)), flow_layers=2, nn_width=16, nn_depth=1)
    params, static = eqx.partition(flow, eqx.is_inexact_array)

    def step(params, batch, key):
        from paramax import unwrap
        loss = lambda p: -jnp.mean(unwrap(eqx.combine(p, static)).log_prob(batch))
        value, grads = jax.value_and_grad(loss)(params)
        return value, jax.tree.map(lambda p, g: p - 0.01 * g, params, grads), unwrap(eqx.combine(params, static)).sample(key, (2,))

    return step, (numpy(params), normal(8, 4), jax.random.key(2))


@program("jax-cosmo")
def jax_cosmo_power():
    """The matter power spectrum of a cosmology and its derivatives by the parameters."""
    import jax_cosmo

    def power(params, k):
        def spectrum(p):
            cosmo = jax_cosmo.Planck15(Omega_c=p[0], sigma8=p[1])
            return jax_cosmo.power.linear_matter_power(cosmo, k)
        return spectrum(params), jax.jacfwd(spectrum)(params)

    return power, (np.array([0.26, 0.8], "float32"), np.logspace(-3, 0, 16).astype("float32"))


@program("penzai")
def penzai_named_attention():
    """Attention over named axes, and its gradient."""
    from penzai import pz

    def attend(params, batch):
        def loss(params):
            x = pz.nx.wrap(batch).tag("batch", "time", "embed")
            project = lambda w: pz.nx.nmap(jnp.dot)(x.untag("embed"), pz.nx.wrap(w).tag("embed", "head", "out").untag("embed"))
            q, k, v = [project(params[name]) for name in "qkv"]
            k, v = [pz.nx.nmap(lambda t: t)(y.untag("time").tag("other")) for y in (k, v)]
            logits = pz.nx.nmap(jnp.dot)(q.untag("out"), k.untag("out")) / 2.0
            weights = pz.nx.nmap(jax.nn.softmax)(logits.untag("other")).tag("other")
            out = pz.nx.nmap(jnp.dot)(weights.untag("other"), v.untag("other"))
            return jnp.mean(out.unwrap("batch", "time", "head", "out") ** 2)
        value, grads = jax.value_and_grad(loss)(params)
        return value, jax.tree.map(lambda p, g: p - g, params, grads)

    return attend, ({name: normal(16, 4, 4, seed=i, scale=0.3) for i, name in enumerate("qkv")}, normal(4, 6, 16))
