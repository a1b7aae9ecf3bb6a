"""`tests/outside/run` in Python: libraries, random, file, work."""

import argparse
import importlib
import sys


def several(text):
    return [word for word in text.split(",") if word]


def main():
    if sys.argv[1:2] == ["work"]:
        which, *words = sys.argv[2:]
        module = importlib.import_module("." + {"random": "random_programs"}.get(which, which), __package__)
        return module.work(*words)
    parser = argparse.ArgumentParser(prog="tests/outside/run", description="Programs of others, and random ones, held against plain JAX.")
    verbs = parser.add_subparsers(dest="verb", required=True)
    libraries = verbs.add_parser("libraries", help="programs of public JAX libraries")
    libraries.add_argument("names", nargs="*", help="some of them (default: all)")
    libraries.add_argument("--seed", type=int, default=1, help="of the random shardings")
    libraries.add_argument("--ways", default="", help="only these, by commas: one,mesh,to_jax constraints,to_jax local,verify (default: all)")
    random = verbs.add_parser("random", help="random JAX programs")
    random.add_argument("--seed", type=int, default=1, help="of the first program; each has its own")
    random.add_argument("--count", type=int, default=1000)
    random.add_argument("--no-shrink", action="store_true", help="leave failing programs as they are")
    random.add_argument("--ways", default="", help="only these, by commas: one,mesh,to_jax constraints,to_jax local (default: all)")
    file = verbs.add_parser("file", help="a reproducer that `random` wrote")
    file.add_argument("path")
    asked = parser.parse_args()
    if asked.verb == "libraries":
        from .libraries import run
        return run(asked.names, asked.seed, several(asked.ways))
    from .random_programs import run, run_file
    return run_file(asked.path) if asked.verb == "file" else run(asked.seed, asked.count, not asked.no_shrink, several(asked.ways))


if __name__ == "__main__":
    sys.exit(main())
