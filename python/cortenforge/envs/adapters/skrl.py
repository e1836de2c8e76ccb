"""skrl."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..task import Task
from .find import needs


def skrl(task: Task, count: int, seed: int | None = None, **options: Any) -> Any:
    """An environment of skrl (torch) with `count` worlds; options as of `VectorEnv`.

        env = adapters.skrl(make_task("Hopper-v5"), 64)
        agent = PPO(models=..., observation_space=env.observation_space, action_space=env.action_space, ...)

    Worlds whose episodes end start again in the same step.
    """
    base, torch = needs("skrl.envs.wrappers.torch.base", "skrl").Wrapper, needs("torch", "torch")
    from ..vector import VectorEnv

    class SkrlEnv(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            super().__init__(VectorEnv(task, count, autoreset_mode="SameStep", **{"infos": False, **options}))
            self._first: Any = None

        @property
        def observation_space(self) -> Any:
            return self._env.single_observation_space

        @property
        def action_space(self) -> Any:
            return self._env.single_action_space

        def _tensor(self, array: Any) -> Any:
            if isinstance(array, dict):            # sorted by name, as spaces are
                array = np.concatenate([np.reshape(array[name], (count, -1)) for name in sorted(array)], 1)
            return torch.tensor(np.asarray(array, np.float32), device=self.device)

        def step(self, actions: Any) -> tuple[Any, Any, Any, Any, Any]:
            observation, reward, terminated, truncated, infos = self._env.step(actions.detach().cpu().numpy())
            flags = (torch.from_numpy(flag).to(self.device)[:, None] for flag in (terminated, truncated))
            self._first = self._tensor(observation)
            return self._first, self._tensor(reward)[:, None], *flags, infos

        def reset(self) -> tuple[Any, dict[str, Any]]:
            # worlds restart by themselves: later calls of a trainer must not begin new episodes
            if self._first is None:
                self._first = self._tensor(self._env.reset(seed=seed)[0])
            return self._first, {}

        def state(self) -> None:
            return None

        def render(self, *arguments: Any, **named: Any) -> Any:
            return self._env.render()

        def close(self) -> None:
            self._env.close()

    return SkrlEnv()
