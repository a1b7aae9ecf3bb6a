"""Some random functions, always the same; python -m models.random_jax tries others."""

import pytest

from models import random_jax


@pytest.mark.parametrize("seed", range(32))
def test_tessera_gives_what_jax_gives(seed):
    assert random_jax.check(seed) is None


def test_what_differs_is_told(monkeypatch):
    wrong = lambda program, *args, **options: [v + 1 for v in run(program, *args, **options)]
    run = random_jax.tessera.run
    monkeypatch.setattr(random_jax.tessera, "run", wrong)
    assert "seed 1, one device: result 0 is" in random_jax.check(1)
