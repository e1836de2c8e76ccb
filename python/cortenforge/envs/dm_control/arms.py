"""Planar arms."""
from __future__ import annotations

import copy
import os
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjData, MjModel, mj_resetData
from ..task import Worlds
from .base import INF, XX, ZX, Rows, SuiteTask, cut, folder, forward_unactuated, from_text, length, tolerance


class Arm(SuiteTask):
    """What the tasks with a planar arm have in common."""

    control_timestep, senses_forces = 0.01, True
    outputs = "sensordata xpos xquat site_xpos"
    arm = ("arm_root", "arm_shoulder", "arm_elbow", "arm_wrist", "finger", "fingertip", "thumb", "thumbtip")
    options = {"fully_observable": True}
    changes: tuple[str, ...] = ("body_pos", "body_quat")

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
                place = grasp[0], grasp[2], np.pi - np.arctan2(frame[ZX], frame[XX])
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
    changes: tuple[str, ...] = ("body_pos",)

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
        return tolerance(boxes, margin=2 * self.size) * tolerance(hand, 0.1, INF, margin=0.01)
