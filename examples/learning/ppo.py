"""Proximal policy optimization with NumPy alone: a small network, its gradient written out, worlds stepped together.

    build/pyenv/bin/python examples/learning/ppo.py [TASK [SAMPLES [SEED]]]

Schulman et al. 2017 with generalized advantages; observations are normalized by running means.  For larger networks take
a library with automatic derivatives: the environments are the same (docs/learning.md).
"""
import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")     # threads cost more than such small matrices take

import numpy as np  # noqa: E402

from cortenforge.envs import Simulation, make_task  # noqa: E402

WORLDS, LENGTH, EPOCHS, PARTS, HIDDEN = 64, 64, 6, 4, 32
DISCOUNT, SMOOTH, CLIP, RATE, ENTROPY = 0.99, 0.95, 0.2, 3e-3, 0.0


class Net:
    """Two hidden layers of tanh, and the gradient of a loss whose derivative by the output is known."""

    def __init__(self, rng, sizes, last):
        scales = [1.0] * (len(sizes) - 2) + [last]
        self.weights = [rng.normal(size=(a, b)) * scale / np.sqrt(a) for a, b, scale in zip(sizes, sizes[1:], scales)]
        self.biases = [np.zeros(b) for b in sizes[1:]]

    def __call__(self, x):
        self.layers = [x]
        for k, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = x @ w + b
            x = np.tanh(x) if k < len(self.weights) - 1 else x
            self.layers.append(x)
        return x

    def gradient(self, slope):
        grads = []
        for k in range(len(self.weights) - 1, -1, -1):
            grads += [slope.sum(0), self.layers[k].T @ slope]
            slope = (slope @ self.weights[k].T) * (1 - self.layers[k] ** 2)
        return grads[::-1]

    @property
    def parameters(self):
        return [p for pair in zip(self.weights, self.biases) for p in pair]


class Adam:
    def __init__(self, parameters):
        self.parameters, self.step = parameters, 0
        self.mean, self.square = [np.zeros_like(p) for p in parameters], [np.zeros_like(p) for p in parameters]

    def __call__(self, grads, rate):
        self.step += 1
        size = np.sqrt(sum((g**2).sum() for g in grads))
        for p, g, m, v in zip(self.parameters, grads, self.mean, self.square):
            g = g * min(1.0, 0.5 / (size + 1e-8))
            m += 0.1 * (g - m)
            v += 0.001 * (g**2 - v)
            p -= rate * (m / (1 - 0.9**self.step)) / (np.sqrt(v / (1 - 0.999**self.step)) + 1e-8)


class Normalizer:
    def __init__(self, size):
        self.mean, self.square, self.count = np.zeros(size), np.ones(size), 1e-4

    def __call__(self, x, learn=False):
        if learn:
            n, mean = len(x), x.mean(0)
            self.square += (x.var(0) + (mean - self.mean) ** 2 * self.count / (self.count + n) - self.square) * n / (self.count + n)
            self.mean += (mean - self.mean) * n / (self.count + n)
            self.count += n
        return np.clip((x - self.mean) / np.sqrt(self.square + 1e-8), -10, 10)


def rollout(simulation, policy, value, spread, normal, observation, rng, low, high):
    """LENGTH steps of all worlds; worlds whose episode ends start again in the same step."""
    keys = ("x", "action", "logp", "reward", "value", "after", "done")
    rows = {key: [] for key in keys}
    totals = []
    for _ in range(LENGTH):
        x = normal(observation, learn=True)
        mean, v = policy(x), value(x)[:, 0]
        action = mean + np.exp(spread) * rng.normal(size=mean.shape)
        logp = -(((action - mean) / np.exp(spread)) ** 2 / 2 + spread).sum(1)
        scaled = low + (high - low) * (np.clip(action, -1, 1) + 1) / 2
        observation, reward, terminated, truncated, infos = simulation.step(scaled)
        done = terminated | truncated
        after = observation
        if done.any():
            after = observation.copy()
            after[done] = np.stack(infos["final_obs"][done])
            totals += simulation.totals[done].tolist()
        simulation.totals = np.where(done, 0, simulation.totals + reward)
        after = value(normal(after))[:, 0] * ~terminated
        for key, item in zip(keys, (x, action, logp, reward, v, after, done)):
            rows[key].append(item)
    return {key: np.array(row) for key, row in rows.items()}, observation, totals


def advantages(rows):
    total, result = np.zeros(WORLDS), np.zeros_like(rows["reward"])
    for t in range(LENGTH - 1, -1, -1):
        error = rows["reward"][t] + DISCOUNT * rows["after"][t] - rows["value"][t]
        total = error + DISCOUNT * SMOOTH * ~rows["done"][t] * total
        result[t] = total
    return result


def train(task="CartpoleBalance-v0", samples=150_000, seed=0, say=print):
    chosen = make_task(task)
    simulation = Simulation(chosen, WORLDS, autoreset="SameStep", max_episode_steps=chosen.max_episode_steps, infos=False)
    simulation.totals = np.zeros(WORLDS)
    observation, _ = simulation.reset(seed)
    rng = np.random.default_rng(seed)
    inputs, outputs = observation.shape[1], len(simulation.action_low)
    low, high = simulation.action_low.astype(float), simulation.action_high.astype(float)
    policy, value = Net(rng, [inputs, HIDDEN, HIDDEN, outputs], 0.01), Net(rng, [inputs, HIDDEN, HIDDEN, 1], 1.0)
    spread, normal = np.full(outputs, -0.5), Normalizer(inputs)
    improve = Adam(policy.parameters + [spread] + value.parameters)
    history, begin, rounds = [], time.perf_counter(), max(1, samples // (WORLDS * LENGTH))
    for k in range(rounds):
        rows, observation, totals = rollout(simulation, policy, value, spread, normal, observation, rng, low, high)
        gain = advantages(rows)
        target = (gain + rows["value"]).ravel()
        gain = ((gain - gain.mean()) / (gain.std() + 1e-8)).ravel()
        x, action, logp = rows["x"].reshape(-1, inputs), rows["action"].reshape(-1, outputs), rows["logp"].ravel()
        for _ in range(EPOCHS):
            for part in np.array_split(rng.permutation(len(gain)), PARTS):
                n, deviation = len(part), np.exp(spread)
                z = (action[part] - policy(x[part])) / deviation
                ratio = np.exp(-(z**2 / 2 + spread).sum(1) - logp[part])
                is_clipped = np.where(gain[part] > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
                slope = np.where(is_clipped, 0, -gain[part] * ratio)[:, None] / n
                grads = policy.gradient(slope * z / deviation)
                grads.append((slope * (z**2 - 1)).sum(0) - ENTROPY)
                grads += value.gradient((value(x[part]) - target[part, None]) * 0.5 / n)
                improve(grads, RATE * (1 - k / rounds))
        if totals:
            history.append(float(np.mean(totals)))
            say(f"{(k + 1) * WORLDS * LENGTH} samples: mean return {history[-1]:.1f} of {len(totals)} episodes, "
                f"{time.perf_counter() - begin:.1f} s")
    return history


if __name__ == "__main__":
    given = sys.argv[1:]
    train(given[0] if given else "CartpoleBalance-v0", int(given[1]) if len(given) > 1 else 150_000, int(given[2]) if len(given) > 2 else 0)
