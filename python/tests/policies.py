"""Policies written by hand for tasks of ours: (observations, simulation) -> actions."""
import numpy as np

import cortenforge as cf


def drone(observation, s):
    """Thrust along the acceleration that is wanted, tilt towards it."""
    away, up, velocity, spin = observation[:, :3], observation[:, 3:6], observation[:, 10:13], observation[:, 13:16]
    wanted = np.clip(5 * away - 3.5 * velocity, -4, 4)
    thrust = (wanted * up).sum(1) / 9.81 / 0.9
    side = wanted / 9.81 + up
    side /= np.linalg.norm(side, axis=1)[:, None]
    x, y, z = -0.5 * side[:, 1] - 0.07 * spin[:, 0], 0.5 * side[:, 0] - 0.07 * spin[:, 1], -0.2 * spin[:, 2]
    return np.clip(np.stack([thrust + x - y + z, thrust + x + y - z, thrust - x + y + z, thrust - x - y - z], 1), -1, 1)


def peg(observation, s):
    """Over the hole, then down."""
    offset = observation[:, :3] / 10
    aside = np.abs(offset[:, :2]).max(1)
    actions = np.clip(-offset / 0.01, -1, 1)
    actions[:, 2] = np.where((aside < 0.004) | (offset[:, 2] < 0), -0.5, np.clip((0.03 - offset[:, 2]) / 0.01, -1, 1))
    return actions


def soft(observation, s):
    """Down around the block, close, lift."""
    away, time = observation[:, 12:14] / 10, s.worlds.elapsed
    actions = np.zeros((len(observation), 4))
    actions[:, 0] = np.clip(away[:, 0] / 0.01, -1, 1)
    actions[:, 1] = np.where(time >= 55, 0.5, np.where(time < 40, np.clip((away[:, 1] + 0.005) / 0.01, -1, 1), 0))
    actions[:, 2:] = np.where(time >= 40, 1, 0)[:, None]
    return actions


def pick(observation, s):
    """Above the cube, down, close, to the goal; joints by damped least squares, one world after the other."""
    w, m, d = s.worlds, s.model, cf.Data(s.model)
    phase, since = (w.memory.setdefault(name, np.zeros(s.count)) for name in ("policy.phase", "policy.since"))
    phase[w.elapsed == 0] = 0
    actions = np.zeros((s.count, 7))
    for i in range(s.count):
        d.qpos[:] = w.qpos[i]
        cf.mj_kinematics(m, d)
        cf.mj_comPos(m, d)
        jacobian = np.zeros((6, m.nv))
        cf.mj_jacSite(m, d, jacobian[:3], jacobian[3:], s.task.grasp)
        hand, frame, cube = d.site_xpos[s.task.grasp], d.site_xmat[s.task.grasp].reshape(3, 3), d.qpos[8:11]
        move = (cube + [0, 0, 0.08], cube, cube, hand + w.mocap_pos[i, 0] - cube)[int(phase[i])] - hand
        near = np.linalg.norm(move) < (0.015 if phase[i] == 0 else 0.012)
        if phase[i] < 2 and near or phase[i] == 2 and w.elapsed[i] > since[i] + 8:
            phase[i] += 1
            since[i] = w.elapsed[i]
        turn = np.cross(frame[:, 2], [0, 0, -1]) + 0.5 * np.cross(frame[:, 1], [0, 1, 0])
        error = np.concatenate([np.clip(move, -0.04, 0.04), 0.3 * np.clip(turn, -0.5, 0.5)])
        j = jacobian[:, :6]
        step = j.T @ np.linalg.solve(j @ j.T + 1e-3 * np.eye(6), error)
        actions[i, :6] = np.clip((step + w.qpos[i, :6] - w.ctrl[i, :6]) / 0.08, -1, 1)
        actions[i, 6] = 1 if phase[i] >= 2 else -1
    return actions


POLICIES = {"Drone-v0": drone, "PegInHole-v0": peg, "SoftGrasp-v0": soft, "PickPlace-v0": pick}
