"""Flight."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjModel
from .. import vary
from ..task import Worlds
from .base import Ids, OwnTask, Rows, asset, near, square, to_body, up


class Drone(OwnTask):
    """Fly to a point and stay there; actions change the thrust of four rotors around what lifts the weight."""

    xml = asset("drone.xml")
    frame_skip = 4
    max_episode_steps = 250
    options = {"distance": 0.8, "tilt": 0.2}
    randomize = (vary.mass(0.9, 1.1, bodies=["drone"]), vary.gain(0.95, 1.05))

    def setup(self, model: MjModel) -> None:
        mass = float(model.body_mass[1])
        self.hover = mass * -float(model.opt.gravity[2]) / float(model.actuator_gainprm[:, 0].sum())

    def reset(self, w: Worlds, ids: Ids) -> None:
        side = self.distance                              # type: ignore[attr-defined]
        w.mocap_pos[ids, 0] = w.streams.uniform(ids, 3, (-side, -side, 0.6), (side, side, 1.6))
        w.qpos[ids, :3] = w.streams.uniform(ids, 3, (-side, -side, 0.6), (side, side, 1.6))
        axis = w.streams.uniform(ids, 3, -0.5 * self.tilt, 0.5 * self.tilt)           # type: ignore[attr-defined]
        quat = np.concatenate([np.ones((len(ids), 1)), axis], 1)
        w.qpos[ids, 3:] = quat / np.sqrt(square(quat))[:, None]
        w.qvel[ids] = w.streams.uniform(ids, 6, -0.2, 0.2)
        w.act[ids] = w.ctrl[ids] = self.hover

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        w.ctrl[:] = self.hover * (1 + 0.9 * self.clipped(actions))

    def observe(self, w: Worlds) -> Rows:
        quat = w.qpos[:, 3:]
        return w.join(to_body(quat, w.mocap_pos[:, 0] - w.qpos[:, :3]), up(quat), quat * np.where(quat[:, :1] < 0, -1.0, 1.0),
                      to_body(quat, w.qvel[:, :3]), w.qvel[:, 3:], w.act / self.hover - 1)

    def reward(self, w: Worlds) -> Any:
        terms = {"reward_place": near(square(w.mocap_pos[:, 0] - w.qpos[:, :3]), 0.3), "reward_upright": 0.2 * up(w.qpos[:, 3:])[:, 2],
                 "cost_turning": -0.02 * np.minimum(square(w.qvel[:, 3:]), 25.0), "cost_effort": -0.02 * square(self.clipped(w.action))}
        return sum(terms.values()), terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        far = square(w.mocap_pos[:, 0] - w.qpos[:, :3]) > 9
        return far | (w.qpos[:, 2] < 0.08) | (up(w.qpos[:, 3:])[:, 2] < 0)
