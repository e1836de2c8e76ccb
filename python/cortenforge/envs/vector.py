"""Gymnasium's interfaces on a simulation: `VectorEnv` for many worlds, `Env` for one."""
from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from copy import deepcopy
from typing import Any, Iterable, Sequence

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .render import MODES, Painter
from .simulation import Simulation
from .task import Task


def _spaces(simulation: Simulation, example: Any) -> tuple[gym.Space[Any], gym.Space[Any]]:
    """Spaces of the observation and the action of one world."""
    bounds = simulation.task.observation_bounds(example)

    def box(pair: Any, array: NDArray[Any]) -> gym.Space[Any]:
        low, high = (np.broadcast_to(np.asarray(b, array.dtype), array.shape[1:]) for b in pair)
        return gym.spaces.Box(low, high, dtype=array.dtype.type)

    if isinstance(example, dict):
        space: gym.Space[Any] = gym.spaces.Dict({name: box(bounds[name], array) for name, array in example.items()})
    else:
        space = box(bounds, example)
    return space, gym.spaces.Box(simulation.action_low, simulation.action_high, dtype=simulation.task.action_dtype)


class VectorEnv(gym.vector.VectorEnv):  # type: ignore[type-arg]
    """Many worlds of a task as a vector environment.

    autoreset_mode: of `gymnasium.vector.AutoresetMode`, or its value as text
    threads, lanes: as in `cortenforge.Batch`; results do not depend on them
    copy: False to give the same observation array each time, overwritten by the next step
    infos: False to leave out what the task would put in `infos`
    render_worlds: worlds that `render` draws, None for all;  width, height, camera: of the pictures
    first_world: index of the first world among those of a larger whole; world i is seeded with seed + first_world + i
    """

    metadata = {"render_modes": list(MODES), "render_fps": 30, "autoreset_mode": AutoresetMode.NEXT_STEP}
    # what `close` looks at, also of an environment that could not be made
    _painter: Painter | None = None
    _pool: ThreadPoolExecutor | None = None
    _pending: Future[Any] | None = None

    def __init__(self, task: Task, num_envs: int = 1, *, autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
                 max_episode_steps: int | None = None, threads: int = 0, lanes: int = 0, copy: bool = True, infos: bool = True,
                 render_mode: str | None = None, render_worlds: Sequence[int] | None = None, width: int = 480, height: int = 480,
                 camera: str | int | None = None, first_world: int = 0) -> None:
        if not isinstance(task, Task):
            raise TypeError(f"task is {task!r}, expected an instance of cortenforge.envs.Task")
        if render_mode is not None and render_mode not in MODES:
            raise ValueError(f"render_mode is {render_mode!r}, allowed are {', '.join(map(repr, MODES))} and None")
        mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else AutoresetMode(autoreset_mode)
        self.closed = False
        self._arguments: dict[str, Any] = {"autoreset_mode": mode, "max_episode_steps": max_episode_steps, "threads": threads, "lanes": lanes, "copy": copy,
                           "infos": infos, "render_mode": render_mode, "render_worlds": render_worlds, "width": width, "height": height,
                           "camera": camera}
        self.task, self.num_envs, self.render_mode, self.first_world = task, num_envs, render_mode, first_world
        self.simulation = Simulation(task, num_envs, autoreset=mode.value, max_episode_steps=max_episode_steps, threads=threads, lanes=lanes,
                                     infos=infos, reuse=not copy, first=first_world)
        dt = self.simulation.worlds.dt
        self.metadata = {**type(self).metadata, "render_fps": max(1, int(np.round(1 / dt))), "autoreset_mode": mode}
        # worlds are in their reset state: an observation of one of them has the shape of all
        self.simulation.batch.forward()
        example = task.observe(self.simulation.worlds.select(np.zeros(1, np.intp)))
        self.single_observation_space, self.single_action_space = _spaces(self.simulation, example)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def dt(self) -> float:
        """Seconds that a step takes in the simulation."""
        return self.simulation.worlds.dt

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes; `options={"reset_mask": mask}` in some worlds only."""
        self._refuse_pending("reset")
        mask = None
        for name, value in (options or {}).items():
            if name != "reset_mask":
                raise ValueError(f"reset has no option {name!r}; allowed is 'reset_mask'")
            mask = np.asarray(value)
            if mask.dtype != np.bool_ or mask.shape != (self.num_envs,) or not mask.any():
                raise ValueError(f"reset_mask is an array of {mask.dtype} of shape {mask.shape} with {np.count_nonzero(mask)} worlds, "
                                 f"expected bool, ({self.num_envs},) and at least one world")
        result = self.simulation.reset(seed, mask)
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        return result

    def step(self, actions: ArrayLike) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        self._refuse_pending("step")
        return self.simulation.step(actions)

    def step_async(self, actions: ArrayLike) -> None:
        """Begin a step on another thread; `step_wait` gives its result."""
        self._refuse_pending("step_async")
        array = np.array(self.simulation.check_actions(actions))
        self._pool = self._pool or ThreadPoolExecutor(1, "cortenforge-envs")
        self._pending = self._pool.submit(self.simulation.step, array)

    def step_wait(self) -> Any:
        if self._pending is None:
            raise RuntimeError("step_wait: no step was begun by step_async")
        pending, self._pending = self._pending, None
        return pending.result()

    def _refuse_pending(self, what: str) -> None:
        if self._pending is not None:
            raise RuntimeError(f"{what}: a step is under way; call step_wait first")
        if self.closed:
            raise gym.error.ClosedEnvironmentError(f"{what}: the environment is closed")

    def split(self, parts: int) -> list[VectorEnv]:
        """The worlds as several environments, so that a policy can work on one while another steps (`step_async`).

        Each has its own worlds, not those of this environment; world by world they have its seeds and bits.
        """
        if not 1 <= parts <= self.num_envs:
            raise ValueError(f"split: {parts} parts of {self.num_envs} worlds, expected 1 to {self.num_envs}")
        edges = [self.num_envs * k // parts for k in range(parts + 1)]
        return [type(self)(deepcopy(self.task), high - low, first_world=self.first_world + low, **self._arguments)
                for low, high in zip(edges, edges[1:])]

    def render(self, worlds: Iterable[int] | None = None) -> tuple[NDArray[Any], ...] | None:
        """One picture for each of the given worlds, by default `render_worlds`."""
        if self.render_mode is None:
            raise ValueError("render: give render_mode='rgb_array' or 'depth_array' when the environment is made")
        if self._painter is None:
            a = self._arguments
            self._painter = Painter(self.simulation, self.render_mode, a["width"], a["height"], a["camera"])
        chosen = self._arguments["render_worlds"] if worlds is None else worlds
        ids: list[int] = list(range(self.num_envs) if chosen is None else chosen)
        for i in ids:
            if not 0 <= i < self.num_envs:
                raise IndexError(f"render: there is no world {i}, the environment has {self.num_envs}")
        return self._painter.draw(ids)

    def close_extras(self, **kwargs: Any) -> None:
        if self._pending is not None:
            self._pending.result()
            self._pending = None
        if self._pool is not None:
            self._pool.shutdown()
        if self._painter is not None:
            self._painter.close()

    # ---- exact restart

    def get_state(self) -> dict[str, Any]:
        """Everything that the next steps depend on; `set_state` of an environment made alike goes on with the same bits."""
        self._refuse_pending("get_state")
        return self.simulation.get_state()

    def set_state(self, state: dict[str, Any]) -> None:
        self._refuse_pending("set_state")
        self.simulation.set_state(state)

    def __getstate__(self) -> dict[str, Any]:
        return {"task": self.task, "num_envs": self.num_envs, "first_world": self.first_world, "arguments": self._arguments,
                "spec": self.spec, "state": self.get_state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(kept["task"], kept["num_envs"], first_world=kept["first_world"], **kept["arguments"])  # type: ignore[misc]
        self.spec = kept["spec"]
        self.set_state(kept["state"])


class Env(gym.Env):  # type: ignore[type-arg]
    """One world of a task as an environment."""

    metadata = {"render_modes": list(MODES), "render_fps": 30}

    def __init__(self, task: Task, render_mode: str | None = None, **arguments: Any) -> None:
        arguments["max_episode_steps"] = None          # Gymnasium's TimeLimit counts
        vector_task = deepcopy(task)
        vector_task.max_episode_steps = None           # unless the task finds its limit in the model
        self.vector = VectorEnv(vector_task, 1, autoreset_mode=AutoresetMode.DISABLED, render_mode=render_mode,
                                **{"threads": 1, "lanes": 1, **arguments})
        self.metadata = {**type(self).metadata, "render_fps": self.vector.metadata["render_fps"]}
        self.render_mode = render_mode
        self.observation_space, self.action_space = self.vector.single_observation_space, self.vector.single_action_space

    def _one(self, infos: dict[str, Any]) -> dict[str, Any]:
        return {name: self._one(value) if isinstance(value, dict) else value[0] for name, value in infos.items()
                if not name.startswith("_")}

    def _row(self, observation: Any) -> Any:
        return {k: v[0] for k, v in observation.items()} if isinstance(observation, dict) else observation[0]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        super().reset(seed=seed)
        observation, infos = self.vector.reset(seed=seed)
        return self._row(observation), self._one(infos)

    def step(self, action: ArrayLike) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        array = np.asarray(action)
        if array.shape != self.action_space.shape:
            raise ValueError(f"the action has shape {array.shape}, expected {self.action_space.shape}")
        self.vector.simulation.done[:] = False         # a world may be stepped after its end, as in Gymnasium
        observation, rewards, terminated, truncated, infos = self.vector.step(array[None])
        return self._row(observation), float(rewards[0]), bool(terminated[0]), bool(truncated[0]), self._one(infos)

    def render(self) -> Any:
        pictures = self.vector.render()
        return pictures[0] if pictures else None

    def close(self) -> None:
        self.vector.close()
