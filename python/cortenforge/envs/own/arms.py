"""Arms: pick and place, a peg and its hole, muscles."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjModel
from .. import vary
from ..task import Worlds
from .base import Ids, OwnTask, Rows, asset, find, near, square


class PickPlace(OwnTask):
    """Grasp a cube on a table and hold it at a point.  Six actions move the targets of the joints, the last closes the gripper."""

    xml = asset("pick_place.xml")
    frame_skip = 10
    outputs = "site_xpos"
    max_episode_steps = 150
    options = {"spread": 0.1, "step": 0.08, "close": 0.03}
    randomize = (vary.friction(0.8, 1.2), vary.mass(0.8, 1.2, bodies=["cube"]), vary.gain(0.95, 1.05, actuators=[0, 1, 2, 3, 4, 5]))

    def setup(self, model: MjModel) -> None:
        self.grasp = find(model, "site", "grasp")
        self.low, self.high = np.array(model.jnt_range[:6]).T

    def reset(self, w: Worlds, ids: Ids) -> None:
        self.start_at(w, ids)
        side = self.spread                                # type: ignore[attr-defined]
        w.qpos[ids, 8:10] += w.streams.uniform(ids, 2, -side, side)
        w.mocap_pos[ids, 0] = w.streams.uniform(ids, 3, (0.42, -0.2, 0.26), (0.6, 0.2, 0.42))

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        actions = self.clipped(actions)
        # targets stay close to the joints, so that they do not run away from an arm that is held
        moved = np.clip(w.ctrl[:, :6] + self.step * actions[:, :6], w.qpos[:, :6] - 0.3, w.qpos[:, :6] + 0.3)  # type: ignore[attr-defined]
        w.ctrl[:, :6] = np.clip(moved, self.low, self.high)
        w.ctrl[:, 6] = 0.02 * (1 + actions[:, 6])         # the joints of the fingers are 0 when open

    def observe(self, w: Worlds) -> Rows:
        hand, cube = w.site_xpos[:, self.grasp], w.qpos[:, 8:11]
        return w.join(w.qpos[:, :7], 0.2 * w.qvel[:, :7], w.ctrl[:, :6] - w.qpos[:, :6], hand, cube - hand, w.qpos[:, 11:15],
                      w.mocap_pos[:, 0] - cube, 0.2 * w.qvel[:, 8:11])

    def reward(self, w: Worlds) -> Any:
        cube = w.qpos[:, 8:11]
        to_cube, to_goal = square(w.site_xpos[:, self.grasp] - cube), square(w.mocap_pos[:, 0] - cube)
        held = np.clip((cube[:, 2] - 0.23) / 0.04, 0.0, 1.0) * (to_cube < 0.05**2)
        success = to_goal < self.close**2                 # type: ignore[attr-defined]
        terms = {"reward_reach": 0.2 * near(to_cube, 0.1), "reward_lift": 0.3 * held, "reward_place": held * near(to_goal, 0.1),
                 "success": success}
        return terms["reward_reach"] + terms["reward_lift"] + terms["reward_place"] + success, terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return w.qpos[:, 10] < 0.15


class PegInHole(OwnTask):
    """Put a peg that yields into a hole with 2 mm of play on each side; actions move the targets of the gantry."""

    xml = asset("peg_in_hole.xml")
    frame_skip = 10
    outputs = "site_xpos qfrc_constraint"
    max_episode_steps = 150
    options = {"spread": 0.05, "step": 0.01, "depth": 0.06}
    randomize = (vary.friction(0.5, 1.5), vary.gain(0.9, 1.1))
    top = 0.08

    def setup(self, model: MjModel) -> None:
        self.tip = find(model, "site", "tip")
        self.low, self.high = np.array(model.actuator_ctrlrange).T

    def reset(self, w: Worlds, ids: Ids) -> None:
        side = self.spread                                # type: ignore[attr-defined]
        w.mocap_pos[ids, 0, :2] = w.streams.uniform(ids, 2, -side, side)
        w.qpos[ids, :2] = w.streams.uniform(ids, 2, -side, side)
        w.ctrl[ids] = w.qpos[ids, :3]

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        moved = w.ctrl + self.step * self.clipped(actions)   # type: ignore[attr-defined]
        w.ctrl[:] = np.clip(np.clip(moved, w.qpos[:, :3] - 0.05, w.qpos[:, :3] + 0.05), self.low, self.high)

    def offset(self, w: Worlds) -> Rows:
        """The tip beside the middle of the hole's rim."""
        offset = w.site_xpos[:, self.tip] - w.mocap_pos[:, 0]
        offset[:, 2] -= self.top
        return offset

    def observe(self, w: Worlds) -> Rows:
        return w.join(10 * self.offset(w), w.qvel[:, :3], 5 * w.qpos[:, 3:], 20 * (w.ctrl - w.qpos[:, :3]), 0.02 * w.qfrc_constraint[:, :3])

    def reward(self, w: Worlds) -> Any:
        offset = self.offset(w)
        aside = square(offset[:, :2])
        inside = np.where((np.abs(offset[:, :2]) < 0.006).all(1), np.clip(-offset[:, 2] / self.depth, 0.0, 1.0), 0.0)   # type: ignore[attr-defined]
        terms = {"reward_align": 0.2 * near(aside, 0.02), "reward_approach": 0.2 * near(aside + np.maximum(offset[:, 2], 0) ** 2, 0.05),
                 "reward_depth": inside, "cost_force": -1e-4 * square(w.qfrc_constraint[:, :3]), "success": inside == 1}
        total = terms["reward_align"] + terms["reward_approach"] + inside + np.maximum(terms["cost_force"], -0.2) + terms["success"]
        return total, terms


class MuscleReach(OwnTask):
    """Bring the hand of an arm to a point by six muscles; actions excite them, -1 not at all."""

    xml = asset("muscle_arm.xml")
    frame_skip = 4
    outputs = "site_xpos actuator_length"
    max_episode_steps = 150
    options = {"close": 0.03}
    randomize = (vary.mass(0.9, 1.1), vary.damping(0.8, 1.25))

    def setup(self, model: MjModel) -> None:
        self.hand = find(model, "site", "hand")

    def reset(self, w: Worlds, ids: Ids) -> None:
        w.mocap_pos[ids, 0, :2] = w.streams.uniform(ids, 2, (0.2, 0.1), (0.4, 0.4))
        w.qpos[ids] = w.streams.uniform(ids, 2, (0.0, 0.5), (1.0, 1.5))

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        w.ctrl[:] = 0.5 + 0.5 * self.clipped(actions)

    def observe(self, w: Worlds) -> Rows:
        goal, hand = w.mocap_pos[:, 0, :2], w.site_xpos[:, self.hand, :2]
        return w.join(w.qpos, 0.2 * w.qvel, 5 * (goal - hand), 3 * goal, w.act, 5 * w.actuator_length)

    def reward(self, w: Worlds) -> Any:
        away = square(w.mocap_pos[:, 0, :2] - w.site_xpos[:, self.hand, :2])
        terms = {"reward_place": near(away, 0.1), "cost_effort": -0.02 * square(w.ctrl), "success": away < self.close**2}  # type: ignore[attr-defined]
        return terms["reward_place"] + terms["cost_effort"] + terms["success"], terms
