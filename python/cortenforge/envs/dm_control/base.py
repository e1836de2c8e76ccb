"""What the tasks of dm_control's suite have in common."""
from __future__ import annotations

import importlib.util
import os
import xml.etree.ElementTree as ET
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from ..._core import MjData, MjModel, enumerations, mj_forward, mj_name2id, mj_resetData
from ..task import Task, Worlds

INF = float("inf")
Rows = NDArray[np.float64]
_KINDS = {"body": "mjOBJ_BODY", "geom": "mjOBJ_GEOM", "joint": "mjOBJ_JOINT", "site": "mjOBJ_SITE", "sensor": "mjOBJ_SENSOR"}
XX, XZ, ZX, ZY, ZZ = 0, 2, 6, 7, 8                # elements of a rotation matrix
_ACTUATION = int(enumerations["mjtDisableBit"][1]["mjDSBL_ACTUATION"])


def folder() -> str:
    """Folder of dm_control's suite."""
    found = importlib.util.find_spec("dm_control")
    if found is None or not found.submodule_search_locations:
        raise ImportError("the models of these tasks come with dm_control, which is not installed: pip install dm_control")
    return os.path.join(found.submodule_search_locations[0], "suite")


# ---- rewards

_SIGMOIDS: dict[str, Callable[[Any, float], Any]] = {
    "gaussian": lambda x, v: np.exp(-0.5 * (x * np.sqrt(-2 * np.log(v))) ** 2),
    "linear": lambda x, v: np.where(abs(x * (1 - v)) < 1, 1 - x * (1 - v), 0.0),
    "quadratic": lambda x, v: np.where(abs(x * np.sqrt(1 - v)) < 1, 1 - (x * np.sqrt(1 - v)) ** 2, 0.0),
    "reciprocal": lambda x, v: 1 / (abs(x) * (1 / v - 1) + 1),
    "long_tail": lambda x, v: 1 / ((x * np.sqrt(1 / v - 1)) ** 2 + 1),
}


def tolerance(x: Any, low: float = 0.0, high: float = 0.0, margin: float = 0.0, sigmoid: str = "gaussian", at_margin: float = 0.1) -> Any:
    """1 where x is in [low, high], falling to `at_margin` at a distance of `margin` from it."""
    inside = (low <= x) & (x <= high)
    if margin == 0:
        return np.where(inside, 1.0, 0.0)
    return np.where(inside, 1.0, _SIGMOIDS[sigmoid](np.where(x < low, low - x, x - high) / margin, at_margin))


def length(vectors: Rows) -> Rows:
    return np.sqrt((vectors * vectors).sum(-1))


def small_control(w: Worlds) -> Rows:
    return (4 + tolerance(w.ctrl, margin=1, at_margin=0, sigmoid="quadratic").mean(1)) / 5


# ---- what the tasks have in common

class SuiteTask(Task):
    """flat: observations as one array instead of a dict"""

    file = ""
    time_limit = 10.0
    control_timestep: float | None = None
    senses_forces = False           # some sensors read the last state before the step
    options: dict[str, Any] = {"flat": True}
    action_dtype = np.float64

    def make_model(self) -> MjModel:
        if self.xml is not None:
            return super().make_model()
        return self.prepare(MjModel.load(os.path.join(folder(), self.file)))  # type: ignore[attr-defined]

    def prepare(self, model: MjModel) -> MjModel:
        """Change the model, once."""
        return model

    def setup(self, model: MjModel) -> None:
        if self.control_timestep is not None and "frame_skip" not in self.given:
            self.frame_skip = round(self.control_timestep / model.opt.timestep)
        if np.isfinite(self.time_limit):
            self.max_episode_steps = int(np.ceil(self.time_limit / (model.opt.timestep * self.frame_skip)))
        self._model = model
        self._scratch: MjData | None = None
        self.names(model)

    def names(self, model: MjModel) -> None:
        """Look up ids."""

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_model", "_scratch")}

    def id(self, model: MjModel, kind: str, *names: str) -> Any:
        ids = [mj_name2id(model, enumerations["mjtObj"][1][_KINDS[kind]], name) for name in names]
        if min(ids) < 0:
            raise ValueError(f"{type(self).__name__}: the model has no {kind} {names[ids.index(min(ids))]!r}")
        return ids[0] if len(ids) == 1 else ids

    def sensor(self, model: MjModel, *names: str) -> NDArray[np.intp]:
        """Places of sensors in `sensordata`."""
        ids = [self.id(model, "sensor", name) for name in names]
        return np.concatenate([np.arange(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i]) for i in ids])

    @property
    def scratch(self) -> MjData:
        """A Data on which `reset` tries states."""
        if self._scratch is None:
            self._scratch = MjData(self._model)
        return self._scratch

    def touches(self, qpos: Rows) -> bool:
        """True if there are contacts at these positions."""
        d = self.scratch
        mj_resetData(self._model, d)
        d.qpos[:] = qpos
        mj_forward(self._model, d)
        return bool(d.ncon)

    def random_joints(self, model: MjModel, random: np.random.RandomState, qpos: Rows) -> None:
        """Limited joints uniform in their ranges, unlimited hinges and rotations anywhere; slides stay."""
        kinds = enumerations["mjtJoint"][1]
        for j in range(model.njnt):
            kind, at, (low, high) = int(model.jnt_type[j]), int(model.jnt_qposadr[j]), model.jnt_range[j]
            if model.jnt_limited[j]:
                if kind == kinds["mjJNT_BALL"]:
                    raise NotImplementedError(f"{type(self).__name__}: limited ball joints are not randomised")
                qpos[at] = random.uniform(low, high)
            elif kind == kinds["mjJNT_HINGE"]:
                qpos[at] = random.uniform(-np.pi, np.pi)
            elif kind == kinds["mjJNT_BALL"]:
                quat = random.randn(4)
                qpos[at:at + 4] = quat / np.linalg.norm(quat)
            elif kind == kinds["mjJNT_FREE"]:
                quat = random.rand(4)
                qpos[at + 3:at + 7] = quat / np.linalg.norm(quat)

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        """Begin an episode of one world."""
        raise NotImplementedError

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        for i in ids.tolist():
            self.start(w, i, w.streams.random_state(i))
        if self.senses_forces:
            w.memory.setdefault("forces", np.zeros(w.sensordata.shape))
            for i in ids.tolist():
                w.memory["forces"][i] = self.sensed(w, i)

    def sensed(self, w: Worlds, i: int) -> Rows:
        """Sensors at the start of an episode, when actuators are off."""
        m, d = self._model, self.scratch
        mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = w.qpos[i], w.qvel[i]
        if m.na:
            d.act[:] = w.act[i]
        forward_unactuated(m, d)
        return np.array(d.sensordata)

    def after(self, w: Worlds) -> None:
        if self.senses_forces:
            w.memory["forces"] = w.sensordata.copy()
        w.batch.forward()

    def forces(self, w: Worlds, places: NDArray[np.intp]) -> Rows:
        return w.memory["forces"][:, places] if "forces" in w.memory else w.sensordata[:, places]

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"position": w.qpos, "velocity": w.qvel}

    def observe(self, w: Worlds) -> Any:
        parts = self.parts(w)
        return w.join(*parts.values()) if self.flat else parts  # type: ignore[attr-defined]


def change(w: Worlds, name: str, i: int, row: int, values: Any) -> None:
    """Set a row of a parameter of one world."""
    array = w.batch.get(name, [i])
    array[0, row, :len(values)] = values
    w.batch.set(name, array, [i])


def forward_unactuated(m: MjModel, d: MjData) -> None:
    m.opt.disableflags |= _ACTUATION
    mj_forward(m, d)
    m.opt.disableflags &= ~_ACTUATION


def cut(root: ET.Element, tag: str, *names: str) -> None:
    """Take elements out of a model, by name, or all of a kind."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag == tag and (not names or child.get("name") in names):
                parent.remove(child)


def from_text(root: ET.Element, more: str = "") -> MjModel:
    """A model whose includes are those of the suite; `more`: folder of further files."""
    assets = {}
    for part, prefix in (("common", "./common/"), (more, "")):
        for name in os.listdir(os.path.join(folder(), part)) if part else ():
            path = os.path.join(folder(), part, name)
            if os.path.isfile(path) and (prefix == "" or name.endswith(".xml")):
                with open(path, "rb") as file:
                    assets[prefix + name] = file.read()
    return MjModel.from_xml_string(ET.tostring(root).decode(), assets)  # type: ignore[attr-defined]
