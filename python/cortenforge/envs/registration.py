"""Names of tasks: `gymnasium.make_vec("cortenforge/Humanoid-v5", num_envs=4096)`."""
from __future__ import annotations

from functools import partial
from typing import Any

from .dm_control import TASKS as _DM_CONTROL
from .mujoco_v5 import TASKS as _MUJOCO
from .own import TASKS as _OWN
from .task import Task

NAMESPACE = "cortenforge"
TASKS: dict[str, type[Task]] = {**_MUJOCO, **_DM_CONTROL, **_OWN}
_OF_ENVIRONMENT = ("autoreset_mode", "max_episode_steps", "threads", "lanes", "copy", "infos", "render_mode", "render_worlds", "width",
                   "height", "camera", "first_world")


def make_task(name: str, **options: Any) -> Task:
    """A task by its name, "Humanoid-v5" or "cortenforge/Humanoid-v5"."""
    if not isinstance(name, str):
        raise TypeError(f"the name of a task is {name!r}, expected text")
    kind = TASKS.get(name.removeprefix(NAMESPACE + "/"))
    if kind is None:
        raise ValueError(f"there is no task {name!r}; there are {', '.join(sorted(TASKS))}")
    return kind(**options)


def _parts(options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    return ({k: v for k, v in options.items() if k in _OF_ENVIRONMENT}, {k: v for k, v in options.items() if k not in _OF_ENVIRONMENT})


def make(name: str, num_envs: int = 1, **options: Any) -> Any:
    """A vector environment; options of the task and of `VectorEnv`."""
    from .vector import VectorEnv
    environment, task = _parts(options)
    return VectorEnv(make_task(name, **task), num_envs, **environment)


def make_one(name: str, **options: Any) -> Any:
    """An environment of one world; options of the task and of `Env`."""
    from .vector import Env
    environment, task = _parts(options)
    return Env(make_task(name, **task), **environment)


def __getattr__(name: str) -> Any:
    """Entry points "one.NAME" and "many.NAME": as text, so that Gymnasium can write the specification of a task to JSON."""
    kind, _, task = name.partition(".")
    if kind not in ("one", "many") or task not in TASKS:
        raise AttributeError(f"module 'cortenforge.envs.registration' has no attribute '{name}'")
    return partial(make_one if kind == "one" else make, task)


def register() -> None:
    """Register the tasks with Gymnasium; done by importing `cortenforge.envs` where Gymnasium is installed."""
    import gymnasium
    for name, kind in TASKS.items():
        if f"{NAMESPACE}/{name}" not in gymnasium.registry:
            gymnasium.register(f"{NAMESPACE}/{name}", entry_point=f"{__name__}:one.{name}", vector_entry_point=f"{__name__}:many.{name}",
                               max_episode_steps=kind.max_episode_steps)
