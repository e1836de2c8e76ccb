"""Evolution strategies (Salimans et al. 2017): each world tries a policy of its own; antithetic noise, ranked returns."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Simulation, Streams, make_task
from .policy import Normalizer, flat, scale_of
from .settings import Settings


class Evolution:
    """`round()` is a generation; the interface is that of `ppo.PPO`."""

    def __init__(self, settings: Settings, threads: int = 0) -> None:
        self.settings = settings
        task = make_task(settings.task, **settings.options)
        self.simulation = s = Simulation(task, 2 * settings.pairs, threads=threads, infos=False,
                                         max_episode_steps=None if task.max_episode_steps else 1000)
        inputs = flat(s.reset(settings.seed)[0]).shape[1]
        self.middle, self.half = scale_of(s)
        sizes = [inputs, *settings.hidden, len(self.middle)]
        self.shapes = [shape for a, b in zip(sizes, sizes[1:]) for shape in ((a, b), (b,))]
        self.count = sum(int(np.prod(shape)) for shape in self.shapes)
        self.draw = Streams(1)
        self.draw.seed(settings.seed)
        self.center = self.draw.normal([0], self.count, 0.3)[0]
        self.normal, self.samples, self.generation = Normalizer(inputs), 0, 0

    def layers(self, rows: NDArray[np.float64]) -> list[NDArray[np.float64]]:
        """Rows of parameters as weights and biases with one row per policy."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(len(rows), *shape) for part, shape in zip(np.split(rows, ends[:-1], axis=1), self.shapes)]

    def returns(self, rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return and length of one episode of each policy; the two of a pair begin alike."""
        layers, s = self.layers(rows), self.simulation
        seed = self.settings.seed + 1000 * (self.generation + 1)
        observation = flat(s.reset([seed + i // 2 for i in range(s.count)])[0])
        total, length, live = np.zeros(s.count), np.zeros(s.count, np.int64), np.ones(s.count, np.bool_)
        seen = []
        while live.any():
            seen.append(observation[live].mean(0, keepdims=True))
            x = np.asarray(self.normal(observation), np.float64)
            for k in range(0, len(layers), 2):
                x = np.einsum("ni,nij->nj", x, layers[k]) + layers[k + 1]
                x = np.tanh(x) if k < len(layers) - 2 else np.clip(x, -1, 1)
            given, reward, terminated, truncated, _ = s.step(self.middle + self.half * x)
            total += reward * live
            length += live
            live &= ~(terminated | truncated)
            observation = flat(given)
        self.normal.learn(np.concatenate(seen))
        return total, length

    def round(self) -> dict[str, Any]:
        s = self.settings
        noise = self.draw.normal([0], s.pairs * self.count)[0].reshape(s.pairs, self.count)
        rows = self.center + s.noise * np.stack([noise, -noise], 1).reshape(2 * s.pairs, self.count)
        total, length = self.returns(rows)
        rank = np.argsort(np.argsort(total, kind="stable"), kind="stable") / (2 * s.pairs - 1) - 0.5
        self.center = self.center + s.rate * ((rank[0::2] - rank[1::2])[:, None] * noise).mean(0) / s.noise
        self.samples += int(length.sum())
        self.generation += 1
        return {"ended": list(zip(total.tolist(), length.tolist())), "divergence": 0.0, "deviation": s.noise, "explained": 0.0}

    def state(self) -> dict[str, Any]:
        parameters = [layer[0] for layer in self.layers(self.center[None])]
        return {"settings": self.settings.as_dict(), "learner": {"parameters": parameters}, "center": self.center, "normal": self.normal.state(),
                "draw": self.draw.state(), "samples": self.samples, "generation": self.generation, "middle": self.middle, "half": self.half}

    def restore(self, state: dict[str, Any]) -> None:
        self.center, self.samples, self.generation = state["center"], int(state["samples"]), int(state["generation"])
        self.normal.restore(state["normal"])
        self.draw.restore(state["draw"])
