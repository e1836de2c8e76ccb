"""Tasks of dm_control's suite, equal to dm_control's own code on this engine within rounding.

Models are read from the user's dm_control.  As there, positions and velocities of bodies and their sensors belong to the
state after a step, sensors of forces to the last state before it.
"""
from __future__ import annotations

import copy
import importlib.util
import os
import xml.etree.ElementTree as ET
from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

from .._core import MjData, MjModel, enumerations, mj_forward, mj_id2name, mj_name2id, mj_resetData, mj_step, mj_step1, mj_step2
from .task import Task, Worlds

_INF = float("inf")
Rows = NDArray[np.float64]
_KINDS = {"body": "mjOBJ_BODY", "geom": "mjOBJ_GEOM", "joint": "mjOBJ_JOINT", "site": "mjOBJ_SITE", "sensor": "mjOBJ_SENSOR"}
_XX, _XZ, _ZX, _ZY, _ZZ = 0, 2, 6, 7, 8           # elements of a rotation matrix
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
        if self.control_timestep is not None:
            self.frame_skip = round(self.control_timestep / model.opt.timestep)
        if np.isfinite(self.time_limit):
            self.max_episode_steps = int(np.ceil(self.time_limit / (model.opt.timestep * self.frame_skip)))
        self._model, self._scratch = model, None
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


# ---- domains

class Acrobot(SuiteTask):
    file, outputs = "acrobot.xml", "xmat site_xpos"
    options = {"sparse": False}

    def names(self, model: MjModel) -> None:
        self.arms, (self.target, self.tip) = self.id(model, "body", "upper_arm", "lower_arm"), self.id(model, "site", "target", "tip")
        self.radius = float(model.site_size[self.target, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        w.qpos[i] = random.uniform(-np.pi, np.pi, 2)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        arms = w.xmat[:, self.arms]
        return {"orientations": np.hstack([arms[:, :, _XZ], arms[:, :, _ZZ]]), "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        distance = length(w.site_xpos[:, self.target] - w.site_xpos[:, self.tip])
        return tolerance(distance, 0, self.radius, margin=0 if self.sparse else 1)  # type: ignore[attr-defined]


class BallInCup(SuiteTask):
    file, outputs, time_limit, control_timestep = "ball_in_cup.xml", "xpos site_xpos", 20.0, 0.02

    def names(self, model: MjModel) -> None:
        self.target, self.ball = self.id(model, "site", "target"), self.id(model, "body", "ball")
        self.places = [int(model.jnt_qposadr[j]) for j in self.id(model, "joint", "ball_x", "ball_z")]
        self.room = model.site_size[self.target][[0, 2]] - model.geom_size[self.id(model, "geom", "ball"), 0]

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        qpos = np.array(w.qpos[i])
        while True:
            qpos[self.places] = random.uniform(-0.2, 0.2), random.uniform(0.2, 0.5)
            if not self.touches(qpos):
                break
        w.qpos[i] = qpos

    def reward(self, w: Worlds) -> Rows:
        away = abs(w.site_xpos[:, self.target][:, [0, 2]] - w.xpos[:, self.ball][:, [0, 2]])
        return (away < self.room).all(1).astype(np.float64)


class Cartpole(SuiteTask):
    file, outputs = "cartpole.xml", "xmat"
    options = {"poles": 1, "swing_up": False, "sparse": False}

    def make_model(self) -> MjModel:
        poles: int = self.poles  # type: ignore[attr-defined]
        if poles == 1:
            return super().make_model()
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        parent = root.find("./worldbody/body/body")
        for k in range(2, poles + 1):
            child = ET.SubElement(parent, "body", name=f"pole_{k}", pos="0 0 1", childclass="pole")  # type: ignore[arg-type]
            ET.SubElement(child, "joint", name=f"hinge_{k}")
            ET.SubElement(child, "geom", name=f"pole_{k}")
            parent = child
        root.find("./worldbody/geom").set("pos", f"0 0 {1 - poles - .05}")  # type: ignore[union-attr]
        for camera, place in zip(root.findall("./worldbody/camera"), (f"0 {-1 - 2 * poles} 1", f"0 {-2 * poles} 2")):
            camera.set("pos", place)
        return from_text(root)

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        nv = w.model.nv
        if self.swing_up:  # type: ignore[attr-defined]
            w.qpos[i, 0] = 0.01 * random.randn()
            w.qpos[i, 1] = np.pi + 0.01 * random.randn()
            w.qpos[i, 2:] = 0.1 * random.randn(nv - 2)
        else:
            w.qpos[i, 0] = random.uniform(-0.1, 0.1)
            w.qpos[i, 1:] = random.uniform(-0.034, 0.034, nv - 1)
        w.qvel[i] = 0.01 * random.randn(nv)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        poles = w.xmat[:, 2:][:, :, [_ZZ, _XZ]].reshape(len(w), -1)
        return {"position": np.hstack([w.qpos[:, :1], poles]), "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        x, height = w.qpos[:, 0], w.xmat[:, 2:, _ZZ]
        if self.sparse:  # type: ignore[attr-defined]
            return tolerance(x, -0.25, 0.25) * tolerance(height, 0.995, 1).prod(1)
        centered = (1 + tolerance(x, margin=2)) / 2
        calm = (4 + tolerance(w.ctrl, margin=1, at_margin=0, sigmoid="quadratic")[:, 0]) / 5
        slow = (1 + tolerance(w.qvel[:, 1:], margin=5).min(1)) / 2
        return ((height + 1) / 2).mean(1) * calm * slow * centered


class Cheetah(SuiteTask):
    file, outputs = "cheetah.xml", "sensordata"

    def names(self, model: MjModel) -> None:
        self.velocity = self.sensor(model, "torso_subtreelinvel")[0]

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        m, d = self._model, self.scratch
        limited = np.array(m.jnt_limited) == 1
        low, high = np.array(m.jnt_range)[limited].T
        mj_resetData(m, d)
        forward_unactuated(m, d)
        d.qpos[limited] = random.uniform(low, high)
        # the suite's steps begin with what was computed at the positions before
        mj_step2(m, d)
        for _ in range(199):
            mj_step(m, d)
        mj_step1(m, d)
        w.qpos[i], w.qvel[i], w.qacc_warmstart[i] = d.qpos, d.qvel, d.qacc_warmstart

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"position": w.qpos[:, 1:], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        return tolerance(w.sensordata[:, self.velocity], 10, _INF, margin=10, at_margin=0, sigmoid="linear")


class Finger(SuiteTask):
    file, outputs, time_limit, control_timestep, senses_forces = "finger.xml", "sensordata", 20.0, 0.02, True
    options = {"target_size": None}
    changes = ("site_pos",)

    def prepare(self, model: MjModel) -> MjModel:
        if self.target_size is None:  # type: ignore[attr-defined]
            model.dof_damping[int(model.jnt_dofadr[self.id(model, "joint", "hinge")])] = 0.03
        else:
            model.site_size[self.id(model, "site", "target"), 0] = self.target_size  # type: ignore[attr-defined]
        return model

    def names(self, model: MjModel) -> None:
        self.touch = self.sensor(model, "touchtop", "touchbottom")
        self.spin = self.sensor(model, "hinge_velocity")
        self.tip, self.spinner, self.goal = (self.sensor(model, name)[[0, 2]] for name in ("tip", "spinner", "target"))
        self.angles = self.sensor(model, "proximal", "distal")
        self.velocities = self.sensor(model, "proximal_velocity", "distal_velocity", "hinge_velocity")
        self.target, hinge = self.id(model, "site", "target"), self.id(model, "joint", "hinge")
        d = MjData(model)
        mj_forward(model, d)
        self.anchor, self.radius = np.array(d.xanchor[hinge]), float(np.sum(model.geom_size[self.id(model, "geom", "cap1")]))

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        if self.target_size is not None:  # type: ignore[attr-defined]
            angle = random.uniform(-np.pi, np.pi)
            place = np.array(w.model.site_pos[self.target])
            place[[0, 2]] = self.anchor[[0, 2]] + self.radius * np.array([np.sin(angle), np.cos(angle)])
            change(w, "site_pos", i, self.target, place)
        qpos = np.array(w.qpos[i])
        for _ in range(1000):
            self.random_joints(w.model, random, qpos)
            if not self.touches(qpos):
                break
        else:
            raise RuntimeError(f"{type(self).__name__}: no positions without contacts in 1000 attempts")
        w.qpos[i] = qpos

    def place(self, w: Worlds, what: NDArray[np.intp]) -> Rows:
        return w.sensordata[:, what] - w.sensordata[:, self.spinner]

    def distance(self, w: Worlds) -> Rows:
        return length(self.place(w, self.goal) - self.place(w, self.tip)) - self.target_size  # type: ignore[attr-defined]

    def parts(self, w: Worlds) -> dict[str, Rows]:
        parts = {"position": np.hstack([w.sensordata[:, self.angles], self.place(w, self.tip)]),
                 "velocity": w.sensordata[:, self.velocities], "touch": np.log1p(self.forces(w, self.touch))}
        if self.target_size is not None:  # type: ignore[attr-defined]
            parts |= {"target_position": self.place(w, self.goal), "dist_to_target": self.distance(w)}
        return parts

    def reward(self, w: Worlds) -> Rows:
        if self.target_size is None:  # type: ignore[attr-defined]
            return (w.sensordata[:, self.spin[0]] <= -15.0).astype(np.float64)
        return (self.distance(w) <= 0).astype(np.float64)


class Fish(SuiteTask):
    file, outputs, time_limit, control_timestep = "fish.xml", "xmat geom_xpos geom_xmat", 40.0, 0.04
    options = {"swim": False}
    changes = ("geom_pos",)
    joints = ("tail1", "tail_twist", "tail2", "finright_roll", "finright_pitch", "finleft_roll", "finleft_pitch")

    def names(self, model: MjModel) -> None:
        self.torso, (self.mouth, self.target) = self.id(model, "body", "torso"), self.id(model, "geom", "mouth", "target")
        self.places = [int(model.jnt_qposadr[j]) for j in self.id(model, "joint", *self.joints)]
        self.radii = float(model.geom_size[self.mouth, 0] + model.geom_size[self.target, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        quat = random.randn(4)
        w.qpos[i, 3:7] = quat / np.linalg.norm(quat)
        for place in self.places:
            w.qpos[i, place] = random.uniform(-0.2, 0.2)
        if self.swim:  # type: ignore[attr-defined]
            change(w, "geom_pos", i, self.target, [random.uniform(-0.4, 0.4), random.uniform(-0.4, 0.4), random.uniform(0.1, 0.3)])

    def to_target(self, w: Worlds) -> Rows:
        away = w.geom_xpos[:, self.target] - w.geom_xpos[:, self.mouth]
        return np.einsum("ni,nij->nj", away, w.geom_xmat[:, self.mouth].reshape(-1, 3, 3))

    def parts(self, w: Worlds) -> dict[str, Rows]:
        parts = {"joint_angles": w.qpos[:, self.places], "upright": w.xmat[:, self.torso, _ZZ]}
        if self.swim:  # type: ignore[attr-defined]
            parts["target"] = self.to_target(w)
        return {**parts, "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        upright = w.xmat[:, self.torso, _ZZ]
        if not self.swim:  # type: ignore[attr-defined]
            return tolerance(upright, 1, 1, margin=1)
        return (7 * tolerance(length(self.to_target(w)), 0, self.radii, margin=2 * self.radii) + 0.5 * (upright + 1)) / 8


class Hopper(SuiteTask):
    file, outputs, time_limit, control_timestep, senses_forces = "hopper.xml", "sensordata xipos", 20.0, 0.02, True
    options = {"hop": False}

    def names(self, model: MjModel) -> None:
        self.torso, self.foot = self.id(model, "body", "torso", "foot")
        self.velocity, self.touch = self.sensor(model, "torso_subtreelinvel")[0], self.sensor(model, "touch_toe", "touch_heel")

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"position": w.qpos[:, 1:], "velocity": w.qvel, "touch": np.log1p(self.forces(w, self.touch))}

    def reward(self, w: Worlds) -> Rows:
        standing = tolerance(w.xipos[:, self.torso, 2] - w.xipos[:, self.foot, 2], 0.6, 2)
        if self.hop:  # type: ignore[attr-defined]
            return standing * tolerance(w.sensordata[:, self.velocity], 2, _INF, margin=1, at_margin=0.5, sigmoid="linear")
        return standing * small_control(w)


class Humanoid(SuiteTask):
    file, outputs, time_limit, control_timestep = "humanoid.xml", "sensordata xpos xmat", 25.0, 0.025
    options = {"move_speed": 0, "pure_state": False}
    torso_name, up, sides = "torso", _ZZ, ("left_", "right_")

    def names(self, model: MjModel) -> None:
        self.torso, self.head = self.id(model, "body", self.torso_name, "head")
        self.limbs = self.id(model, "body", *(side + limb for side in self.sides for limb in ("hand", "foot")))
        self.com_velocity = self.sensor(model, self.torso_name + "_subtreelinvel")

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        qpos = np.array(w.qpos[i])
        while True:
            self.random_joints(w.model, random, qpos)
            if not self.touches(qpos):
                break
        w.qpos[i] = qpos

    def parts(self, w: Worlds) -> dict[str, Rows]:
        if self.pure_state:  # type: ignore[attr-defined]
            return super().parts(w)
        frame = w.xmat[:, self.torso].reshape(-1, 3, 3)
        limbs = np.einsum("nki,nij->nkj", w.xpos[:, self.limbs] - w.xpos[:, self.torso, None], frame)
        return {"joint_angles": w.qpos[:, 7:], "head_height": w.xpos[:, self.head, 2], "extremities": limbs.reshape(len(w), -1),
                "torso_vertical": w.xmat[:, self.torso, _ZX:], "com_velocity": w.sensordata[:, self.com_velocity], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        speed: float = self.move_speed  # type: ignore[attr-defined]
        standing = tolerance(w.xpos[:, self.head, 2], 1.4, _INF, margin=1.4 / 4)
        upright = tolerance(w.xmat[:, self.torso, self.up], 0.9, _INF, sigmoid="linear", margin=1.9, at_margin=0)
        horizontal = w.sensordata[:, self.com_velocity[:2]]
        if speed == 0:
            return small_control(w) * (standing * upright) * tolerance(horizontal, margin=2).mean(1)
        move = tolerance(length(horizontal), speed, _INF, margin=speed, at_margin=0, sigmoid="linear")
        return small_control(w) * (standing * upright) * (5 * move + 1) / 6


class HumanoidCMU(Humanoid):
    file, time_limit, control_timestep = "humanoid_CMU.xml", 20.0, 0.02
    torso_name, up, sides = "thorax", _ZY, ("l", "r")


class LQR(SuiteTask):
    """The stiffness of each world's joints is drawn from its stream when that is seeded."""

    file, time_limit = "lqr.xml", _INF
    options = {"bodies": 2, "actuators": 1, "control_cost": 0.1}
    changes = ("jnt_stiffness",)

    def make_model(self) -> MjModel:
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        parent, actuator, tendon = root.find("./worldbody"), ET.SubElement(root, "actuator"), ET.SubElement(root, "tendon")
        bodies: int = self.bodies  # type: ignore[attr-defined]
        for k in range(bodies):
            child = ET.SubElement(parent, "body", name=f"body_{k}", pos=".25 0 0" if k else ".25 0 .1")  # type: ignore[arg-type]
            ET.SubElement(child, "joint", name=f"joint_{k}", stiffness="20", damping="0")
            ET.SubElement(child, "geom", name=f"geom_{k}")
            ET.SubElement(child, "site", name=f"site_{k}")
            if k < self.actuators:  # type: ignore[attr-defined]
                ET.SubElement(actuator, "motor", name=f"motor_{k}", joint=f"joint_{k}")
            if k < bodies - 1:
                spatial = ET.SubElement(tendon, "spatial", name=f"tendon_{k}")
                for end in (k, k + 1):
                    ET.SubElement(spatial, "site", site=f"site_{end}")
            parent = child
        return from_text(root)

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        if w.streams.is_new(i):
            stiffness = [(random.uniform(15, 25), random.uniform(0, 0))[0] for _ in range(w.model.njnt)]
            w.batch.set("jnt_stiffness", np.array([stiffness]), [i])
        unit = random.randn(w.model.nq)
        w.qpos[i] = np.sqrt(2) * unit / np.linalg.norm(unit)

    def reward(self, w: Worlds) -> Rows:
        return 1 - (0.5 * (w.qpos**2).sum(1) + 0.5 * (w.ctrl**2).sum(1) * self.control_cost)  # type: ignore[attr-defined]

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return np.sqrt((w.qpos**2).sum(1) + (w.qvel**2).sum(1)) < 1e-6


class Pendulum(SuiteTask):
    file, outputs, time_limit = "pendulum.xml", "xmat", 20.0

    def names(self, model: MjModel) -> None:
        self.pole = self.id(model, "body", "pole")

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        w.qpos[i] = random.uniform(-np.pi, np.pi)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"orientation": w.xmat[:, self.pole][:, [_ZZ, _XZ]], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        return tolerance(w.xmat[:, self.pole, _ZZ], np.cos(np.deg2rad(8)), 1)


class PointMass(SuiteTask):
    file, outputs, time_limit = "point_mass.xml", "geom_xpos", 20.0
    options = {"hard": False}

    def prepare(self, model: MjModel) -> MjModel:
        if self.hard:  # type: ignore[attr-defined]
            model.actuator_ctrllimited[:] = 0       # `act` keeps the limits, and turns what is left
        return model

    def names(self, model: MjModel) -> None:
        self.target, self.mass = self.id(model, "geom", "target", "pointmass")
        self.size = float(model.geom_size[self.target, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])
        if self.hard:  # type: ignore[attr-defined]
            first = random.randn(2)
            first /= np.linalg.norm(first)
            second = first
            while abs(np.dot(first, second)) > 0.9:
                second = random.randn(2)
                second /= np.linalg.norm(second)
            w.memory.setdefault("directions", np.zeros((len(w), 2, 2)))[i] = first, second

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        """In the hard task each actuator pulls in a direction of its own; those of the model pull along x and y."""
        w.memory["actions"] = np.array(actions)
        if self.hard:  # type: ignore[attr-defined]
            actions = np.einsum("na,nad->nd", np.clip(actions, -1, 1), w.memory["directions"])
        w.ctrl[:] = actions

    def reward(self, w: Worlds) -> Rows:
        near = tolerance(length(w.geom_xpos[:, self.target] - w.geom_xpos[:, self.mass]), 0, self.size, margin=self.size)
        effort = tolerance(w.memory["actions"], margin=1, at_margin=0, sigmoid="quadratic").mean(1)
        return near * (4 + effort) / 5


class Reacher(SuiteTask):
    file, outputs, time_limit = "reacher.xml", "geom_xpos", 20.0
    options = {"target_size": 0.05}
    changes = ("geom_pos",)

    def prepare(self, model: MjModel) -> MjModel:
        model.geom_size[self.id(model, "geom", "target"), 0] = self.target_size  # type: ignore[attr-defined]
        return model

    def names(self, model: MjModel) -> None:
        self.target, self.finger = self.id(model, "geom", "target", "finger")
        self.radii = float(model.geom_size[self.target, 0] + model.geom_size[self.finger, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])
        angle, radius = random.uniform(0, 2 * np.pi), random.uniform(0.05, 0.20)
        change(w, "geom_pos", i, self.target, [radius * np.sin(angle), radius * np.cos(angle)])

    def to_target(self, w: Worlds) -> Rows:
        return w.geom_xpos[:, self.target, :2] - w.geom_xpos[:, self.finger, :2]

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"position": w.qpos, "to_target": self.to_target(w), "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        return tolerance(length(self.to_target(w)), 0, self.radii)


class Swimmer(SuiteTask):
    file, outputs, time_limit, control_timestep = "swimmer.xml", "sensordata geom_xpos xmat", 30.0, 0.03
    options = {"links": 6}
    changes = ("geom_pos",)

    def make_model(self) -> MjModel:
        links: int = self.links  # type: ignore[attr-defined]
        if links < 3:
            raise ValueError(f"Swimmer: links is {links}, expected at least 3")
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        parent, actuator, sensor = root.find("./worldbody/body"), ET.SubElement(root, "actuator"), ET.SubElement(root, "sensor")
        for k in range(links - 1):
            child = ET.SubElement(parent, "body", name=f"segment_{k}", pos="0 .1 0")  # type: ignore[arg-type]
            for kind in ("visual", "inertial"):
                ET.SubElement(child, "geom", {"class": kind, "name": f"{kind}_{k}"})
            ET.SubElement(child, "site", name=f"site_{k}")
            ET.SubElement(child, "joint", name=f"joint_{k}", range=f"{-360.0 / links} {360.0 / links}")
            ET.SubElement(actuator, "motor", name=f"motor_{k}", joint=f"joint_{k}")
            for kind in ("velocimeter", "gyro"):
                ET.SubElement(sensor, kind, name=f"{kind}_{k}", site=f"site_{k}")
            parent = child
        for camera in root.findall("./worldbody/body/camera"):
            if camera.get("mode") == "trackcom":
                camera.set("pos", " ".join(str(float(x) * links / 6.0) for x in camera.get("pos", "").split()))
        return from_text(root)

    def names(self, model: MjModel) -> None:
        (self.target, self.nose), self.head = self.id(model, "geom", "target", "nose"), self.id(model, "body", "head")
        self.size = float(model.geom_size[self.target, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])
        box = 0.3 if random.rand() < 0.2 else 2
        change(w, "geom_pos", i, self.target, random.uniform(-box, box, size=2))

    def to_target(self, w: Worlds) -> Rows:
        away = w.geom_xpos[:, self.target] - w.geom_xpos[:, self.nose]
        return np.einsum("ni,nij->nj", away, w.xmat[:, self.head].reshape(-1, 3, 3))[:, :2]

    def parts(self, w: Worlds) -> dict[str, Rows]:
        velocities = w.sensordata[:, 12:].reshape(len(w), -1, 6)[:, :, [0, 1, 5]]
        return {"joints": w.qpos[:, 3:], "to_target": self.to_target(w), "body_velocities": velocities.reshape(len(w), -1)}

    def reward(self, w: Worlds) -> Rows:
        return tolerance(length(self.to_target(w)), 0, self.size, margin=5 * self.size, sigmoid="long_tail")


class Walker(SuiteTask):
    file, outputs, time_limit, control_timestep = "walker.xml", "sensordata xpos xmat", 25.0, 0.025
    options = {"move_speed": 0}

    def names(self, model: MjModel) -> None:
        self.torso, self.velocity = self.id(model, "body", "torso"), self.sensor(model, "torso_subtreelinvel")[0]

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])

    def parts(self, w: Worlds) -> dict[str, Rows]:
        return {"orientations": w.xmat[:, 1:][:, :, [_XX, _XZ]].reshape(len(w), -1), "height": w.xpos[:, self.torso, 2], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        speed: float = self.move_speed  # type: ignore[attr-defined]
        standing = tolerance(w.xpos[:, self.torso, 2], 1.2, _INF, margin=0.6)
        stand = (3 * standing + (1 + w.xmat[:, self.torso, _ZZ]) / 2) / 4
        if speed == 0:
            return stand
        move = tolerance(w.sensordata[:, self.velocity], speed, _INF, margin=speed / 2, at_margin=0.5, sigmoid="linear")
        return stand * (5 * move + 1) / 6


class Quadruped(SuiteTask):
    file, time_limit, control_timestep, senses_forces = "quadruped.xml", 20.0, 0.02, True
    outputs = "sensordata xmat xpos site_xpos"
    options = {"speed": 0.5, "fetch": False}
    toes = ("toe_front_left", "toe_back_left", "toe_back_right", "toe_front_right")

    def make_model(self) -> MjModel:
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        if not self.fetch:  # type: ignore[attr-defined]
            size = self.time_limit * self.speed  # type: ignore[attr-defined]
            root.find(".//geom[@name='floor']").set("size", f"{size} {size} .5")  # type: ignore[union-attr]
            cut(root, "geom", "wall_px", "wall_py", "wall_nx", "wall_ny")
            cut(root, "body", "ball")
            cut(root, "site", "target")
        cut(root, "geom", "terrain")
        cut(root, "rangefinder")
        return from_text(root)

    def names(self, model: MjModel) -> None:
        kinds, types = enumerations["mjtSensor"][1], np.array(model.sensor_type).ravel()
        self.torso, self.velocity = self.id(model, "body", "torso"), self.sensor(model, "velocimeter")

        def places(*wanted: str) -> NDArray[np.intp]:
            ids = np.flatnonzero(np.isin(types, [kinds[name] for name in wanted]))
            return np.concatenate([np.arange(model.sensor_adr[i], model.sensor_adr[i] + model.sensor_dim[i]) for i in ids])
        self.imu, self.accelerometer = places("mjSENS_GYRO", "mjSENS_ACCELEROMETER"), places("mjSENS_ACCELEROMETER")
        self.force_torque = places("mjSENS_FORCE", "mjSENS_TORQUE")
        hinges = np.array(model.jnt_type) == enumerations["mjtJoint"][1]["mjJNT_HINGE"]
        self.angles, self.speeds = np.array(model.jnt_qposadr)[hinges], np.array(model.jnt_dofadr)[hinges]
        self.root = int(model.jnt_qposadr[self.id(model, "joint", "root")])
        if self.fetch:  # type: ignore[attr-defined]
            joint = self.id(model, "joint", "ball_root")
            self.ball, self.ball_q, self.ball_v = self.id(model, "body", "ball"), int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            self.target, self.workspace = self.id(model, "site", "target", "workspace")
            self.floor_size = float(model.geom_size[self.id(model, "geom", "floor"), 0])
            self.reach = float(model.site_size[self.workspace, 0] + model.geom_size[self.id(model, "geom", "ball"), 0])
            self.target_size = float(model.site_size[self.target, 0])

    def place(self, w: Worlds, i: int, orientation: Rows, x: float = 0.0, y: float = 0.0) -> None:
        """Put the root as low as it has no contacts."""
        qpos, at, z = np.array(w.qpos[i]), self.root, 0.0
        for _ in range(10000):
            qpos[at:at + 7] = [x, y, z, *orientation]
            if not self.touches(qpos):
                break
            z += 0.01
        else:
            raise RuntimeError("Quadruped: no height without contacts")
        # as it stands there, normalized
        w.qpos[i] = self.scratch.qpos

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        if not self.fetch:  # type: ignore[attr-defined]
            orientation = random.randn(4)
            self.place(w, i, orientation / np.linalg.norm(orientation))
            return
        azimuth = random.uniform(0, 2 * np.pi)
        radius = 0.9 * self.floor_size
        x, y = random.uniform(-radius, radius, size=(2,))
        self.place(w, i, np.array([np.cos(azimuth / 2), 0, 0, np.sin(azimuth / 2)]), x, y)
        w.qpos[i, self.ball_q:self.ball_q + 2] = random.uniform(-radius, radius, size=(2,))
        w.qpos[i, self.ball_q + 2] = 2
        w.qvel[i, self.ball_v:self.ball_v + 2] = 5 * random.randn(2)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        imu = w.sensordata.copy()
        imu[:, self.accelerometer] = self.forces(w, self.accelerometer)
        parts = {"egocentric_state": np.hstack([w.qpos[:, self.angles], w.qvel[:, self.speeds], w.act]),
                 "torso_velocity": w.sensordata[:, self.velocity], "torso_upright": w.xmat[:, self.torso, _ZZ], "imu": imu[:, self.imu],
                 "force_torque": np.arcsinh(self.forces(w, self.force_torque))}
        if self.fetch:  # type: ignore[attr-defined]
            frame, here, v = w.xmat[:, self.torso].reshape(-1, 3, 3), w.xpos[:, self.torso], self.ball_v
            state = np.stack([w.xpos[:, self.ball] - here, w.qvel[:, v:v + 3] - w.qvel[:, :3], w.qvel[:, v + 3:v + 6]], 1)
            parts["ball_state"] = np.einsum("nki,nij->nkj", state, frame).reshape(len(w), -1)
            parts["target_position"] = np.einsum("ni,nij->nj", w.site_xpos[:, self.target] - here, frame)
        return parts

    def reward(self, w: Worlds) -> Rows:
        upright = tolerance(w.xmat[:, self.torso, _ZZ], 1.0, _INF, sigmoid="linear", margin=2.0, at_margin=0)
        if not self.fetch:  # type: ignore[attr-defined]
            speed: float = self.speed  # type: ignore[attr-defined]
            return upright * tolerance(w.sensordata[:, self.velocity[0]], speed, _INF, margin=speed, at_margin=0.5, sigmoid="linear")
        arena, ball = self.floor_size * np.sqrt(2), w.xpos[:, self.ball, :2]
        reach = tolerance(length(w.site_xpos[:, self.workspace, :2] - ball), 0, self.reach, sigmoid="linear", margin=arena, at_margin=0)
        fetch = tolerance(length(w.site_xpos[:, self.target, :2] - ball), 0, self.target_size, sigmoid="linear", margin=arena, at_margin=0)
        return upright * (reach * (0.5 + 0.5 * fetch))


class Arm(SuiteTask):
    """What the tasks with a planar arm have in common."""

    control_timestep, senses_forces = 0.01, True
    outputs = "sensordata xpos xquat site_xpos"
    arm = ("arm_root", "arm_shoulder", "arm_elbow", "arm_wrist", "finger", "fingertip", "thumb", "thumbtip")
    options = {"fully_observable": True}
    changes = ("body_pos", "body_quat")

    def names(self, model: MjModel) -> None:
        joints = self.id(model, "joint", *self.arm)
        limited = np.array(model.jnt_limited)[joints].astype(bool)
        self.low, self.high = (np.where(limited, np.array(model.jnt_range)[joints, k], side) for k, side in ((0, -np.pi), (1, np.pi)))
        self.arm_q, self.arm_v = np.array(model.jnt_qposadr)[joints], np.array(model.jnt_dofadr)[joints]
        self.hand = self.id(model, "body", "hand")
        self._trial: MjModel | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name != "_trial"}

    @property
    def trial(self) -> MjModel:
        """A copy of the model, with targets where `start` tries them."""
        if self._trial is None:
            self._trial = copy.deepcopy(self._model)
        return self._trial

    def move_arm(self, d: MjData, random: np.random.RandomState) -> None:
        d.qpos[self.arm_q] = random.uniform(self.low, self.high)
        d.qpos[self.arm_q[self.arm.index("finger")]] = d.qpos[self.arm_q[self.arm.index("thumb")]]

    def put(self, w: Worlds, i: int, d: MjData) -> None:
        """Give a world the state and the targets that were tried."""
        w.qpos[i], w.qvel[i] = d.qpos, d.qvel
        for name in self.changes:
            w.batch.set(name, np.array(getattr(self.trial, name))[None], [i])

    def pose(self, w: Worlds, body: Any) -> Rows:
        return np.concatenate([w.xpos[:, body][..., [0, 2]], w.xquat[:, body][..., [0, 2]]], -1)

    def arm_parts(self, w: Worlds, touch: NDArray[np.intp]) -> dict[str, Rows]:
        angles = w.qpos[:, self.arm_q]
        return {"arm_pos": np.stack([np.sin(angles), np.cos(angles)], -1), "arm_vel": w.qvel[:, self.arm_v],
                "touch": np.log1p(self.forces(w, touch))}


class Manipulator(Arm):
    file = "manipulator.xml"
    options = {"peg": False, "insert": False}

    def make_model(self) -> MjModel:
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        kept = ["peg", "target_peg", "slot"] if self.peg else ["ball", "target_ball", "cup"]  # type: ignore[attr-defined]
        kept = kept if self.insert else kept[:2]  # type: ignore[attr-defined]
        cut(root, "body", *({"ball", "target_ball", "cup", "peg", "target_peg", "slot"} - set(kept)))
        return from_text(root)

    def names(self, model: MjModel) -> None:
        super().names(model)
        thing = "peg" if self.peg else "ball"  # type: ignore[attr-defined]
        self.touch = self.sensor(model, "palm_touch", "finger_touch", "thumb_touch", "fingertip_touch", "thumbtip_touch")
        self.object, self.target = self.id(model, "body", thing, "target_" + thing)
        self.receptacle = self.id(model, "body", "slot" if self.peg else "cup") if self.insert else -1  # type: ignore[attr-defined]
        joints = self.id(model, "joint", *(f"{thing}_{axis}" for axis in "xzy"))
        self.object_q, self.object_v = np.array(model.jnt_qposadr)[joints], np.array(model.jnt_dofadr)[joints]
        self.grasp = self.id(model, "site", "grasp")
        pairs = (("peg_grasp", "grasp"), ("peg_pinch", "pinch"), ("peg", "target_peg"), ("target_peg_tip", "peg_tip"))
        self.pairs = [self.id(model, "site", *pair) for pair in (pairs if self.peg else (("ball", "target_ball"),))]  # type: ignore[attr-defined]

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        m, d, uniform = self.trial, self.scratch, random.uniform
        # what an episode does not move stays as the one before left it
        for name in self.changes:
            getattr(m, name)[:] = w.batch.get(name, [i])[0]
        mj_resetData(m, d)
        while True:
            self.move_arm(d, random)
            x, z = uniform(-0.4, 0.4), uniform(0.1, 0.4)
            angle = uniform(-np.pi / 3, np.pi / 3) if self.insert else uniform(-np.pi, np.pi)  # type: ignore[attr-defined]
            for body in (self.receptacle, self.target)[0 if self.insert else 1:]:  # type: ignore[attr-defined]
                m.body_pos[body, [0, 2]] = x, z
                m.body_quat[body, [0, 2]] = np.cos(angle / 2), np.sin(angle / 2)
            kind = random.choice(["in_hand", "in_target", "uniform"], p=[0.1, 0.1, 1 - 0.1 - 0.1])
            if kind == "in_target":
                place = x, z, angle
            elif kind == "in_hand":
                forward_unactuated(m, d)
                grasp, frame = d.site_xpos[self.grasp], d.site_xmat[self.grasp]
                place = grasp[0], grasp[2], np.pi - np.arctan2(frame[_ZX], frame[_XX])
            else:
                place = uniform(-0.5, 0.5), uniform(0, 0.7), uniform(0, 2 * np.pi)
                d.qvel[self.object_v[0]] = uniform(-5, 5)
            d.qpos[self.object_q] = place
            forward_unactuated(m, d)
            if not d.ncon:
                break
        self.put(w, i, d)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        parts = self.arm_parts(w, self.touch)
        if self.fully_observable:  # type: ignore[attr-defined]
            parts |= {"hand_pos": self.pose(w, self.hand), "object_pos": self.pose(w, self.object), "object_vel": w.qvel[:, self.object_v],
                      "target_pos": self.pose(w, self.target)}
        return parts

    def reward(self, w: Worlds) -> Rows:
        near = [tolerance(length(w.site_xpos[:, a] - w.site_xpos[:, b]), 0, 0.01, margin=0.02) for a, b in self.pairs]
        return np.maximum((near[2] + near[3]) / 2, (near[0] + near[1]) / 2 / 3) if self.peg else near[0]  # type: ignore[attr-defined]


class Stacker(Arm):
    file = "stacker.xml"
    options = {"boxes": 2}
    changes = ("body_pos",)

    def make_model(self) -> MjModel:
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        cut(root, "body", *(f"box{k}" for k in range(self.boxes, 4)), "")  # type: ignore[attr-defined]
        return from_text(root)

    def names(self, model: MjModel) -> None:
        super().names(model)
        boxes = [f"box{k}" for k in range(self.boxes)]  # type: ignore[attr-defined]
        self.box, self.target = self.id(model, "body", *boxes), self.id(model, "body", "target")
        joints = np.array([self.id(model, "joint", *(f"{name}_{axis}" for axis in "xyz")) for name in boxes])
        self.box_q, self.box_v = np.array(model.jnt_qposadr)[joints], np.array(model.jnt_dofadr)[joints].ravel()
        self.box_site, (self.goal, self.grasp) = self.id(model, "site", *boxes), self.id(model, "site", "target", "grasp")
        self.size = float(model.geom_size[self.id(model, "geom", "target"), 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        m, d = self.trial, self.scratch
        mj_resetData(m, d)
        while True:
            self.move_arm(d, random)
            m.body_pos[self.target, 2] = self.size * (2 * random.randint(self.boxes) + 1)  # type: ignore[attr-defined]
            m.body_pos[self.target, 0] = random.uniform(-0.37, 0.37)
            for x, y, z in self.box_q:
                d.qpos[x], d.qpos[z], d.qpos[y] = random.uniform(0.1, 0.3), random.uniform(0, 0.7), random.uniform(0, 2 * np.pi)
            forward_unactuated(m, d)
            if not d.ncon:
                break
        self.put(w, i, d)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        parts = self.arm_parts(w, np.arange(w.sensordata.shape[1]))
        if self.fully_observable:  # type: ignore[attr-defined]
            parts |= {"hand_pos": self.pose(w, self.hand), "box_pos": self.pose(w, self.box), "box_vel": w.qvel[:, self.box_v],
                      "target_pos": w.xpos[:, self.target][:, [0, 2]]}
        return parts

    def reward(self, w: Worlds) -> Rows:
        boxes = length(w.site_xpos[:, self.box_site] - w.site_xpos[:, self.goal, None]).min(1)
        hand = length(w.site_xpos[:, self.grasp] - w.site_xpos[:, self.goal])
        return tolerance(boxes, margin=2 * self.size) * tolerance(hand, 0.1, _INF, margin=0.01)


class Dog(SuiteTask):
    file, time_limit, control_timestep, senses_forces = "dog.xml", 15.0, 0.015, True
    outputs = "sensordata xpos xmat site_xpos site_xmat geom_xpos cvel subtree_com"
    options = {"move_speed": 0, "fetch": False}

    def make_model(self) -> MjModel:
        root = ET.parse(os.path.join(folder(), self.file)).getroot()
        size = 10 if self.fetch else (self.move_speed or 1) * 15  # type: ignore[attr-defined]
        root.find(".//geom[@name='floor']").set("size", f"{size} {size} .1")  # type: ignore[union-attr]
        if not self.fetch:  # type: ignore[attr-defined]
            cut(root, "body", "ball")
            cut(root, "geom", "target", *(f"wall_{side}" for side in ("px", "nx", "py", "ny")))
            cut(root, "camera", "ball", "head")
        return from_text(root, "dog_assets")

    def names(self, model: MjModel) -> None:
        self.parts_of_body = self.id(model, "body", "skull", "torso", "pelvis")
        self.velocity, self.accelerometer = self.sensor(model, "torso_linvel"), self.sensor(model, "accelerometer")
        self.motion = self.sensor(model, "velocimeter", "gyro")
        self.touch, self.feet = self.sensor(model, "palm_L", "palm_R", "sole_L", "sole_R"), self.sensor(model, "foot_L", "foot_R", "hand_L", "hand_R")
        hinges = np.array(model.jnt_type) == enumerations["mjtJoint"][1]["mjJNT_HINGE"]
        self.angles, self.speeds = np.array(model.jnt_qposadr)[hinges], np.array(model.jnt_dofadr)[hinges]
        self.root, torso = int(model.jnt_qposadr[self.id(model, "joint", "root")]), self.parts_of_body[1]
        d = MjData(model)
        mj_forward(model, d)
        self.stand_height = 0.9 * np.array(d.xpos)[self.parts_of_body[1:], 2]
        self.weight = -float(model.opt.gravity[2] * model.body_subtreemass[torso])
        if self.fetch:  # type: ignore[attr-defined]
            self.ball, self.target = self.id(model, "geom", "ball", "target")
            self.head, *self.bite = self.id(model, "site", "head", "upper_bite", "lower_bite")
            joint = self.id(model, "joint", "ball_root")
            self.ball_q, self.ball_v = int(model.jnt_qposadr[joint]), int(model.jnt_dofadr[joint])
            self.floor_size = float(model.geom_size[self.id(model, "geom", "floor"), 0])
            self.sizes = float(model.site_size[self.bite[0], 0]), float(model.geom_size[self.target, 0])
            self.head_body, self.ball_body = int(model.site_bodyid[self.head]), int(model.geom_bodyid[self.ball])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        azimuth = random.uniform(0, 2 * np.pi)
        w.qpos[i, self.root + 3:self.root + 7] = np.cos(azimuth / 2), 0, 0, np.sin(azimuth / 2)
        for k in (0, 1, 5):
            w.qvel[i, k] = 2 * random.randn()
        w.act[i] = [random.uniform(*bounds) for bounds in np.array(w.model.actuator_ctrlrange)]
        if self.fetch:  # type: ignore[attr-defined]
            radius, azimuth = 0.75 * self.floor_size, random.uniform(0, 2 * np.pi)
            w.qpos[i, self.ball_q:self.ball_q + 3] = radius * np.sin(azimuth), radius * np.cos(azimuth), 0.05
            up = np.sqrt(2 * -w.model.opt.gravity[2] * random.uniform(0, 3))
            speed = random.uniform(0, 5)
            aside = speed * np.array([-np.sin(azimuth) + 0.05 * random.randn(), -np.cos(azimuth) + 0.05 * random.randn()])
            w.qvel[i, self.ball_v:self.ball_v + 3] = [*aside, up]

    def com_velocity(self, w: Worlds) -> Rows:
        frame = w.xmat[:, self.parts_of_body[1]].reshape(-1, 3, 3)
        return np.einsum("ni,nij->nj", w.sensordata[:, self.velocity], frame)

    def point_velocity(self, w: Worlds, body: int, place: Rows) -> Rows:
        """Velocity of a point of a body, from that at the center of mass of its tree."""
        center = w.subtree_com[:, int(w.model.body_rootid[body])]
        return w.cvel[:, body, 3:] + np.cross(w.cvel[:, body, :3], place - center)

    def parts(self, w: Worlds) -> dict[str, Rows]:
        parts = {"joint_angles": w.qpos[:, self.angles], "joint_velocites": w.qvel[:, self.speeds],
                 "torso_pelvis_height": w.xpos[:, self.parts_of_body[1:], 2],
                 "z_projection": w.xmat[:, self.parts_of_body][:, :, _ZX:].reshape(len(w), -1), "torso_com_velocity": self.com_velocity(w),
                 "inertial_sensors": np.hstack([self.forces(w, self.accelerometer), w.sensordata[:, self.motion]]),
                 "foot_forces": self.forces(w, self.feet), "touch_sensors": self.forces(w, self.touch), "actuator_state": w.act}
        if self.fetch:  # type: ignore[attr-defined]
            head, ball, frame = w.site_xpos[:, self.head], w.geom_xpos[:, self.ball], w.site_xmat[:, self.head].reshape(-1, 3, 3)
            speed = self.point_velocity(w, self.ball_body, ball) - self.point_velocity(w, self.head_body, head)
            parts["ball_state"] = np.hstack([np.einsum("ni,nij->nj", x, frame) for x in (ball - head, speed)])
            parts["target_position"] = np.einsum("ni,nij->nj", w.geom_xpos[:, self.target] - head, frame)
        return parts

    def reward(self, w: Worlds) -> Rows:
        reward = np.ones(len(w))
        for k, height in enumerate(self.stand_height):
            reward = reward * tolerance(w.xpos[:, self.parts_of_body[1 + k], 2], height, _INF, margin=height)
        upright = np.cos(np.deg2rad(30))
        reward = reward * tolerance(w.xmat[:, self.parts_of_body, _ZZ], upright, _INF, sigmoid="linear", margin=upright + 1, at_margin=0).prod(1)
        reward = reward * tolerance(self.forces(w, self.touch).sum(1), self.weight, _INF, margin=self.weight, sigmoid="linear", at_margin=0.9)
        speed: float = self.move_speed  # type: ignore[attr-defined]
        if speed:
            forward = tolerance(self.com_velocity(w)[:, 0], speed, 2 * speed, margin=max(1.0, speed), at_margin=0, sigmoid="linear")
            reward = reward * (4 * forward + 1) / 5
        if self.fetch:  # type: ignore[attr-defined]
            ball, (bite, goal) = w.geom_xpos[:, self.ball], self.sizes
            mouth = 0.5 * sum(length(ball - w.site_xpos[:, site]) for site in self.bite)
            reach = (6 * tolerance(mouth, 0, bite, sigmoid="reciprocal", margin=2) + 1) / 7
            away = length(ball - w.geom_xpos[:, self.target])
            near = (tolerance(away, 0, goal, sigmoid="reciprocal", margin=self.floor_size) + 1) / 2
            reward = reward * np.where(away < 2 * goal, 1, reach) * near
        return reward


# domain and task as dm_control names them, and the options that make them
SUITE: dict[tuple[str, str], tuple[type[SuiteTask], dict[str, Any]]] = {
    ("acrobot", "swingup"): (Acrobot, {}), ("acrobot", "swingup_sparse"): (Acrobot, {"sparse": True}),
    ("ball_in_cup", "catch"): (BallInCup, {}),
    ("cartpole", "balance"): (Cartpole, {}), ("cartpole", "balance_sparse"): (Cartpole, {"sparse": True}),
    ("cartpole", "swingup"): (Cartpole, {"swing_up": True}), ("cartpole", "swingup_sparse"): (Cartpole, {"swing_up": True, "sparse": True}),
    ("cartpole", "two_poles"): (Cartpole, {"swing_up": True, "poles": 2}), ("cartpole", "three_poles"): (Cartpole, {"swing_up": True, "poles": 3}),
    ("cheetah", "run"): (Cheetah, {}),
    ("dog", "stand"): (Dog, {}), ("dog", "walk"): (Dog, {"move_speed": 1}), ("dog", "trot"): (Dog, {"move_speed": 3}),
    ("dog", "run"): (Dog, {"move_speed": 9}), ("dog", "fetch"): (Dog, {"fetch": True}),
    ("finger", "spin"): (Finger, {}), ("finger", "turn_easy"): (Finger, {"target_size": 0.07}), ("finger", "turn_hard"): (Finger, {"target_size": 0.03}),
    ("fish", "upright"): (Fish, {}), ("fish", "swim"): (Fish, {"swim": True}),
    ("hopper", "stand"): (Hopper, {}), ("hopper", "hop"): (Hopper, {"hop": True}),
    ("humanoid", "stand"): (Humanoid, {}), ("humanoid", "walk"): (Humanoid, {"move_speed": 1}), ("humanoid", "run"): (Humanoid, {"move_speed": 10}),
    ("humanoid", "run_pure_state"): (Humanoid, {"move_speed": 10, "pure_state": True}),
    ("humanoid_CMU", "stand"): (HumanoidCMU, {}), ("humanoid_CMU", "walk"): (HumanoidCMU, {"move_speed": 1}),
    ("humanoid_CMU", "run"): (HumanoidCMU, {"move_speed": 10}),
    ("lqr", "lqr_2_1"): (LQR, {}), ("lqr", "lqr_6_2"): (LQR, {"bodies": 6, "actuators": 2}),
    ("manipulator", "bring_ball"): (Manipulator, {}), ("manipulator", "bring_peg"): (Manipulator, {"peg": True}),
    ("manipulator", "insert_ball"): (Manipulator, {"insert": True}), ("manipulator", "insert_peg"): (Manipulator, {"peg": True, "insert": True}),
    ("pendulum", "swingup"): (Pendulum, {}), ("point_mass", "easy"): (PointMass, {}), ("point_mass", "hard"): (PointMass, {"hard": True}),
    ("quadruped", "walk"): (Quadruped, {}), ("quadruped", "run"): (Quadruped, {"speed": 5}), ("quadruped", "fetch"): (Quadruped, {"fetch": True}),
    ("reacher", "easy"): (Reacher, {}), ("reacher", "hard"): (Reacher, {"target_size": 0.015}),
    ("stacker", "stack_2"): (Stacker, {}), ("stacker", "stack_4"): (Stacker, {"boxes": 4}),
    ("swimmer", "swimmer6"): (Swimmer, {}), ("swimmer", "swimmer15"): (Swimmer, {"links": 15}),
    ("walker", "stand"): (Walker, {}), ("walker", "walk"): (Walker, {"move_speed": 1}), ("walker", "run"): (Walker, {"move_speed": 8}),
}


def _named(kind: type[SuiteTask], given: dict[str, Any], name: str) -> type[SuiteTask]:
    """The task with its options as defaults."""
    return type(f"{kind.__name__}_{name}", (kind,), {"options": given, "__module__": __name__})


TASKS: dict[str, type[Task]] = {f"dmc-{domain}-{task}-v0": _named(kind, given, task) for (domain, task), (kind, given) in SUITE.items()}
globals().update({kind.__name__: kind for kind in TASKS.values()})      # so that tasks can be pickled
