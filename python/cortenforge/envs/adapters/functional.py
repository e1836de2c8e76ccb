"""A functional form as Brax has it: reset(seed) -> state, step(state, action) -> state."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..simulation import Simulation
from ..task import Task


@dataclass(frozen=True)
class State:
    """All of some worlds: `pipeline_state` is what `step` goes on from; obs, reward and done have one row per world."""

    pipeline_state: dict[str, Any] = field(repr=False)
    obs: Any
    reward: NDArray[np.float64]
    done: NDArray[np.bool_]
    metrics: dict[str, Any] = field(default_factory=dict)
    info: dict[str, Any] = field(default_factory=dict)


class Functional:
    """States are values: a state may be stepped twice, kept, or branched from, with the same bits.

    The state that was stepped last costs nothing to go on from; another one is put back first.
    """

    def __init__(self, task: Task, count: int, **options: Any) -> None:
        self.simulation = Simulation(task, count, **{**options, "autoreset": "Disabled"})
        self._last: State | None = None

    @property
    def observation_size(self) -> Any:
        observation = self.reset(0).obs
        return {name: part.shape[1] for name, part in observation.items()} if isinstance(observation, dict) else observation.shape[1]

    @property
    def action_size(self) -> int:
        return int(self.simulation.action_low.size)

    def _state(self, observation: Any, reward: Any, done: Any, metrics: dict[str, Any], info: dict[str, Any]) -> State:
        self._last = State(self.simulation.get_state(), observation, reward, done, metrics, info)
        return self._last

    def reset(self, seed: int) -> State:
        observation, info = self.simulation.reset(seed)
        n = self.simulation.count
        return self._state(observation, np.zeros(n), np.zeros(n, np.bool_), {}, info)

    def step(self, state: State, action: ArrayLike) -> State:
        """States after a step; worlds whose `done` is set start new episodes instead, as with Brax's AutoResetWrapper."""
        s = self.simulation
        # an error would leave the simulation between two states
        last, self._last = self._last, None
        if state is not last:
            s.set_state(state.pipeline_state)
        if state.done.any():
            s.reset(mask=state.done)
        observation, reward, terminated, truncated, infos = s.step(action)
        metrics = {name: value for name, value in infos.items() if not name.startswith("_")}
        return self._state(observation, reward, terminated | truncated, metrics, {"truncation": truncated, "termination": terminated})


def functional(task: Task, count: int, **options: Any) -> Functional:
    """Brax's form of `count` worlds in NumPy; options as of `Simulation`.

        env = adapters.functional(make_task("Ant-v5"), 64)
        state = env.reset(0)
        state = env.step(state, actions)
    """
    return Functional(task, count, **options)
