"""PufferLib."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..task import Task
from .find import needs


def pufferlib(task: Task, count: int, buf: Any = None, seed: int = 0, **options: Any) -> Any:
    """A native `PufferEnv` of PufferLib (2.0 or later) with `count` worlds as its agents; options as of `VectorEnv`.

        env = adapters.pufferlib(make_task("Hopper-v5"), 1024)

    Observations are written to PufferLib's buffers as single precision numbers; worlds start again in the step in which they end.
    """
    library = needs("pufferlib", "pufferlib")
    from gymnasium.spaces import Box

    from ..vector import VectorEnv
    vector = VectorEnv(task, count, autoreset_mode="SameStep", **{"infos": False, **options})
    if not isinstance(vector.single_observation_space, Box):
        raise TypeError(f"{type(task).__name__} has named observations; PufferLib takes one array: flatten them")

    class CortenPuffer(library.PufferEnv):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.single_observation_space = Box(-np.inf, np.inf, vector.single_observation_space.shape, np.float32)
            self.single_action_space, self.num_agents, self.vector = vector.single_action_space, count, vector
            super().__init__(buf)

        def reset(self, seed: int | None = seed) -> Any:
            self.observations[:] = vector.reset(seed=seed)[0]
            self._total, self._length = np.zeros(count), np.zeros(count, np.int64)
            return self.observations, []

        def step(self, actions: Any) -> Any:
            observation, reward, terminated, truncated, _ = vector.step(np.asarray(actions).reshape(count, -1))
            self.observations[:], self.rewards[:], self.terminals[:], self.truncations[:] = observation, reward, terminated, truncated
            self._total += reward
            self._length += 1
            ended = np.flatnonzero(terminated | truncated)
            infos = []
            if len(ended):
                infos = [{"episode_return": float(self._total[ended].mean()), "episode_length": float(self._length[ended].mean())}]
                self._total[ended], self._length[ended] = 0, 0
            return self.observations, self.rewards, self.terminals, self.truncations, infos

        def render(self) -> Any:
            return vector.render()

        def close(self) -> None:
            vector.close()

    return CortenPuffer()
