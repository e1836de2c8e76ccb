"""The eleven MuJoCo tasks of Gymnasium, version 5, with the bits of Gymnasium's own code on this engine.

Models are read from the user's Gymnasium.  Sums, squares and norms take the operations that Gymnasium takes for one
world: that is why some are not written in the shortest way.
"""
from __future__ import annotations

import importlib.util
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._core import MjModel, enumerations, mj_name2id
from .task import Task, Worlds

Terms = tuple[NDArray[np.float64], dict[str, Any]]
_INF = float("inf")


def asset(name: str) -> str:
    """Path of a model that comes with Gymnasium, or of a file of the user."""
    if os.path.isabs(name) or name.startswith((".", "~")):
        return os.path.expanduser(name)
    found = importlib.util.find_spec("gymnasium")
    if found is None or not found.submodule_search_locations:
        raise ImportError(f"the model {name} comes with Gymnasium, which is not installed: pip install gymnasium")
    return os.path.join(found.submodule_search_locations[0], "envs", "mujoco", "assets", name)


def norm(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lengths of rows, by a dot product for each, as np.linalg.norm takes them for one vector."""
    rows = np.ascontiguousarray(vectors)
    return np.sqrt(np.matmul(rows[:, None, :], rows[:, :, None])[:, 0, 0])


def sum_squares(rows: NDArray[Any]) -> NDArray[Any]:
    """Sums of squares of rows, in the precision and order of np.sum over one row."""
    return np.sum(np.square(rows.reshape(len(rows), -1)), axis=1)


def power2(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """x ** 2 as Gymnasium has it of single numbers: by pow of the C library, which is not x * x in each case."""
    return np.array([x**2 for x in numbers.tolist()])


class GymnasiumTask(Task):
    """What the eleven have in common: a model of Gymnasium's, and starts that are moved by noise."""

    file = ""
    noise = ("random", "random")            # of positions and velocities: uniform ("random") or "standard_normal"
    max_episode_steps = 1000
    options: dict[str, Any] = {"xml_file": None}      # another model than that of the task

    def make_model(self) -> MjModel:
        if self.xml is not None:
            return super().make_model()
        name: str = self.xml_file or self.file  # type: ignore[attr-defined]
        return MjModel.load(asset(name))  # type: ignore[attr-defined]

    def setup(self, model: MjModel) -> None:
        self.qpos0 = np.array(model.qpos0)
        self.nq, self.nv, self.timestep = model.nq, model.nv, model.opt.timestep

    def action_bounds(self, model: MjModel) -> tuple[Any, Any]:
        low, high = np.array(model.actuator_ctrlrange).T
        return low, high

    def body(self, model: MjModel, name: str | int) -> int:
        found = name if isinstance(name, int) else mj_name2id(model, enumerations["mjtObj"][1]["mjOBJ_BODY"], name)
        if not 0 <= found < model.nbody:
            raise ValueError(f"{type(self).__name__}: the model has no body {name!r}")
        return found

    def scaled(self, kind: str, unit: NDArray[np.float64], scale: float) -> NDArray[np.float64]:
        return -scale + (scale - -scale) * unit if kind == "random" else scale * unit

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        scale = self.reset_noise_scale  # type: ignore[attr-defined]
        positions, velocities = w.streams.draw(ids, (self.noise[0], self.nq), (self.noise[1], self.nv))
        w.qpos[ids] = self.qpos0 + self.scaled(self.noise[0], positions, scale)
        w.qvel[ids] = 0 + self.scaled(self.noise[1], velocities, scale)

    def skipped(self, count: int) -> int:
        return count if self.exclude_current_positions_from_observation else 0  # type: ignore[attr-defined]


class Planar(GymnasiumTask):
    """Runs along x: the reward is the speed of the root less the squared action."""

    options = {"forward_reward_weight": 1.0, "ctrl_cost_weight": 0.1, "reset_noise_scale": 0.1,
               "exclude_current_positions_from_observation": True}
    camera = {"distance": 4.0}

    def before(self, w: Worlds) -> None:
        w.memory["x"] = w.qpos[:, 0].copy()

    def speed(self, w: Worlds) -> NDArray[np.float64]:
        return (w.qpos[:, 0] - w.memory["x"]) / w.dt

    def forward_reward(self, w: Worlds) -> Terms:
        forward = self.forward_reward_weight * self.speed(w)  # type: ignore[attr-defined]
        ctrl_cost = self.ctrl_cost_weight * sum_squares(w.action)  # type: ignore[attr-defined]
        return forward, {"reward_forward": forward, "reward_ctrl": -ctrl_cost}

    def reward(self, w: Worlds) -> Terms:
        forward, terms = self.forward_reward(w)
        return forward - -terms["reward_ctrl"], terms

    def info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "x_velocity": self.speed(w)}

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0]}


class HalfCheetah(Planar):
    file, frame_skip, noise = "half_cheetah.xml", 5, ("random", "standard_normal")

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        return w.join(w.qpos[:, self.skipped(1):], w.qvel)


class Swimmer(Planar):
    file, frame_skip = "swimmer.xml", 4
    options = {"ctrl_cost_weight": 1e-4}
    camera: dict[str, Any] = {}

    def before(self, w: Worlds) -> None:
        w.memory["xy"] = w.qpos[:, :2].copy()

    def speed(self, w: Worlds) -> NDArray[np.float64]:
        return (w.qpos[:, 0] - w.memory["xy"][:, 0]) / w.dt

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        return w.join(w.qpos[:, self.skipped(2):], w.qvel)

    def info(self, w: Worlds) -> dict[str, Any]:
        velocity = (w.qpos[:, :2] - w.memory["xy"]) / w.dt
        return {**self.reset_info(w), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1]}

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "y_position": w.qpos[:, 1], "distance_from_origin": norm(w.qpos[:, :2])}


class Walker2d(Planar):
    file, frame_skip = "walker2d_v5.xml", 4
    options = {"ctrl_cost_weight": 1e-3, "healthy_reward": 1.0, "terminate_when_unhealthy": True, "healthy_z_range": (0.8, 2.0),
               "healthy_angle_range": (-1.0, 1.0), "reset_noise_scale": 5e-3}
    camera = {"trackbodyid": 2, "distance": 4.0, "lookat": (0.0, 0.0, 1.15), "elevation": -20.0}

    def healthy(self, w: Worlds) -> NDArray[np.bool_]:
        z, angle = w.qpos[:, 1], w.qpos[:, 2]
        low_z, high_z = self.healthy_z_range  # type: ignore[attr-defined]
        low, high = self.healthy_angle_range  # type: ignore[attr-defined]
        return (low_z < z) & (z < high_z) & (low < angle) & (angle < high)

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        return w.join(w.qpos[:, self.skipped(1):], np.clip(w.qvel, -10, 10))

    def reward(self, w: Worlds) -> Terms:
        forward, terms = self.forward_reward(w)
        terms["reward_survive"] = self.healthy(w) * self.healthy_reward  # type: ignore[attr-defined]
        return forward + terms["reward_survive"] - -terms["reward_ctrl"], terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return ~self.healthy(w) & self.terminate_when_unhealthy  # type: ignore[attr-defined]

    def info(self, w: Worlds) -> dict[str, Any]:
        return {**self.reset_info(w), "x_velocity": self.speed(w)}

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "z_distance_from_origin": w.qpos[:, 1] - self.qpos0[1]}


class Hopper(Walker2d):
    file = "hopper.xml"
    options = {"healthy_state_range": (-100.0, 100.0), "healthy_z_range": (0.7, _INF), "healthy_angle_range": (-0.2, 0.2)}
    camera = {**Walker2d.camera, "distance": 3.0}

    def healthy(self, w: Worlds) -> NDArray[np.bool_]:
        low, high = self.healthy_state_range  # type: ignore[attr-defined]
        q, v = w.qpos[:, 2:], w.qvel
        return super().healthy(w) & ((low < q) & (q < high)).all(axis=1) & ((low < v) & (v < high)).all(axis=1)


class Ant(GymnasiumTask):
    file, frame_skip, noise = "ant.xml", 5, ("random", "standard_normal")
    outputs = "xpos cfrc_ext"
    options = {"forward_reward_weight": 1, "ctrl_cost_weight": 0.5, "contact_cost_weight": 5e-4, "healthy_reward": 1.0, "main_body": 1,
               "terminate_when_unhealthy": True, "healthy_z_range": (0.2, 1.0), "contact_force_range": (-1.0, 1.0),
               "reset_noise_scale": 0.1, "exclude_current_positions_from_observation": True, "include_cfrc_ext_in_observation": True}
    camera = {"distance": 4.0}

    def setup(self, model: MjModel) -> None:
        super().setup(model)
        self.main = self.body(model, self.main_body)  # type: ignore[attr-defined]

    def before(self, w: Worlds) -> None:
        w.memory["xy"] = w.xpos[:, self.main, :2].copy()

    def forces(self, w: Worlds) -> NDArray[np.float64]:
        """Contact forces, clipped; the engine computes them in a step, so there are none after a reset."""
        low, high = self.contact_force_range  # type: ignore[attr-defined]
        forces = np.clip(w.cfrc_ext, low, high)
        forces[w.fresh] = np.clip(0.0, low, high)
        return forces

    def healthy(self, w: Worlds) -> NDArray[np.bool_]:
        low, high = self.healthy_z_range  # type: ignore[attr-defined]
        z = w.qpos[:, 2]
        return np.isfinite(w.qpos).all(axis=1) & np.isfinite(w.qvel).all(axis=1) & (low <= z) & (z <= high)

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        parts = [w.qpos[:, self.skipped(2):], w.qvel]
        if self.include_cfrc_ext_in_observation:  # type: ignore[attr-defined]
            parts.append(self.forces(w)[:, 1:])
        return w.join(*parts)

    def velocity(self, w: Worlds) -> NDArray[np.float64]:
        return (w.xpos[:, self.main, :2] - w.memory["xy"]) / w.dt

    def reward(self, w: Worlds) -> Terms:
        forward = self.velocity(w)[:, 0] * self.forward_reward_weight  # type: ignore[attr-defined]
        survive = self.healthy(w) * self.healthy_reward  # type: ignore[attr-defined]
        ctrl = self.ctrl_cost_weight * sum_squares(w.action)  # type: ignore[attr-defined]
        contact = self.contact_cost_weight * sum_squares(self.forces(w))  # type: ignore[attr-defined]
        terms = {"reward_forward": forward, "reward_ctrl": -ctrl, "reward_contact": -contact, "reward_survive": survive}
        return forward + survive - (ctrl + contact), terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return ~self.healthy(w) & self.terminate_when_unhealthy  # type: ignore[attr-defined]

    def info(self, w: Worlds) -> dict[str, Any]:
        velocity = self.velocity(w)
        return {**self.reset_info(w), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1]}

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "y_position": w.qpos[:, 1], "distance_from_origin": norm(w.qpos[:, :2])}


class HumanoidBody(GymnasiumTask):
    """What the two humanoid tasks observe."""

    frame_skip = 5
    outputs = "xipos cinert cvel qfrc_actuator cfrc_ext ten_length ten_velocity"
    options = {"ctrl_cost_weight": 0.1, "reset_noise_scale": 1e-2, "exclude_current_positions_from_observation": True,
               "include_cinert_in_observation": True, "include_cvel_in_observation": True,
               "include_qfrc_actuator_in_observation": True, "include_cfrc_ext_in_observation": True}

    def forces(self, w: Worlds) -> NDArray[np.float64]:
        """Contact forces; the engine computes them in a step, so there are none after a reset."""
        if not w.fresh.any():
            return w.cfrc_ext
        return np.where(w.fresh[:, None, None], 0.0, w.cfrc_ext)

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        parts = [w.qpos[:, self.skipped(2):], w.qvel]
        # `is True`, as there: other values that count as true leave these out
        if self.include_cinert_in_observation is True:  # type: ignore[attr-defined]
            parts.append(w.cinert[:, 1:])
        if self.include_cvel_in_observation is True:  # type: ignore[attr-defined]
            parts.append(w.cvel[:, 1:])
        if self.include_qfrc_actuator_in_observation is True:  # type: ignore[attr-defined]
            parts.append(w.qfrc_actuator[:, 6:])
        if self.include_cfrc_ext_in_observation is True:  # type: ignore[attr-defined]
            parts.append(self.forces(w)[:, 1:])
        return w.join(*parts)


class Humanoid(HumanoidBody):
    file = "humanoid.xml"
    options = {"forward_reward_weight": 1.25, "contact_cost_weight": 5e-7, "contact_cost_range": (-_INF, 10.0), "healthy_reward": 5.0,
               "terminate_when_unhealthy": True, "healthy_z_range": (1.0, 2.0)}
    camera = {"trackbodyid": 1, "distance": 4.0, "lookat": (0.0, 0.0, 2.0), "elevation": -20.0}

    def center(self, w: Worlds) -> NDArray[np.float64]:
        """Horizontal position of the center of mass, summed body by body."""
        mass = w.parameter("body_mass")
        total = np.zeros((len(w), 2))
        for body in range(mass.shape[1]):
            total += mass[:, body, None] * w.xipos[:, body, :2]
        return total / np.sum(mass, axis=1)[:, None]

    def before(self, w: Worlds) -> None:
        w.memory["center"] = self.center(w)

    def velocity(self, w: Worlds) -> NDArray[np.float64]:
        return (self.center(w) - w.memory["center"]) / w.dt

    def healthy(self, w: Worlds) -> NDArray[np.bool_]:
        low, high = self.healthy_z_range  # type: ignore[attr-defined]
        return (low < w.qpos[:, 2]) & (w.qpos[:, 2] < high)

    def reward(self, w: Worlds) -> Terms:
        w.memory["velocity"] = self.velocity(w)
        forward = self.forward_reward_weight * w.memory["velocity"][:, 0]  # type: ignore[attr-defined]
        survive = self.healthy(w) * self.healthy_reward  # type: ignore[attr-defined]
        ctrl = self.ctrl_cost_weight * sum_squares(w.ctrl)  # type: ignore[attr-defined]
        contact = np.clip(self.contact_cost_weight * sum_squares(self.forces(w)), *self.contact_cost_range)  # type: ignore[attr-defined]
        terms = {"reward_survive": survive, "reward_forward": forward, "reward_ctrl": -ctrl, "reward_contact": -contact}
        return forward + survive - (ctrl + contact), terms

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return ~self.healthy(w) & self.terminate_when_unhealthy  # type: ignore[attr-defined]

    def info(self, w: Worlds) -> dict[str, Any]:
        velocity = w.memory["velocity"]
        return {**self.reset_info(w), "x_velocity": velocity[:, 0], "y_velocity": velocity[:, 1]}

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "y_position": w.qpos[:, 1], "tendon_length": w.ten_length, "tendon_velocity": w.ten_velocity,
                "distance_from_origin": norm(w.qpos[:, :2])}


class HumanoidStandup(HumanoidBody):
    file = "humanoidstandup.xml"
    options = {"uph_cost_weight": 1, "impact_cost_weight": 0.5e-6, "impact_cost_range": (-_INF, 10.0)}
    camera = {"trackbodyid": 1, "distance": 4.0, "lookat": (0.0, 0.0, 0.8925), "elevation": -20.0}

    def reward(self, w: Worlds) -> Terms:
        up = (w.qpos[:, 2] - 0) / self.timestep
        ctrl = self.ctrl_cost_weight * sum_squares(w.ctrl)  # type: ignore[attr-defined]
        impact = np.clip(self.impact_cost_weight * sum_squares(self.forces(w)), *self.impact_cost_range)  # type: ignore[attr-defined]
        return up - ctrl - impact + 1, {"reward_linup": up, "reward_quadctrl": -ctrl, "reward_impact": -impact}

    def info(self, w: Worlds) -> dict[str, Any]:
        return self.reset_info(w)

    def reset_info(self, w: Worlds) -> dict[str, Any]:
        return {"x_position": w.qpos[:, 0], "y_position": w.qpos[:, 1], "z_distance_from_origin": w.qpos[:, 2] - self.qpos0[2],
                "tendon_length": w.ten_length, "tendon_velocity": w.ten_velocity}


class InvertedPendulum(GymnasiumTask):
    file, frame_skip = "inverted_pendulum.xml", 2
    options = {"reset_noise_scale": 0.01}
    camera = {"trackbodyid": 0, "distance": 2.04}

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        return w.join(w.qpos, w.qvel)

    def reward(self, w: Worlds) -> Terms:
        up = (~self.terminated(w)).astype(np.int64)
        return up.astype(np.float64), {"reward_survive": up}

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        is_finite = np.isfinite(w.qpos).all(axis=1) & np.isfinite(w.qvel).all(axis=1)
        return ~is_finite | (np.abs(w.qpos[:, 1]) > 0.2)


class InvertedDoublePendulum(GymnasiumTask):
    file, frame_skip, noise = "inverted_double_pendulum.xml", 5, ("random", "standard_normal")
    outputs = "site_xpos qfrc_constraint"
    options = {"healthy_reward": 10.0, "reset_noise_scale": 0.1}
    camera = {"trackbodyid": 0, "distance": 4.1225, "lookat": (0.0, 0.0, 0.12250000000000005)}

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        angles = w.qpos[:, 1:]
        return w.join(w.qpos[:, :1], np.sin(angles), np.cos(angles), np.clip(w.qvel, -10, 10), np.clip(w.qfrc_constraint[:, :1], -10, 10))

    def reward(self, w: Worlds) -> Terms:
        x, y = w.site_xpos[:, 0, 0], w.site_xpos[:, 0, 2]
        distance = 0.01 * power2(x) + power2(y - 2)
        velocity = 1e-3 * power2(w.qvel[:, 1]) + 5e-3 * power2(w.qvel[:, 2])
        alive = self.healthy_reward * (~self.terminated(w)).astype(np.int64)  # type: ignore[attr-defined]
        return alive - distance - velocity, {"reward_survive": alive, "distance_penalty": -distance, "velocity_penalty": -velocity}

    def terminated(self, w: Worlds) -> NDArray[np.bool_]:
        return w.site_xpos[:, 0, 2] <= 1


class Reacher(GymnasiumTask):
    file, frame_skip, max_episode_steps = "reacher.xml", 2, 50
    outputs = "xpos"
    options = {"reward_dist_weight": 1, "reward_control_weight": 1}
    camera = {"trackbodyid": 0}

    def setup(self, model: MjModel) -> None:
        super().setup(model)
        self.tip, self.target = self.body(model, "fingertip"), self.body(model, "target")

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        for i in ids.tolist():
            draw = w.streams.generator(i).uniform
            qpos = draw(low=-0.1, high=0.1, size=self.nq) + self.qpos0
            goal = draw(low=-0.2, high=0.2, size=2)
            while not np.linalg.norm(goal) < 0.2:
                goal = draw(low=-0.2, high=0.2, size=2)
            qpos[-2:] = goal
            qvel = 0 + draw(low=-0.005, high=0.005, size=self.nv)
            qvel[-2:] = 0
            w.qpos[i], w.qvel[i] = qpos, qvel

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        angles = w.qpos[:, :2]
        return w.join(np.cos(angles), np.sin(angles), w.qpos[:, 2:], w.qvel[:, :2], (w.xpos[:, self.tip] - w.xpos[:, self.target])[:, :2])

    def reward(self, w: Worlds) -> Terms:
        distance = -norm(w.xpos[:, self.tip] - w.xpos[:, self.target]) * self.reward_dist_weight  # type: ignore[attr-defined]
        ctrl = -sum_squares(w.action) * self.reward_control_weight  # type: ignore[attr-defined]
        return distance + ctrl, {"reward_dist": distance, "reward_ctrl": ctrl}


class Pusher(GymnasiumTask):
    file, frame_skip, max_episode_steps = "pusher_v5.xml", 5, 100
    outputs = "xpos"
    options = {"reward_near_weight": 0.5, "reward_dist_weight": 1, "reward_control_weight": 0.1}
    camera = {"trackbodyid": -1, "distance": 4.0}

    def setup(self, model: MjModel) -> None:
        super().setup(model)
        self.tip, self.object, self.goal = (self.body(model, name) for name in ("tips_arm", "object", "goal"))

    def reset(self, w: Worlds, ids: NDArray[np.intp]) -> None:
        for i in ids.tolist():
            draw = w.streams.generator(i).uniform
            place = np.zeros(2)
            while not np.linalg.norm(place) > 0.17:
                place = np.concatenate([draw(low=-0.3, high=0, size=1), draw(low=-0.2, high=0.2, size=1)])
            qpos = self.qpos0.copy()
            qpos[-4:-2], qpos[-2:] = place, 0
            qvel = 0 + draw(low=-0.005, high=0.005, size=self.nv)
            qvel[-4:] = 0
            w.qpos[i], w.qvel[i] = qpos, qvel

    def observe(self, w: Worlds) -> NDArray[np.float64]:
        return w.join(w.qpos[:, :7], w.qvel[:, :7], w.xpos[:, self.tip], w.xpos[:, self.object], w.xpos[:, self.goal])

    def reward(self, w: Worlds) -> Terms:
        thing = w.xpos[:, self.object]
        near = -norm(thing - w.xpos[:, self.tip]) * self.reward_near_weight  # type: ignore[attr-defined]
        distance = -norm(thing - w.xpos[:, self.goal]) * self.reward_dist_weight  # type: ignore[attr-defined]
        ctrl = -sum_squares(w.action) * self.reward_control_weight  # type: ignore[attr-defined]
        return distance + ctrl + near, {"reward_dist": distance, "reward_ctrl": ctrl, "reward_near": near}


TASKS = {f"{kind.__name__}-v5": kind for kind in (Ant, HalfCheetah, Hopper, Humanoid, HumanoidStandup, InvertedDoublePendulum,
                                                  InvertedPendulum, Pusher, Reacher, Swimmer, Walker2d)}
