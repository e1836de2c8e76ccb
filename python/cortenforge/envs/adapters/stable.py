"""Stable-Baselines3."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from ..task import Task
from .find import needs


def stable_baselines3(task: Task, count: int, **options: Any) -> Any:
    """A `VecEnv` of Stable-Baselines3 with `count` worlds of a task; options as of `VectorEnv`.

        model = PPO("MlpPolicy", adapters.stable_baselines3(make_task("Hopper-v5"), 64))
    """
    base: Any = needs("stable_baselines3.common.vec_env", "stable-baselines3").VecEnv
    from ..vector import VectorEnv

    class StableVecEnv(base):  # type: ignore[misc, valid-type]
        def __init__(self) -> None:
            self.envs = VectorEnv(task, count, autoreset_mode="SameStep", **{"infos": False, **options})
            self.render_mode = self.envs.render_mode
            self._actions: Any = None
            super().__init__(count, self.envs.single_observation_space, self.envs.single_action_space)

        def reset(self) -> Any:
            seed = self._seeds[0] if self._seeds and self._seeds[0] is not None else None
            observation, _ = self.envs.reset(seed=seed)
            self._reset_seeds()
            self.reset_infos: list[dict[str, Any]] = [{} for _ in range(count)]
            return observation

        def step_async(self, actions: NDArray[Any]) -> None:
            self._actions = actions

        def step_wait(self) -> Any:
            observation, rewards, terminated, truncated, infos = self.envs.step(self._actions)
            done = terminated | truncated
            rows: list[dict[str, Any]] = [{} for _ in range(count)]
            last = infos.get("final_info", {})
            for i in np.flatnonzero(done):
                rows[i] = {"terminal_observation": infos["final_obs"][i], "TimeLimit.truncated": bool(truncated[i] and not terminated[i])}
                if "unstable" in last and last["_unstable"][i]:
                    rows[i]["unstable"] = last["unstable"][i]
            return observation, rewards.astype(np.float32), done, rows

        def close(self) -> None:
            self.envs.close()

        def get_images(self) -> Sequence[Any]:
            return list(self.envs.render() or ())

        def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
            return [getattr(self.envs, attr_name)] * len(self._rows(indices))

        def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
            if len(self._rows(indices)) != count:
                raise NotImplementedError("set_attr: worlds share the attributes of their task; set them for all")
            setattr(self.envs.task, attr_name, value)

        def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
            return [getattr(self.envs, method_name)(*arguments, **named)] * len(self._rows(indices))

        def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
            return [False] * len(self._rows(indices))

        def _rows(self, indices: Any) -> Sequence[int]:
            return range(count) if indices is None else [indices] if isinstance(indices, int) else list(indices)

    return StableVecEnv()
