"""What our tasks have in common.

Rewards and starts are written with the four operations and square roots alone, so that their bits are the same on every
machine: `near` instead of exponentials, squares of sines of half angles instead of angles.
"""
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._core import MjModel, enumerations, mj_name2id
from ..task import Task, Worlds

Rows = NDArray[np.float64]
Ids = NDArray[np.intp]
_KINDS = {"body": "mjOBJ_BODY", "geom": "mjOBJ_GEOM", "joint": "mjOBJ_JOINT", "site": "mjOBJ_SITE", "key": "mjOBJ_KEY", "hfield": "mjOBJ_HFIELD"}


def asset(name: str) -> str:
    """Path of a model of models/tasks, which the package brings."""
    return str(Path(__file__).parents[1] / "models" / name)


def find(model: MjModel, kind: str, name: str) -> int:
    return mj_name2id(model, enumerations["mjtObj"][1][_KINDS[kind]], name)


def square(vectors: Rows) -> Rows:
    """Squared lengths of vectors."""
    return (vectors * vectors).sum(-1)


def near(squared: Any, width: float) -> Any:
    """1 at a distance of 0, 1/2 at a distance of `width`; from squared distances."""
    return 1 / (1 + squared / (width * width))


def cross(a: Rows, b: Rows) -> Rows:
    return np.stack([a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1], a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2],
                     a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]], -1)


def to_body(quat: Rows, vectors: Rows) -> Rows:
    """Vectors of the world in the frames that quaternions turn."""
    axis = -quat[..., 1:]
    twice = 2 * cross(axis, vectors)
    return vectors + quat[..., :1] * twice + cross(axis, twice)


def up(quat: Rows) -> Rows:
    """The upward direction in the frames that quaternions turn."""
    w, x, y, z = (quat[..., k] for k in range(4))
    return np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], -1)


def relative(a: Rows, b: Rows) -> Rows:
    """The rotation conj(a) * b, with a real part of at least 0."""
    w = (a * b).sum(-1, keepdims=True)
    axis = a[..., :1] * b[..., 1:] - b[..., :1] * a[..., 1:] - cross(a[..., 1:], b[..., 1:])
    return np.concatenate([w, axis], -1) * np.where(w < 0, -1.0, 1.0)


def directions(w: Worlds, ids: Ids, size: int) -> Rows:
    """Unit vectors of so many dimensions, uniform on their sphere."""
    vectors = w.streams.normal(ids, size)
    return vectors / np.maximum(np.sqrt(square(vectors)), 1e-12)[:, None]


class OwnTask(Task):
    """Actions are within [-1, 1]; `memory` has arrays that `reset` fills."""

    def action_bounds(self, model: MjModel) -> tuple[ArrayLike, ArrayLike]:
        return -np.ones(model.nu), np.ones(model.nu)

    def keep(self, w: Worlds, **widths: int) -> None:
        """Make room in `w.memory`: name and width of arrays (0: one number per world)."""
        for name, width in widths.items():
            if name not in w.memory:
                w.memory[name] = np.zeros((len(w), width) if width else len(w))

    def start_at(self, w: Worlds, ids: Ids, key: int = 0) -> None:
        """Put worlds into a keyframe of the model."""
        model = w.model
        w.qpos[ids], w.qvel[ids], w.ctrl[ids] = model.key_qpos[key], model.key_qvel[key], model.key_ctrl[key]
        if model.na:
            w.act[ids] = model.key_act[key]

    def clipped(self, actions: NDArray[Any]) -> Rows:
        return np.clip(np.asarray(actions, np.float64), -1.0, 1.0)
