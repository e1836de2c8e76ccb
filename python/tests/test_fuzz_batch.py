"""Batches with arguments of every wrong kind: exceptions are fine, crashes and changed worlds are not. CF_FUZZ_CALLS: more."""
import os
import random

import numpy as np
import pytest

import cortenforge as cf
from cortenforge.mujoco.batch import Batch as Simulations

ALLOWED = (TypeError, ValueError, IndexError, KeyError, OverflowError, AttributeError, MemoryError, RuntimeError, cf.FatalError, BufferError)
NAMES = ["qpos", "qvel", "ctrl", "xpos", "contact", "body_mass", "geom_size", "opt.gravity", "time", "efc_force", "", "nonsense", "opt.", "names"]


def values(rng, n):
    shape = rng.choice([(), (1,), (n,), (n - 1,), (n, 3), (n, 2, 1), (0,), (n, 0)])
    return rng.choice([None, True, 0, -1, 1, n, 2**31, -2**63, 0.5, float("nan"), float("inf"), "", "up", b"x", [], [0], [n], [1, 1], [[0]], {},
                       np.zeros(shape), np.full(shape, np.nan), np.ones(shape, bool), np.arange(n)[::-1], np.zeros(shape, "f4"),
                       np.zeros(shape, complex), np.array(["a"]), slice(2), object()] + NAMES[:4])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("make", [
    lambda m: (cf.Batch(m, 5, outputs="xpos contact", contacts=2, threads=2, unstable="freeze"),
               ["step", "forward", "reset", "rollout", "get", "set", "get_state", "set_state", "data", "dlpack", "commit", "__getattr__"]),
    lambda m: (Simulations(m, 5, nthread=2),
               ["bind", "expand", "step", "forward", "reset", "rollout", "jac", "ray", "set_const", "set_models", "get_model", "get_data",
                "error", "body", "joint"])])
def test_wrong_arguments_raise(make, humanoid):
    rng = random.Random(int(os.environ.get("CF_FUZZ_SEED", 3)))
    batch, methods = make(humanoid)
    worked = 0
    for _ in range(10 * int(os.environ.get("CF_FUZZ_CALLS", 60))):
        name = rng.choice(methods)
        given = [values(rng, 5) if rng.random() < 0.6 else rng.choice(NAMES) if name in ("get", "set", "bind", "expand", "dlpack", "__getattr__")
                 else rng.randrange(5) for _ in range(rng.randrange(4))]
        if name in ("step", "rollout") and any(isinstance(x, int) and x > 10 for x in given):
            continue  # would not end in time
        try:
            with np.errstate(all="ignore"):
                result = getattr(batch, name)(*given)
                if isinstance(result, np.ndarray) and result.flags.writeable and rng.random() < 0.1:
                    result[...] = rng.choice([0.0, 1e300, float("nan")])
            worked += 1
        except ALLOWED:
            pass
    assert worked > 20
    repr(batch)
