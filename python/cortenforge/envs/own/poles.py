"""A pole on a cart."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..task import Task, Worlds

_CARTPOLE = """
<mujoco model="cartpole">
  <option timestep="0.01" integrator="implicitfast"><flag contact="disable"/></option>
  <visual><headlight ambient="0.4 0.4 0.4"/></visual>
  <worldbody>
    <light pos="0 -2 4" dir="0 0.4 -1"/>
    <camera name="track" pos="0 -4 0.6" xyaxes="1 0 0 0 0.1 1"/>
    <geom name="rail" type="capsule" fromto="-2 0 0 2 0 0" size="0.02" rgba="0.5 0.5 0.5 1"/>
    <body name="cart">
      <joint name="slider" type="slide" axis="1 0 0" range="-1.8 1.8" limited="true" damping="0.05"/>
      <geom name="cart" type="box" size="0.15 0.1 0.08" mass="1" rgba="0.2 0.4 0.7 1"/>
      <body name="pole">
        <joint name="hinge" type="hinge" axis="0 1 0" damping="0.001"/>
        <geom name="pole" type="capsule" fromto="0 0 0 0 0 1" size="0.04" mass="0.1" rgba="0.8 0.5 0.2 1"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor name="push" joint="slider" gear="10" ctrlrange="-1 1" ctrllimited="true"/></actuator>
</mujoco>
"""


class CartpoleBalance(Task):
    """Keep a pole upright on a cart; the episode ends when it falls or the cart leaves the middle of its rail."""

    xml = _CARTPOLE
    frame_skip = 2
    max_episode_steps = 500
    options = {"tilt": 0.3, "reach": 1.5, "start": 0.05, "control_cost": 0.01}
    start_angle = 0.0

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        start = w.streams.uniform(ids, 4, -self.start, self.start)  # type: ignore[attr-defined]
        w.qpos[ids], w.qvel[ids] = start[:, :2], start[:, 2:]
        w.qpos[ids, 1] += self.start_angle

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        angle = w.qpos[:, 1:]
        return w.join(w.qpos[:, :1], np.sin(angle), np.cos(angle), w.qvel)

    def reward(self, w: Worlds) -> Any:
        effort = self.control_cost * w.ctrl[:, 0] ** 2  # type: ignore[attr-defined]
        return 1 - effort, {"reward_ctrl": -effort}

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return (np.abs(w.qpos[:, 1]) > self.tilt) | (np.abs(w.qpos[:, 0]) > self.reach)  # type: ignore[attr-defined]


class CartpoleSwingUp(CartpoleBalance):
    """Swing the pole up from below and keep it there; the reward is near 1 when it stands still in the middle."""

    start_angle = np.pi

    def reward(self, w: Worlds) -> Any:
        height = (1 + np.cos(w.qpos[:, 1])) / 2
        centered = 1 / (1 + w.qpos[:, 0] ** 2)
        calm = 1 / (1 + 0.02 * w.qvel[:, 1] ** 2)
        effort = self.control_cost * w.ctrl[:, 0] ** 2  # type: ignore[attr-defined]
        return height * centered * calm - effort, {"reward_height": height, "reward_ctrl": -effort}

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return np.zeros(len(w), np.bool_)
