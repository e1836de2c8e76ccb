"""What a task is: a model, and functions of NumPy arrays that have one row per world."""
from __future__ import annotations

import os
from typing import Any, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import MjModel
from .streams import Streams

Observation = Any  # an array (worlds, size), or a dict of arrays


class Task:
    """A task over many worlds.  Subclasses write what follows; `w` is a `Worlds`, whose fields have one row per world.

        class Balance(Task):
            xml = "cartpole.xml"                # path, MJCF text or Model
            frame_skip = 2
            outputs = "xpos"                    # fields besides the state that the functions read
            options = {"tilt": 0.2}             # arguments of the task; become attributes

            def observe(self, w): return w.join(w.qpos, w.qvel)
            def reward(self, w): return np.cos(w.qpos[:, 1])
            def terminated(self, w): return np.abs(w.qpos[:, 1]) > self.tilt
            def reset(self, w, ids): w.qpos[ids, 1] = w.streams.uniform(ids, 1, -0.05, 0.05)[:, 0]
    """

    xml: Any = None
    frame_skip = 1
    outputs: str = ""
    max_episode_steps: int | None = None
    randomize: Sequence[Any] = ()
    changes: tuple[str, ...] = ()       # parameters of the model that `reset` sets world by world
    options: Mapping[str, Any] = {}
    action_dtype: Any = np.float32
    camera: Mapping[str, Any] = {}

    def __init__(self, **options: Any) -> None:
        allowed: dict[str, Any] = {"xml": self.xml, "frame_skip": self.frame_skip, "randomize": self.randomize}
        for kind in reversed(type(self).__mro__):
            allowed.update(vars(kind).get("options", {}))
        unknown = sorted(set(options) - set(allowed))
        if unknown:
            raise TypeError(f"{type(self).__name__} has no option {unknown[0]!r}; allowed are {', '.join(sorted(allowed))}")
        for name, value in options.items():
            self._check_option(name, value, allowed[name])
        for name, value in {**allowed, **options}.items():
            setattr(self, name, value)
        self.given = frozenset(options)
        try:
            is_count = int(self.frame_skip) == self.frame_skip >= 1
        except (TypeError, ValueError, OverflowError):
            is_count = False
        if not is_count:
            raise ValueError(f"frame_skip is {self.frame_skip!r}, expected an integer of at least 1")
        self.frame_skip = int(self.frame_skip)

    def _check_option(self, name: str, value: Any, default: Any) -> None:
        """An option that is numbers stays numbers, as many of them."""
        example = np.asarray(default) if isinstance(default, (float, tuple)) else np.empty(0)
        if example.dtype.kind != "f" or not example.size:
            return
        try:
            given = np.asarray(value, np.float64)
        except (TypeError, ValueError):
            raise TypeError(f"{type(self).__name__}: {name} is {value!r}, expected {'numbers' if np.ndim(default) else 'a number'} as {default!r}") from None
        if np.shape(given) != np.shape(default) or np.isnan(given).any():
            raise ValueError(f"{type(self).__name__}: {name} is {value!r}, expected {'numbers' if np.ndim(default) else 'a number'} as {default!r}")

    # ---- what subclasses may write

    def make_model(self) -> MjModel:
        """The model; by default from `xml`."""
        if isinstance(self.xml, MjModel):
            return self.xml
        if self.xml is None:
            raise ValueError(f"{type(self).__name__} has no model: set `xml` to a path, MJCF text or a Model")
        if not isinstance(self.xml, (str, os.PathLike)):
            raise TypeError(f"{type(self).__name__}: xml is {self.xml!r}, expected a path, MJCF text or a Model")
        text = os.fspath(self.xml)
        return MjModel.from_xml_string(text) if text.lstrip().startswith("<") else MjModel.load(text)  # type: ignore[attr-defined]

    def setup(self, model: MjModel) -> None:
        """Look up ids and constants, once."""

    def action_bounds(self, model: MjModel) -> tuple[ArrayLike, ArrayLike]:
        """Lowest and highest actions; by default the control ranges."""
        low, high = np.array(model.actuator_ctrlrange, np.float64).reshape(-1, 2).T
        unlimited = np.asarray(model.actuator_ctrllimited).ravel() == 0
        return np.where(unlimited & (low == high), -np.inf, low), np.where(unlimited & (low == high), np.inf, high)

    def observation_bounds(self, observation: Observation) -> Any:
        """Pairs of lowest and highest observations, one or a dict of them as `observe` gives; by default infinite."""
        if isinstance(observation, dict):
            return {name: (-np.inf, np.inf) for name in observation}
        return -np.inf, np.inf

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        """Change the state of the worlds `ids`, which are in the model's reset state."""

    def before(self, w: Worlds) -> None:
        """Note in `w.memory` what the reward needs from before a step."""

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        """Turn actions into controls; by default they are the same."""
        if w.model.nu:
            w.ctrl[:] = actions

    def after(self, w: Worlds) -> None:
        """Called after the physics of a step."""

    def observe(self, w: Worlds) -> Observation:
        raise NotImplementedError(f"{type(self).__name__} has no observe(w)")

    def reward(self, w: Worlds) -> Any:
        """Rewards of a step, or a pair of rewards and a dict of named terms for `infos`."""
        raise NotImplementedError(f"{type(self).__name__} has no reward(w)")

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return np.zeros(len(w), np.bool_)

    def info(self, w: Worlds) -> dict[str, NDArray[Any]]:
        """More for `infos` after a step; called before `reward`'s terms are added."""
        return {}

    def reset_info(self, w: Worlds) -> dict[str, NDArray[Any]]:
        """For `infos` after a reset; `w` has the worlds that were reset."""
        return {}


class Worlds:
    """Fields of many worlds as arrays with one row per world: `w.qpos`, `w.xpos` and whatever else the batch keeps.

    Of all worlds the arrays are live.  A selection (`w.select(ids)`) has copies of some rows and cannot be written.
    """

    def __init__(self, batch: Any, task: Task, streams: Streams, memory: dict[str, NDArray[Any]]) -> None:
        self.batch, self.task, self.streams, self.memory = batch, task, streams, memory
        self.model: MjModel = batch.model
        self.dt: float = self.model.opt.timestep * task.frame_skip
        self.action: Any = None                 # of the last step
        self.fresh = np.ones(len(batch), np.bool_)   # reset, and no step since then
        self.elapsed = np.zeros(len(batch), np.int64)   # steps of the episode
        self.buffer: Any = None                 # what `join` writes to, if it is wanted
        self.ids: NDArray[np.intp] | None = None
        self.varied: set[str] = set()           # parameters that differ between worlds

    def __len__(self) -> int:
        return len(self.batch) if self.ids is None else len(self.ids)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        array = getattr(self.batch, name)
        if self.ids is None:
            self.__dict__[name] = array         # the batch gives the same array each time
            return array
        rows = self.__dict__[name] = array[self.ids]
        return rows

    def parameter(self, name: str) -> NDArray[Any]:
        """A parameter of the model: one row for all worlds, or one row per world where it was randomised."""
        if name in self.varied:
            return self.batch.get(name, None if self.ids is None else self.ids)
        return np.asarray(getattr(self.model, name))[None]

    def join(self, *parts: NDArray[Any]) -> NDArray[np.float64]:
        """Put arrays (worlds, ...) side by side."""
        n = len(self)
        flat = [part.reshape(n, -1) for part in parts]
        if self.buffer is not None and self.ids is None and self.buffer.shape == (n, sum(part.shape[1] for part in flat)):
            # once: what it holds may be a part of another observation
            out, self.buffer = self.buffer, None
            return np.concatenate(flat, axis=1, out=out)
        return np.concatenate(flat, axis=1)

    def select(self, ids: NDArray[np.intp]) -> Worlds:
        """Copies of the rows of some worlds."""
        some = object.__new__(Worlds)
        some.batch, some.task, some.streams, some.model, some.dt = self.batch, self.task, self.streams, self.model, self.dt
        some.ids, some.buffer, some.varied = ids, None, self.varied
        some.action = None if self.action is None else self.action[ids]
        some.fresh, some.elapsed = self.fresh[ids], self.elapsed[ids]
        some.memory = {name: array[ids] for name, array in self.memory.items()}
        return some
