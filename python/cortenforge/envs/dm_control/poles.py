"""Poles, balls and points."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjModel
from ..task import Worlds
from .base import INF, XZ, ZZ, Rows, SuiteTask, change, folder, from_text, length, tolerance


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
        return {"orientations": np.hstack([arms[:, :, XZ], arms[:, :, ZZ]]), "velocity": w.qvel}

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
        poles = w.xmat[:, 2:][:, :, [ZZ, XZ]].reshape(len(w), -1)
        return {"position": np.hstack([w.qpos[:, :1], poles]), "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        x, height = w.qpos[:, 0], w.xmat[:, 2:, ZZ]
        if self.sparse:  # type: ignore[attr-defined]
            return tolerance(x, -0.25, 0.25) * tolerance(height, 0.995, 1).prod(1)
        centered = (1 + tolerance(x, margin=2)) / 2
        calm = (4 + tolerance(w.ctrl, margin=1, at_margin=0, sigmoid="quadratic")[:, 0]) / 5
        slow = (1 + tolerance(w.qvel[:, 1:], margin=5).min(1)) / 2
        return ((height + 1) / 2).mean(1) * calm * slow * centered


class LQR(SuiteTask):
    """The stiffness of each world's joints is drawn from its stream when that is seeded."""

    file, time_limit = "lqr.xml", INF
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
        return {"orientation": w.xmat[:, self.pole][:, [ZZ, XZ]], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        return tolerance(w.xmat[:, self.pole, ZZ], np.cos(np.deg2rad(8)), 1)


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
