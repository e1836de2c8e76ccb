"""Tasks of dm_control's suite, equal to dm_control's own code on this engine within rounding.

Models are read from the user's dm_control.  As there, positions and velocities of bodies and their sensors belong to the
state after a step, sensors of forces to the last state before it.
"""
from __future__ import annotations

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

    def after(self, w: Worlds) -> None:
        if self.senses_forces:
            w.memory["forces"] = w.sensordata.copy()
        w.batch.forward()

    def forces(self, w: Worlds, places: NDArray[np.intp]) -> Rows:
        now = w.sensordata[:, places]
        return now if "forces" not in w.memory else np.where(w.fresh[:, None], now, w.memory["forces"][:, places])

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


def from_text(root: ET.Element) -> MjModel:
    """A model whose includes are those of the suite."""
    common = os.path.join(folder(), "common")
    assets = {}
    for name in os.listdir(common):
        if name.endswith(".xml"):
            with open(os.path.join(common, name), "rb") as file:
                assets["./common/" + name] = file.read()
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
        m.opt.disableflags |= _ACTUATION
        mj_forward(m, d)
        m.opt.disableflags &= ~_ACTUATION
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

    def names(self, model: MjModel) -> None:
        self.target, self.mass = self.id(model, "geom", "target", "pointmass")
        self.size = float(model.geom_size[self.target, 0])

    def start(self, w: Worlds, i: int, random: np.random.RandomState) -> None:
        self.random_joints(w.model, random, w.qpos[i])

    def reward(self, w: Worlds) -> Rows:
        near = tolerance(length(w.geom_xpos[:, self.target] - w.geom_xpos[:, self.mass]), 0, self.size, margin=self.size)
        return near * small_control(w)


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


# domain and task as dm_control names them, and the options that make them
SUITE: dict[tuple[str, str], tuple[type[SuiteTask], dict[str, Any]]] = {
    ("acrobot", "swingup"): (Acrobot, {}), ("acrobot", "swingup_sparse"): (Acrobot, {"sparse": True}),
    ("ball_in_cup", "catch"): (BallInCup, {}),
    ("cartpole", "balance"): (Cartpole, {}), ("cartpole", "balance_sparse"): (Cartpole, {"sparse": True}),
    ("cartpole", "swingup"): (Cartpole, {"swing_up": True}), ("cartpole", "swingup_sparse"): (Cartpole, {"swing_up": True, "sparse": True}),
    ("cartpole", "two_poles"): (Cartpole, {"swing_up": True, "poles": 2}), ("cartpole", "three_poles"): (Cartpole, {"swing_up": True, "poles": 3}),
    ("cheetah", "run"): (Cheetah, {}),
    ("finger", "spin"): (Finger, {}), ("finger", "turn_easy"): (Finger, {"target_size": 0.07}), ("finger", "turn_hard"): (Finger, {"target_size": 0.03}),
    ("fish", "upright"): (Fish, {}), ("fish", "swim"): (Fish, {"swim": True}),
    ("hopper", "stand"): (Hopper, {}), ("hopper", "hop"): (Hopper, {"hop": True}),
    ("humanoid", "stand"): (Humanoid, {}), ("humanoid", "walk"): (Humanoid, {"move_speed": 1}), ("humanoid", "run"): (Humanoid, {"move_speed": 10}),
    ("humanoid", "run_pure_state"): (Humanoid, {"move_speed": 10, "pure_state": True}),
    ("humanoid_CMU", "stand"): (HumanoidCMU, {}), ("humanoid_CMU", "walk"): (HumanoidCMU, {"move_speed": 1}),
    ("humanoid_CMU", "run"): (HumanoidCMU, {"move_speed": 10}),
    ("lqr", "lqr_2_1"): (LQR, {}), ("lqr", "lqr_6_2"): (LQR, {"bodies": 6, "actuators": 2}),
    ("pendulum", "swingup"): (Pendulum, {}), ("point_mass", "easy"): (PointMass, {}),
    ("reacher", "easy"): (Reacher, {}), ("reacher", "hard"): (Reacher, {"target_size": 0.015}),
    ("swimmer", "swimmer6"): (Swimmer, {}), ("swimmer", "swimmer15"): (Swimmer, {"links": 15}),
    ("walker", "stand"): (Walker, {}), ("walker", "walk"): (Walker, {"move_speed": 1}), ("walker", "run"): (Walker, {"move_speed": 8}),
}


def _named(kind: type[SuiteTask], given: dict[str, Any], name: str) -> type[SuiteTask]:
    """The task with its options as defaults."""
    return type(f"{kind.__name__}_{name}", (kind,), {"options": given, "__module__": __name__})


TASKS: dict[str, type[Task]] = {f"dmc-{domain}-{task}-v0": _named(kind, given, task) for (domain, task), (kind, given) in SUITE.items()}
globals().update({kind.__name__: kind for kind in TASKS.values()})      # so that tasks can be pickled
