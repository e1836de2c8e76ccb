"""Environments for libraries that do not take Gymnasium's vector interface; each library is imported when it is asked for."""
from __future__ import annotations

import importlib
from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .simulation import Simulation, each
from .task import Task


def _import(name: str, package: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"this adapter needs {package}: pip install {package}") from None


def stable_baselines3(task: Task, count: int, **options: Any) -> Any:
    """A `VecEnv` of Stable-Baselines3 with `count` worlds of a task; options as of `VectorEnv`.

        model = PPO("MlpPolicy", adapters.stable_baselines3(make_task("Hopper-v5"), 64))
    """
    base: Any = _import("stable_baselines3.common.vec_env", "stable-baselines3").VecEnv
    from .vector import VectorEnv

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


def dm_env(task: Task, seed: int | None = None, **options: Any) -> Any:
    """One world as an `Environment` of dm_env, with the observations of the task; options as of `Simulation`."""
    package, specs = _import("dm_env", "dm-env"), _import("dm_env.specs", "dm-env")
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
