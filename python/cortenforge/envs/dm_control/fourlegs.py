"""Quadruped and dog."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ET
import numpy as np
from numpy.typing import NDArray

from ..._core import MjData, MjModel, enumerations, mj_forward
from ..task import Worlds
from .base import INF, ZX, ZZ, Rows, SuiteTask, cut, folder, from_text, length, tolerance


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
                 "torso_velocity": w.sensordata[:, self.velocity], "torso_upright": w.xmat[:, self.torso, ZZ], "imu": imu[:, self.imu],
                 "force_torque": np.arcsinh(self.forces(w, self.force_torque))}
        if self.fetch:  # type: ignore[attr-defined]
            frame, here, v = w.xmat[:, self.torso].reshape(-1, 3, 3), w.xpos[:, self.torso], self.ball_v
            state = np.stack([w.xpos[:, self.ball] - here, w.qvel[:, v:v + 3] - w.qvel[:, :3], w.qvel[:, v + 3:v + 6]], 1)
            parts["ball_state"] = np.einsum("nki,nij->nkj", state, frame).reshape(len(w), -1)
            parts["target_position"] = np.einsum("ni,nij->nj", w.site_xpos[:, self.target] - here, frame)
        return parts

    def reward(self, w: Worlds) -> Rows:
        upright = tolerance(w.xmat[:, self.torso, ZZ], 1.0, INF, sigmoid="linear", margin=2.0, at_margin=0)
        if not self.fetch:  # type: ignore[attr-defined]
            speed: float = self.speed  # type: ignore[attr-defined]
            return upright * tolerance(w.sensordata[:, self.velocity[0]], speed, INF, margin=speed, at_margin=0.5, sigmoid="linear")
        arena, ball = self.floor_size * np.sqrt(2), w.xpos[:, self.ball, :2]
        reach = tolerance(length(w.site_xpos[:, self.workspace, :2] - ball), 0, self.reach, sigmoid="linear", margin=arena, at_margin=0)
        fetch = tolerance(length(w.site_xpos[:, self.target, :2] - ball), 0, self.target_size, sigmoid="linear", margin=arena, at_margin=0)
        return upright * (reach * (0.5 + 0.5 * fetch))


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
                 "z_projection": w.xmat[:, self.parts_of_body][:, :, ZX:].reshape(len(w), -1), "torso_com_velocity": self.com_velocity(w),
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
            reward = reward * tolerance(w.xpos[:, self.parts_of_body[1 + k], 2], height, INF, margin=height)
        upright = np.cos(np.deg2rad(30))
        reward = reward * tolerance(w.xmat[:, self.parts_of_body, ZZ], upright, INF, sigmoid="linear", margin=upright + 1, at_margin=0).prod(1)
        reward = reward * tolerance(self.forces(w, self.touch).sum(1), self.weight, INF, margin=self.weight, sigmoid="linear", at_margin=0.9)
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
