"""Evolution strategy with NumPy alone: every world tries a policy of its own, and all of them step together.

    build/pyenv/bin/python examples/learning/evolution.py [TASK [GENERATIONS [SEED]]]

Antithetic noise, ranked returns, a step along the estimated gradient (Salimans et al. 2017).  A run repeats bit for bit.
"""
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")     # threads cost more than such small matrices take

import numpy as np  # noqa: E402

from cortenforge.envs import Simulation, Streams, make_task  # noqa: E402

HIDDEN, PAIRS, NOISE, RATE = 16, 64, 0.1, 0.15


def shapes(inputs, outputs):
    return [(inputs, HIDDEN), (HIDDEN,), (HIDDEN, outputs), (outputs,)]


def act(policies, observation, low, high):
    """One policy per world, all at once: two layers, tanh."""
    hidden = np.tanh(np.einsum("ni,nij->nj", observation, policies[0]) + policies[1])
    out = np.tanh(np.einsum("ni,nij->nj", hidden, policies[2]) + policies[3])
    return low + (high - low) * (out + 1) / 2


def unpack(flat, sizes):
    parts, at = [], 0
    for size in sizes:
        n = int(np.prod(size))
        parts.append(flat[:, at:at + n].reshape((len(flat),) + size))
        at += n
    return parts


def returns(simulation, flat, sizes, seed):
    """Return of one episode of each world; all begin alike in pairs."""
    policies = unpack(flat, sizes)
    observation, _ = simulation.reset([seed + i // 2 for i in range(simulation.count)])
    total, alive = np.zeros(simulation.count), np.ones(simulation.count, bool)
    while alive.any():
        action = act(policies, observation, simulation.action_low, simulation.action_high)
        observation, reward, terminated, truncated, _ = simulation.step(action)
        total += reward * alive
        alive &= ~(terminated | truncated)
    return total


def train(task="CartpoleBalance-v0", generations=30, seed=0, say=print):
    simulation = Simulation(make_task(task), 2 * PAIRS, max_episode_steps=make_task(task).max_episode_steps, infos=False)
    observation, _ = simulation.reset(seed)
    sizes = shapes(observation.shape[1], len(simulation.action_low))
    count = sum(int(np.prod(size)) for size in sizes)
    draw = Streams(1)
    draw.seed(seed)
    center = draw.normal([0], count, 0.3)[0]
    means, begin = [], time.perf_counter()
    for generation in range(generations):
        noise = draw.normal([0], PAIRS * count)[0].reshape(PAIRS, count)
        flat = center + NOISE * np.stack([noise, -noise], 1).reshape(2 * PAIRS, count)
        total = returns(simulation, flat, sizes, seed + 1000 * generation)
        rank = np.argsort(np.argsort(total)) / (2 * PAIRS - 1) - 0.5
        gradient = ((rank[0::2] - rank[1::2])[:, None] * noise).mean(0) / NOISE
        center = center + RATE * gradient
        means.append(total.mean())
        say(f"generation {generation}: mean return {total.mean():.1f}, best {total.max():.1f}, {time.perf_counter() - begin:.1f} s")
    return center, means


if __name__ == "__main__":
    given = sys.argv[1:]
    train(given[0] if given else "CartpoleBalance-v0", int(given[1]) if len(given) > 1 else 30, int(given[2]) if len(given) > 2 else 0)
