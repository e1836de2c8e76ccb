"""What was learned: from observations to actions."""
from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Simulation, Task, make_task
from ..envs import store
from .settings import Settings

KIND = "checkpoint of cortenforge.train"


class Normalizer:
    """Running mean and variance of rows (Chan et al. 1983)."""

    def __init__(self, size: int) -> None:
        self.mean, self.variance, self.count = np.zeros(size), np.ones(size), 1e-4

    def learn(self, x: NDArray[np.float64]) -> None:
        n, mean = len(x), x.mean(0)
        total = self.count + n
        moved = mean - self.mean
        self.variance = (self.variance * self.count + x.var(0) * n + moved**2 * self.count * n / total) / total
        self.mean, self.count = self.mean + moved * n / total, total

    def __call__(self, x: NDArray[np.float64]) -> NDArray[np.float32]:
        return np.clip((x - self.mean) / np.sqrt(self.variance + 1e-8), -10, 10).astype(np.float32)

    def state(self) -> dict[str, Any]:
        return {"mean": self.mean, "variance": self.variance, "count": self.count}

    def restore(self, state: dict[str, Any]) -> None:
        self.mean, self.variance, self.count = state["mean"], state["variance"], state["count"]


def scale_of(simulation: Simulation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middle and half range of actions; 0 and 1 where they are not limited."""
    low, high = (np.asarray(bound, np.float64) for bound in (simulation.action_low, simulation.action_high))
    limited = np.isfinite(low) & np.isfinite(high)
    low, high = np.where(limited, low, -1.0), np.where(limited, high, 1.0)
    return (low + high) / 2, (high - low) / 2


def flat(observation: Any) -> NDArray[np.float64]:
    """Observations as one array; those that are dicts side by side."""
    if isinstance(observation, dict):
        return np.concatenate([np.asarray(part, np.float64).reshape(len(part), -1) for part in observation.values()], 1)
    return np.asarray(observation, np.float64).reshape(len(observation), -1)


class Policy:
    """A policy from a checkpoint, in NumPy: `policy(observations)` gives the actions that it thinks best.

        policy = Policy.load("runs/hopper/checkpoint.npz")
        simulation = Simulation(policy.make_task(), 16)
    """

    def __init__(self, settings: Settings, layers: list[NDArray[Any]], normal: Normalizer, middle: NDArray[Any], half: NDArray[Any]) -> None:
        self.settings, self.layers, self.normal, self.middle, self.half = settings, layers, normal, middle, half

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        return cls.of(store.load(path, KIND, ("settings", "learner", "normal", "middle", "half")))

    @classmethod
    def of(cls, state: dict[str, Any]) -> Policy:
        settings = Settings.from_dict(state["settings"])
        normal = Normalizer(1)
        normal.restore(state["normal"])
        return cls(settings, state["learner"]["parameters"][:2 * (len(settings.hidden) + 1)], normal, state["middle"], state["half"])

    def make_task(self) -> Task:
        return make_task(self.settings.task, **self.settings.options)

    def __call__(self, observation: Any) -> NDArray[np.float64]:
        x = self.normal(flat(observation))
        for k in range(0, len(self.layers) - 2, 2):
            x = np.tanh(x @ self.layers[k] + self.layers[k + 1])
        return self.middle + self.half * np.clip(x @ self.layers[-2] + self.layers[-1], -1, 1)
