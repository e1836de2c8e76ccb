"""Proximal policy optimization (Schulman et al. 2017) with generalized advantages, over worlds that step together."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..envs import Simulation, make_task
from .policy import Normalizer, flat, scale_of
from .settings import Settings


def advantages(reward: NDArray[Any], value: NDArray[Any], after: NDArray[Any], done: NDArray[Any], discount: float, smooth: float) -> NDArray[Any]:
    """Sums of temporal differences that decay by discount * smooth; all are (steps, worlds), `after` is the value of what a step led to."""
    total, result = np.zeros(reward.shape[1]), np.zeros_like(reward)
    for t in range(len(reward) - 1, -1, -1):
        total = reward[t] + discount * after[t] - value[t] + discount * smooth * ~done[t] * total
        result[t] = total
    return result


class PPO:
    """`round()` takes settings.length steps of all worlds and improves the policy; `state()` and `restore()` go on with the same bits."""

    def __init__(self, settings: Settings, threads: int = 0) -> None:
        self.settings = settings
        self.simulation = s = Simulation(make_task(settings.task, **settings.options), settings.worlds, autoreset="SameStep",
                                         threads=threads, infos=False)
        self.observation = flat(s.reset(settings.seed)[0])
        self.middle, self.half = scale_of(s)
        if settings.library == "torch":
            from .torch_learner import Learner
        else:
            from .numpy_learner import Learner  # type: ignore[assignment]
        self.learner = Learner(self.observation.shape[1], len(self.middle), settings)
        self.normal, self.returns = Normalizer(self.observation.shape[1]), Normalizer(1)
        self.rng = np.random.default_rng([settings.seed, 2])
        self.samples, self.totals, self.lengths = 0, np.zeros(s.count), np.zeros(s.count, np.int64)
        self.running = np.zeros(s.count)           # discounted rewards of each world

    def collect(self) -> tuple[dict[str, NDArray[Any]], list[tuple[float, int]]]:
        """Rows (steps, worlds, ...) of what happened, and return and length of the episodes that ended."""
        rows: dict[str, list[Any]] = {name: [] for name in ("x", "action", "logp", "reward", "value", "after", "done")}
        ended: list[tuple[float, int]] = []
        spread = self.learner.spread.copy()
        deviation = np.exp(spread)
        for _ in range(self.settings.length):
            self.normal.learn(self.observation)
            x = self.normal(self.observation)
            value = self.learner.value(x)
            noise = self.rng.standard_normal((len(x), len(spread)), np.float32)
            action = self.learner.act(x) + deviation * noise
            observation, reward, terminated, truncated, infos = self.simulation.step(self.middle + self.half * np.clip(action, -1, 1))
            observation, done = flat(observation), terminated | truncated
            last = observation
            self.totals += reward
            self.lengths += 1
            if done.any():
                ids = np.flatnonzero(done)
                finals = [infos["final_obs"][i] for i in ids]
                last = observation.copy()
                last[ids] = flat({k: np.stack([f[k] for f in finals]) for k in finals[0]} if isinstance(finals[0], dict) else np.stack(finals))
                ended += list(zip(self.totals[ids].tolist(), self.lengths[ids].tolist()))
                self.totals[ids], self.lengths[ids] = 0, 0
            after = np.where(terminated, 0, self.learner.value(self.normal(last)))
            items = (x, action, -(noise**2 / 2 + spread).sum(1), self._scaled(reward, done), value, after, done)
            for name, item in zip(rows, items):
                rows[name].append(item)
            self.observation = observation
        self.samples += self.settings.length * self.simulation.count
        return {name: np.array(row) for name, row in rows.items()}, ended

    def _scaled(self, reward: NDArray[np.float64], done: NDArray[np.bool_]) -> NDArray[np.float64]:
        if not self.settings.scale_rewards:
            return reward
        self.running = self.running * self.settings.discount + reward
        self.returns.learn(self.running[:, None])
        self.running[done] = 0
        return np.clip(reward / np.sqrt(self.returns.variance[0] + 1e-8), -10, 10)

    def round(self) -> dict[str, Any]:
        s = self.settings
        rows, ended = self.collect()
        gain = advantages(rows["reward"], rows["value"], rows["after"], rows["done"], s.discount, s.smooth)
        target = gain + rows["value"]
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        n = gain.size
        batch = {"x": rows["x"].reshape(n, -1), "action": rows["action"].reshape(n, -1), "logp": rows["logp"].ravel(),
                 "gain": gain.ravel(), "target": target.ravel()}
        batch = {name: np.ascontiguousarray(row, np.float32) for name, row in batch.items()}
        rate = s.rate * max(0.0, 1 - (self.samples - n) / s.samples)
        divergences = []
        for _ in range(s.epochs):
            for part in np.array_split(self.rng.permutation(n), min(s.parts, n)):
                divergences.append(self.learner.improve({name: row[part] for name, row in batch.items()}, rate))
        explained = 1 - np.var(rows["value"] - target) / (np.var(target) + 1e-12)
        return {"ended": ended, "divergence": float(np.mean(divergences)), "deviation": float(np.exp(self.learner.spread).mean()),
                "explained": float(explained)}

    def state(self) -> dict[str, Any]:
        return {"settings": self.settings.as_dict(), "learner": self.learner.state(), "normal": self.normal.state(), "returns": self.returns.state(),
                "middle": self.middle, "half": self.half, "rng": self.rng.bit_generator.state, "samples": self.samples, "totals": self.totals,
                "lengths": self.lengths, "running": self.running, "observation": self.observation, "simulation": self.simulation.get_state()}

    def restore(self, state: dict[str, Any]) -> None:
        self.learner.restore(state["learner"])
        self.normal.restore(state["normal"])
        self.returns.restore(state["returns"])
        self.rng.bit_generator.state = state["rng"]
        self.samples, self.observation = int(state["samples"]), state["observation"]
        self.totals, self.lengths, self.running = state["totals"].copy(), state["lengths"].copy(), state["running"].copy()
        self.simulation.set_state(state["simulation"])
