"""Models in plain JAX, for tests and benches. `python -m models list`, run in tests/, shows them."""
