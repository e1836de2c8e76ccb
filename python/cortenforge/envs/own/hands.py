"""Hands: a cube that is turned, a soft block that is lifted."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._core import MjModel
from .. import vary
from ..task import Worlds
from .base import Ids, OwnTask, Rows, asset, directions, near, relative, square


class CubeInHand(OwnTask):
    """Turn a cube on the palm to an orientation; when it is reached, the next one is drawn.  Actions move sixteen servos.

    turn: largest sine of half the angle to a new goal, 1 for any orientation;  close: the same within which a goal is reached
    """

    xml = asset("hand_cube.xml")
    frame_skip = 8
    max_episode_steps = 300
    options = {"turn": 1.0, "close": 0.2, "step": 0.15}
    randomize = (vary.friction(0.7, 1.3), vary.mass(0.8, 1.2, bodies=["cube"]), vary.gain(0.9, 1.1))

    def setup(self, model: MjModel) -> None:
        self.low, self.high = np.array(model.actuator_ctrlrange).T

    def draw_goal(self, w: Worlds, ids: Ids) -> None:
        # a turn from where the cube is, uniform among those of at most `turn`
        spin = directions(w, ids, 4)
        sine = np.sqrt(square(spin[:, 1:]))
        scale = np.minimum(1.0, self.turn / np.maximum(sine, 1e-9))[:, None]          # type: ignore[attr-defined]
        axis = spin[:, 1:] * scale
        spin = np.concatenate([np.sqrt(np.maximum(0.0, 1 - square(axis)))[:, None], axis], 1)
        cube = w.qpos[ids, 19:23]
        # relative(conj(cube), spin) = cube * spin
        conjugate = np.concatenate([cube[:, :1], -cube[:, 1:]], 1)
        w.mocap_quat[ids, 0] = relative(conjugate, spin)

    def reset(self, w: Worlds, ids: Ids) -> None:
        self.keep(w, away=0, success=0)
        self.start_at(w, ids)
        w.qpos[ids, :16] += w.streams.uniform(ids, 16, -0.05, 0.05)
        w.qpos[ids, 16:18] += w.streams.uniform(ids, 2, -0.005, 0.005)
        self.draw_goal(w, ids)
        w.memory["away"][ids], w.memory["success"][ids] = 1, 0

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        w.ctrl[:] = np.clip(w.ctrl + self.step * self.clipped(actions), self.low, self.high)      # type: ignore[attr-defined]

    def after(self, w: Worlds) -> None:
        away = square(relative(w.qpos[:, 19:23], w.mocap_quat[:, 0])[:, 1:])
        reached = away < self.close**2                    # type: ignore[attr-defined]
        w.memory["away"][:], w.memory["success"][:] = away, reached
        if reached.any():
            self.draw_goal(w, np.flatnonzero(reached))

    def observe(self, w: Worlds) -> Rows:
        quat = w.qpos[:, 19:23]
        return w.join(w.qpos[:, :16], 0.1 * w.qvel[:, :16], w.ctrl, 10 * (w.qpos[:, 16:19] - w.model.key_qpos[0][16:19]), quat,
                      relative(quat, w.mocap_quat[:, 0]), w.qvel[:, 16:19], 0.1 * w.qvel[:, 19:22])

    def reward(self, w: Worlds) -> Any:
        aside = square(w.qpos[:, 16:18] - w.model.key_qpos[0][16:18])
        terms = {"reward_turn": near(w.memory["away"], 0.3), "reward_place": 0.2 * near(aside, 0.05), "reward_success": 5 * w.memory["success"],
                 "cost_speed": -0.002 * np.minimum(square(w.qvel[:, :16]), 100.0), "success": w.memory["success"] > 0}
        return terms["reward_turn"] + terms["reward_place"] + terms["reward_success"] + terms["cost_speed"], terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return w.qpos[:, 18] < 0.27


class SoftGrasp(OwnTask):
    """Lift a soft block with two fingers; actions move the targets of four servos.

    lift: height [m] of the middle of the block that is wanted
    """

    xml = asset("soft_grasp.xml")
    frame_skip = 10
    outputs = "flexvert_xpos"
    max_episode_steps = 150
    options = {"spread": 0.03, "lift": 0.12}
    randomize = (vary.friction(0.8, 1.2), vary.gain(0.9, 1.1))
    step = np.array([0.01, 0.01, 0.005, 0.005])

    def setup(self, model: MjModel) -> None:
        self.low, self.high = np.array(model.actuator_ctrlrange).T

    def reset(self, w: Worlds, ids: Ids) -> None:
        move = w.streams.uniform(ids, 1, -self.spread, self.spread)                   # type: ignore[attr-defined]
        w.qpos[ids, 4::3] = move                          # each vertex has three slides
        w.ctrl[ids] = 0

    def act(self, w: Worlds, actions: NDArray[Any]) -> None:
        moved = w.ctrl + self.step * self.clipped(actions)
        w.ctrl[:] = np.clip(np.clip(moved, w.qpos[:, :4] - 0.03, w.qpos[:, :4] + 0.03), self.low, self.high)

    def block(self, w: Worlds) -> tuple[Rows, Rows]:
        """Middle of the block and its extent."""
        vertices = w.flexvert_xpos
        return vertices.sum(1) / vertices.shape[1], vertices.max(1) - vertices.min(1)

    def observe(self, w: Worlds) -> Rows:
        middle, extent = self.block(w)
        hand = np.stack([w.qpos[:, 0], 0.2 + w.qpos[:, 1]], 1)
        return w.join(10 * w.qpos[:, :4], w.qvel[:, :4], 20 * (w.ctrl - w.qpos[:, :4]), 10 * (middle[:, ::2] - hand), 10 * middle, 10 * extent)

    def reward(self, w: Worlds) -> Any:
        middle, extent = self.block(w)
        hand = np.stack([w.qpos[:, 0], np.zeros(len(w)), 0.2 + w.qpos[:, 1]], 1)
        raised = np.clip((middle[:, 2] - 0.035) / (self.lift - 0.035), 0.0, 1.0)      # type: ignore[attr-defined]
        terms = {"reward_reach": 0.3 * near(square(middle - hand), 0.05), "reward_lift": raised,
                 "cost_squeeze": -2 * np.maximum(0.0, 0.05 - extent[:, 0]), "success": raised == 1}
        return terms["reward_reach"] + raised + terms["cost_squeeze"] + terms["success"], terms
