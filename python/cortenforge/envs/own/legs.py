"""Walking on two and four legs."""
from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjModel
from .. import vary
from ..streams import Streams
from ..task import Worlds
from .base import Ids, OwnTask, Rows, asset, directions, find, near, square, to_body, up


class Legged(OwnTask):
    """A trunk on servos; actions move the targets of the servos around the keyframe "home"."""

    frame_skip = 5
    outputs = "actuator_force"
    max_episode_steps = 500
    reach: Any = 0.5            # [rad] that an action of 1 moves a target
    lowest = 0.15               # height of the trunk above the ground at which an episode ends
    steepest = 0.5              # upward component of the trunk's axis at which it ends

    def setup(self, model: MjModel) -> None:
        self.home = np.array(model.key_qpos[0])
        self.targets = np.array(model.key_ctrl[0])

    def remember(self, w: Worlds) -> None:
        self.keep(w, command=3, last=w.model.nu, rate=0)

    def reset(self, w: Worlds, ids: Ids) -> None:
        n = len(self.home) - 7
        self.remember(w)
        self.start_at(w, ids)
        w.qpos[ids, 7:] += w.streams.uniform(ids, n, -0.1, 0.1)
        w.qvel[ids] = w.streams.uniform(ids, n + 6, -0.1, 0.1)
        w.memory["command"][ids] = self.command(w, ids)
        w.memory["last"][ids], w.memory["rate"][ids] = 0, 0

    def command(self, w: Worlds, ids: Ids) -> Rows:
        """Velocities that are wanted: forward, to the left, turning."""
        raise NotImplementedError

    def before(self, w: Worlds) -> None:
        action = self.clipped(w.action)
        w.memory["rate"][:] = square(action - w.memory["last"])
        w.memory["last"][:] = action

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        w.ctrl[:] = self.targets + self.reach * self.clipped(actions)

    def ground(self, w: Worlds, x: Rows, y: Rows) -> Rows:
        """Heights of the ground."""
        return np.zeros_like(x)

    def height(self, w: Worlds) -> Rows:
        return w.qpos[:, 2] - self.ground(w, w.qpos[:, 0], w.qpos[:, 1])

    def observe(self, w: Worlds) -> Rows:
        self.remember(w)                # spaces are found before the first reset
        quat = w.qpos[:, 3:7]
        return w.join(up(quat), to_body(quat, w.qvel[:, :3]), w.qvel[:, 3:6], w.memory["command"], w.qpos[:, 7:] - self.home[7:],
                      0.1 * w.qvel[:, 6:], w.memory["last"])

    def reward(self, w: Worlds) -> Any:
        quat, command = w.qpos[:, 3:7], w.memory["command"]
        velocity = to_body(quat, w.qvel[:, :3])
        terms = {"reward_velocity": near(square(velocity[:, :2] - command[:, :2]), 0.3),
                 "reward_turn": 0.5 * near((w.qvel[:, 5] - command[:, 2]) ** 2, 0.4),
                 "reward_upright": 0.3 * up(quat)[:, 2],
                 "cost_bounce": -0.3 * velocity[:, 2] ** 2 - 0.02 * square(w.qvel[:, 3:5]),
                 "cost_force": -self.force_cost * square(w.actuator_force), "cost_rate": -0.01 * w.memory["rate"]}  # type: ignore[attr-defined]
        return sum(terms.values()), terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return (self.height(w) < self.lowest) | (up(w.qpos[:, 3:7])[:, 2] < self.steepest)


class QuadrupedTerrain(Legged):
    """Follow a velocity over rough ground.

    roughness: highest elevation [m], 0 for a plane;  terrain_seed: which ground
    speed: bounds of the velocities forward, to the left [m/s] and turning [rad/s] that are drawn for each episode
    """

    xml = asset("quadruped.xml")
    options = {"roughness": 0.08, "terrain_seed": 0, "speed": ((-0.5, 1.0), (-0.3, 0.3), (-0.7, 0.7)), "force_cost": 1e-4}
    randomize = (vary.friction(0.6, 1.2), vary.mass(0.9, 1.1), vary.gain(0.9, 1.1))
    scan = tuple((x, y) for x in (-0.3, 0.0, 0.3, 0.6) for y in (-0.2, 0.0, 0.2))     # of the ground, in the trunk's heading

    def make_model(self) -> MjModel:
        if not self.roughness > 0:                        # type: ignore[attr-defined]
            tree = ET.parse(self.xml).getroot()
            world, assets = tree.find("worldbody"), tree.find("asset")
            for parent, tag in ((world, "geom"), (assets, "hfield")):
                parent.remove(parent.find(f"{tag}[@name='terrain']"))                 # type: ignore
            return MjModel.from_xml_string(ET.tostring(tree, "unicode"))              # type: ignore
        model = super().make_model()
        model.hfield_data[:] = self.elevations(int(model.hfield_nrow[0]))
        model.hfield_size[0, 2] = self.roughness          # type: ignore[attr-defined]
        return model

    def elevations(self, n: int) -> NDArray[np.float32]:
        """Bumps of four cells and single ones, in [0, 1]."""
        draw = Streams(1, purpose=77)
        draw.seed(int(self.terrain_seed))                 # type: ignore[attr-defined]
        coarse = draw.uniform([0], (n // 4 + 2) ** 2).reshape(n // 4 + 2, -1)
        at, part = np.divmod(np.arange(n), 4)
        part = part / 4
        rows = coarse[at] * (1 - part)[:, None] + coarse[at + 1] * part[:, None]
        smooth = rows[:, at] * (1 - part) + rows[:, at + 1] * part
        return (0.75 * smooth + 0.25 * draw.uniform([0], n * n).reshape(n, n)).astype(np.float32).ravel()

    def setup(self, model: MjModel) -> None:
        super().setup(model)
        self.grid: Any = None
        if model.nhfield:
            size, n = np.array(model.hfield_size[0]), int(model.hfield_nrow[0])
            base = float(model.geom_pos[find(model, "geom", "terrain"), 2])
            # the plane is what lies beyond the edges
            self.grid = np.maximum(base + size[2] * np.array(model.hfield_data, np.float64).reshape(n, n), 0.0)
            self.half, self.cells = size[:2], (n - 1) / (2 * size[0])

    def ground(self, w: Worlds, x: Rows, y: Rows) -> Rows:
        if self.grid is None:
            return np.zeros_like(x)
        last = len(self.grid) - 1
        u, v = (x + self.half[0]) * self.cells, (y + self.half[1]) * self.cells
        i, j = (np.clip(np.floor(a), 0, last - 1).astype(np.intp) for a in (u, v))
        p, q = np.clip(u - i, 0, 1), np.clip(v - j, 0, 1)
        near_row = self.grid[j, i] * (1 - p) + self.grid[j, i + 1] * p
        far_row = self.grid[j + 1, i] * (1 - p) + self.grid[j + 1, i + 1] * p
        inside = (u >= 0) & (u <= last) & (v >= 0) & (v <= last)
        return np.where(inside, near_row * (1 - q) + far_row * q, 0.0)

    def command(self, w: Worlds, ids: Ids) -> Rows:
        low, high = np.array(self.speed, np.float64).T    # type: ignore[attr-defined]
        return w.streams.uniform(ids, 3, low, high)

    def heading(self, quat: Rows) -> tuple[Rows, Rows]:
        """Horizontal direction of the trunk."""
        x = 1 - 2 * (quat[:, 2] ** 2 + quat[:, 3] ** 2)
        y = 2 * (quat[:, 1] * quat[:, 2] + quat[:, 0] * quat[:, 3])
        size = np.maximum(np.sqrt(x * x + y * y), 1e-9)
        return x / size, y / size

    def scanned(self, w: Worlds, rows: Any = slice(None)) -> Rows:
        """Heights of the ground around the trunk, shape (worlds, points)."""
        qpos = w.qpos[rows]
        x, y = self.heading(qpos[:, 3:7])
        a, b = np.array(self.scan).T
        return self.ground(w, qpos[:, :1] + x[:, None] * a - y[:, None] * b, qpos[:, 1:2] + y[:, None] * a + x[:, None] * b)

    def reset(self, w: Worlds, ids: Ids) -> None:
        super().reset(w, ids)
        turn = directions(w, ids, 2)
        w.qpos[ids, 3], w.qpos[ids, 6] = turn.T
        if self.grid is not None:
            w.qpos[ids, :2] = w.streams.uniform(ids, 2, -4, 4)
            w.qpos[ids, 2] += self.scanned(w, ids).max(1)

    def observe(self, w: Worlds) -> Rows:
        plain = super().observe(w)
        if self.grid is None:
            return plain
        return w.join(plain, self.scanned(w) - w.qpos[:, 2:3])


class QuadrupedFlat(QuadrupedTerrain):
    """The same on a plane, which lanes collide with."""

    options = {"roughness": 0.0}


class BipedWalk(Legged):
    """Walk straight ahead at a speed that is drawn for each episode; observations have the phase of a step of `period` seconds."""

    xml = asset("biped.xml")
    options = {"speed": (0.4, 1.0), "period": 0.8, "force_cost": 5e-6}
    randomize = (vary.friction(0.7, 1.2), vary.mass(0.95, 1.05), vary.gain(0.95, 1.05))
    lowest = 0.65

    def command(self, w: Worlds, ids: Ids) -> Rows:
        low, high = self.speed                            # type: ignore[attr-defined]
        command = np.zeros((len(ids), 3))
        command[:, 0] = w.streams.uniform(ids, 1, low, high)[:, 0]
        return command

    def observe(self, w: Worlds) -> Rows:
        # two triangle waves, a quarter of a period apart
        phase = (w.elapsed * w.dt / self.period)[:, None] + np.array([0.0, 0.25])     # type: ignore[attr-defined]
        waves = 4 * np.abs(phase - np.floor(phase) - 0.5) - 1
        return w.join(super().observe(w), w.qpos[:, 1:3], waves)

    def reward(self, w: Worlds) -> Any:
        total, terms = super().reward(w)
        terms["reward_alive"] = np.full(len(w), 0.5)
        terms["cost_aside"] = -0.2 * np.minimum(w.qpos[:, 1] ** 2, 1.0)
        return total + terms["reward_alive"] + terms["cost_aside"], terms
