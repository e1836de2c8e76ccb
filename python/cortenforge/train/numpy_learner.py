"""Networks of tanh layers with NumPy alone: the gradient is written out."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .settings import Settings

Rows = NDArray[Any]


class Net:
    """Layers of tanh and a last one without, and the gradient of a loss whose derivative by the output is known."""

    def __init__(self, rng: np.random.Generator, sizes: list[int], last: float) -> None:
        scales = [1.0] * (len(sizes) - 2) + [last]
        self.weights = [_orthogonal(rng, a, b, scale).astype(np.float32) for a, b, scale in zip(sizes, sizes[1:], scales)]
        self.biases = [np.zeros(b, np.float32) for b in sizes[1:]]

    def __call__(self, x: Rows) -> Rows:
        self.layers = [x]
        for k, (w, b) in enumerate(zip(self.weights, self.biases)):
            x = x @ w + b
            x = np.tanh(x) if k < len(self.weights) - 1 else x
            self.layers.append(x)
        return x

    def gradient(self, slope: Rows) -> list[Rows]:
        grads: list[Rows] = []
        for k in range(len(self.weights) - 1, -1, -1):
            grads += [slope.sum(0), self.layers[k].T @ slope]
            if k:
                slope = (slope @ self.weights[k].T) * (1 - self.layers[k] ** 2)
        return grads[::-1]

    @property
    def parameters(self) -> list[Rows]:
        return [p for pair in zip(self.weights, self.biases) for p in pair]


def _orthogonal(rng: np.random.Generator, rows: int, columns: int, scale: float) -> NDArray[np.float64]:
    q, r = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return scale * (q if rows >= columns else q.T)


class Learner:
    """Policy and value, improved by Adam on the clipped objective of PPO."""

    def __init__(self, inputs: int, outputs: int, settings: Settings) -> None:
        rng = np.random.default_rng([settings.seed, 1])
        self.settings = settings
        self.policy = Net(rng, [inputs, *settings.hidden, outputs], 0.01)
        self.critic = Net(rng, [inputs, *settings.hidden, 1], 1.0)
        self.spread = np.full(outputs, settings.spread, np.float32)
        self.parameters = [*self.policy.parameters, self.spread, *self.critic.parameters]
        self.means, self.squares = ([np.zeros_like(p) for p in self.parameters] for _ in range(2))
        self.count = 0

    def act(self, x: Rows) -> Rows:
        return self.policy(x)

    def value(self, x: Rows) -> Rows:
        return self.critic(x)[:, 0]

    def loss_slopes(self, batch: dict[str, Rows]) -> tuple[list[Rows], float]:
        """Gradients of the loss by all parameters, and the mean divergence from the policy that acted."""
        s, n, deviation = self.settings, np.float32(len(batch["x"])), np.exp(self.spread)
        z = (batch["action"] - self.policy(batch["x"])) / deviation
        log_ratio = -(z**2 / 2 + self.spread).sum(1) - batch["logp"]
        ratio = np.exp(log_ratio)
        gain = batch["gain"]
        is_clipped = np.where(gain > 0, ratio > 1 + s.clip, ratio < 1 - s.clip)
        slope = np.where(is_clipped, np.float32(0), -gain * ratio)[:, None] / n
        grads = self.policy.gradient(slope * z / deviation)
        grads.append((slope * (z**2 - 1)).sum(0) - np.float32(s.entropy))
        grads += self.critic.gradient((self.critic(batch["x"]) - batch["target"][:, None]) / n)
        return grads, float((ratio - 1 - log_ratio).mean())

    def improve(self, batch: dict[str, Rows], rate: float) -> float:
        grads, divergence = self.loss_slopes(batch)
        size = np.sqrt(sum(float((g.astype(np.float64) ** 2).sum()) for g in grads))
        self.count += 1
        step, root = rate / (1 - 0.9**self.count), np.float32(1 / np.sqrt(1 - 0.999**self.count))
        for p, g, m, v in zip(self.parameters, grads, self.means, self.squares):
            g = g * np.float32(min(1.0, 0.5 / (size + 1e-8)))
            m += np.float32(0.1) * (g - m)
            v += np.float32(0.001) * (g**2 - v)
            p -= np.float32(step) * m / (np.sqrt(v) * root + np.float32(1e-5))
        return divergence

    def state(self) -> dict[str, Any]:
        return {"parameters": [p.copy() for p in self.parameters], "means": self.means, "squares": self.squares, "count": self.count}

    def restore(self, state: dict[str, Any]) -> None:
        for ours, given in ((self.parameters, state["parameters"]), (self.means, state["means"]), (self.squares, state["squares"])):
            for a, b in zip(ours, given, strict=True):
                a[...] = b
        self.count = int(state["count"])
