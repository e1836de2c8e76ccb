"""Tasks for learning: many worlds stepped together, with Gymnasium's vector interface.

    import gymnasium as gym, cortenforge.envs
    envs = gym.make_vec("cortenforge/Humanoid-v5", num_envs=4096)

`Task`, `Simulation` and `vary` need NumPy alone; `VectorEnv`, `Env`, `make` and the names need Gymnasium (1.2 or later).
"""
from __future__ import annotations

import importlib.util
from typing import Any

from . import vary
from .registration import make, make_task, register
from .simulation import Simulation
from .streams import Streams
from .task import Task, Worlds

__all__ = ["Env", "Simulation", "Streams", "Task", "VectorEnv", "Worlds", "make", "make_task", "register", "vary"]


def __getattr__(name: str) -> Any:
    if name not in ("VectorEnv", "Env"):
        raise AttributeError(f"module 'cortenforge.envs' has no attribute '{name}'")
    if importlib.util.find_spec("gymnasium") is None:
        raise ImportError(f"cortenforge.envs.{name} needs Gymnasium: pip install 'gymnasium>=1.2'")
    from . import vector
    return getattr(vector, name)


if importlib.util.find_spec("gymnasium") is not None:
    register()
