"""dm_env."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..simulation import Simulation, each
from ..task import Task
from .find import needs


def dm_env(task: Task, seed: int | None = None, **options: Any) -> Any:
    """One world as an `Environment` of dm_env, with the observations of the task; options as of `Simulation`."""
    package, specs = needs("dm_env", "dm-env"), needs("dm_env.specs", "dm-env")
    simulation = Simulation(task, 1, **{"threads": 1, "lanes": 1, **options})

    class Environment(package.Environment):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.simulation, self._seed = simulation, seed
            self._example = self._first()

        def _first(self) -> Any:
            observation, _ = simulation.reset(self._seed)
            self._seed = None               # later episodes go on with the same stream
            self._is_waiting = True
            return each(observation, lambda a: a[0])

        def reset(self) -> Any:
            # the first episode is the one that `observation_spec` looked at
            observation = self._example if self._is_waiting and self._example is not None else self._first()
            self._example, self._is_waiting, self._is_over = None, False, False
            self._shape = each(observation, np.array)
            return package.restart(observation)

        def step(self, action: ArrayLike) -> Any:
            if self._is_waiting or self._is_over:
                return self.reset()
            observation, rewards, terminated, truncated, _ = simulation.step(np.asarray(action)[None])
            # the simulation would begin the next episode by itself
            self._is_over = bool(simulation.done[0])
            simulation.done[:] = False
            row = each(observation, lambda a: a[0])
            if terminated[0]:
                return package.termination(float(rewards[0]), row)
            return package.truncation(float(rewards[0]), row) if truncated[0] else package.transition(float(rewards[0]), row)

        def observation_spec(self) -> Any:
            example = self._example if self._example is not None else self._shape

            def spec(name: str, array: Any) -> Any:
                return specs.Array(np.shape(array), np.asarray(array).dtype, name=name)
            if isinstance(example, dict):
                return {name: spec(name, array) for name, array in example.items()}
            return spec("observation", example)

        def action_spec(self) -> Any:
            low, high = simulation.action_low, simulation.action_high
            return specs.BoundedArray(low.shape, low.dtype, low, high, name="action")

    return Environment()
