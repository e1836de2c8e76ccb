"""Fingers, fish, hoppers, humanoids, swimmers and walkers."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ET
import numpy as np
from numpy.typing import NDArray

from ..._core import MjData, MjModel, mj_forward, mj_resetData, mj_step, mj_step1, mj_step2
from ..task import Worlds
from .base import INF, XX, XZ, ZX, ZY, ZZ, Rows, SuiteTask, change, folder, forward_unactuated, from_text, length, small_control, tolerance


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
        return tolerance(w.sensordata[:, self.velocity], 10, INF, margin=10, at_margin=0, sigmoid="linear")


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
        parts = {"joint_angles": w.qpos[:, self.places], "upright": w.xmat[:, self.torso, ZZ]}
        if self.swim:  # type: ignore[attr-defined]
            parts["target"] = self.to_target(w)
        return {**parts, "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        upright = w.xmat[:, self.torso, ZZ]
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
            return standing * tolerance(w.sensordata[:, self.velocity], 2, INF, margin=1, at_margin=0.5, sigmoid="linear")
        return standing * small_control(w)


class Humanoid(SuiteTask):
    file, outputs, time_limit, control_timestep = "humanoid.xml", "sensordata xpos xmat", 25.0, 0.025
    options = {"move_speed": 0, "pure_state": False}
    torso_name, up, sides = "torso", ZZ, ("left_", "right_")

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
                "torso_vertical": w.xmat[:, self.torso, ZX:], "com_velocity": w.sensordata[:, self.com_velocity], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        speed: float = self.move_speed  # type: ignore[attr-defined]
        standing = tolerance(w.xpos[:, self.head, 2], 1.4, INF, margin=1.4 / 4)
        upright = tolerance(w.xmat[:, self.torso, self.up], 0.9, INF, sigmoid="linear", margin=1.9, at_margin=0)
        horizontal = w.sensordata[:, self.com_velocity[:2]]
        if speed == 0:
            return small_control(w) * (standing * upright) * tolerance(horizontal, margin=2).mean(1)
        move = tolerance(length(horizontal), speed, INF, margin=speed, at_margin=0, sigmoid="linear")
        return small_control(w) * (standing * upright) * (5 * move + 1) / 6


class HumanoidCMU(Humanoid):
    file, time_limit, control_timestep = "humanoid_CMU.xml", 20.0, 0.02
    torso_name, up, sides = "thorax", ZY, ("l", "r")


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
        return {"orientations": w.xmat[:, 1:][:, :, [XX, XZ]].reshape(len(w), -1), "height": w.xpos[:, self.torso, 2], "velocity": w.qvel}

    def reward(self, w: Worlds) -> Rows:
        speed: float = self.move_speed  # type: ignore[attr-defined]
        standing = tolerance(w.xpos[:, self.torso, 2], 1.2, INF, margin=0.6)
        stand = (3 * standing + (1 + w.xmat[:, self.torso, ZZ]) / 2) / 4
        if speed == 0:
            return stand
        move = tolerance(w.sensordata[:, self.velocity], speed, INF, margin=speed / 2, at_margin=0.5, sigmoid="linear")
        return stand * (5 * move + 1) / 6
