#!/usr/bin/env python3
"""Environments of Gymnasium and dm_control on two libraries: one step from the same state.

  environments.py record FILE gym|dmc    in a virtual environment with MuJoCo's library: run each environment with random
                                         actions and keep its model, every state on the way and what one step makes of it
  environments.py compare FILE gym|dmc   in one that `cortenforge adopt` was called for: the same single steps, and whole
                                         episodes; fails where a joint position or velocity differs by more than 1e-11
                                         (gym) or 1e-9 (dmc), relative to max(1, value)

Gymnasium: eleven environments v5, 1,000 steps each; dm_control: all tasks of its suite, 200 steps each.
"""
import pickle
import sys
import warnings

import mujoco
import numpy as np

GYM = ['Ant', 'HalfCheetah', 'Hopper', 'Humanoid', 'HumanoidStandup', 'InvertedDoublePendulum', 'InvertedPendulum', 'Pusher',
       'Reacher', 'Swimmer', 'Walker2d']
STEPS, LIMIT = {'gym': 1000, 'dmc': 200}, {'gym': 1e-11, 'dmc': 1e-9}
STATE = mujoco.mjtState.mjSTATE_INTEGRATION


class Gym:
    def __init__(self, name):
        import gymnasium
        self.env = gymnasium.make(name, max_episode_steps=100000)
        self.env.reset(seed=0)
        self.low, self.high = self.env.action_space.low, self.env.action_space.high

    def step(self, action, k):
        _, _, terminated, truncated, _ = self.env.step(action.astype(np.float32))
        if terminated or truncated:
            self.env.reset(seed=k)

    def pair(self):
        return self.env.unwrapped.model, self.env.unwrapped.data


class Dmc:
    def __init__(self, domain, task):
        from dm_control import suite
        self.env = suite.load(domain, task, task_kwargs={'random': 1})
        self.env.reset()
        spec = self.env.action_spec()
        self.low, self.high = np.maximum(spec.minimum, -100), np.minimum(spec.maximum, 100)

    def step(self, action, k):
        if self.env.step(action).last():
            self.env.reset()

    def pair(self):
        return self.env.physics.model.ptr, self.env.physics.data.ptr


def environments(kind):
    if kind == 'gym':
        for name in GYM:
            yield name + '-v5', Gym(name + '-v5')
    else:
        from dm_control import suite
        for domain, task in suite.ALL_TASKS:
            yield f'{domain}-{task}', Dmc(domain, task)


def state(m, d):
    s = np.zeros(mujoco.mj_stateSize(m, STATE))
    mujoco.mj_getState(m, d, s, STATE)
    return s


def one_step(m, d, s):
    """joint positions and velocities one step after a state"""
    mujoco.mj_setState(m, d, s, STATE)
    mujoco.mj_step(m, d)
    return np.concatenate([d.qpos, d.qvel])


def episode(env, kind, visit):
    rng = np.random.default_rng(0)
    for k in range(STEPS[kind]):
        env.step(rng.uniform(env.low, env.high), k)
        visit()


def record(file, kind):
    kept = {}
    for name, env in environments(kind):
        found = kept[name] = []

        def visit():
            m, d = env.pair()
            s = state(m, d)
            found.append((s, one_step(m, mujoco.MjData(m), s)))

        episode(env, kind, visit)
        mujoco.mj_saveModel(env.pair()[0], f'{file}.{name}.mjb', None)
    with open(file, 'wb') as f:
        pickle.dump(kept, f)
    print(f'{len(kept)} environments recorded')


def compare(file, kind):
    with open(file, 'rb') as f:
        kept = pickle.load(f)
    worst = {}
    for name, env in environments(kind):
        episode(env, kind, lambda: None)
        m = mujoco.MjModel.from_binary_path(f'{file}.{name}.mjb')
        d = mujoco.MjData(m)
        errors = [np.max(np.abs(one_step(m, d, s) - then) / np.maximum(1, np.abs(then)), initial=0) for s, then in kept[name]]
        worst[name] = max(errors)
        print(f'{name:32} {len(errors):5} steps, worst {worst[name]:.2e}', flush=True)
    above = [name for name in worst if not worst[name] <= LIMIT[kind]]
    print(f'{len(worst)} environments, worst {max(worst.values()):.2e}, {len(above)} above {LIMIT[kind]:g} {" ".join(above)}')
    return 1 if above or worst.keys() != kept.keys() else 0


def main():
    modes = {'record': record, 'compare': compare}
    if len(sys.argv) != 4 or sys.argv[1] not in modes or sys.argv[3] not in STEPS:
        sys.exit(__doc__)
    warnings.filterwarnings('ignore')
    return modes[sys.argv[1]](sys.argv[2], sys.argv[3])


if __name__ == '__main__':
    sys.exit(main())
