"""Tasks of dm_control's suite: equal to dm_control's own code on this engine, within 1e-12.

CF_LONG=1 takes 1,000 steps and more worlds.
"""
import importlib.util
import os
import pickle

import numpy as np
import pytest

for package in ("dm_control", "gymnasium"):
    if importlib.util.find_spec(package) is None:
        pytest.skip(f"could not import {package!r}", allow_module_level=True)
from cortenforge.envs import Simulation, dm_control, make_task  # noqa: E402

LONG = os.environ.get("CF_LONG") == "1"
STEPS, LIMIT, WORLDS = (1000, 150, 4) if LONG else (40, 16, 2)


@pytest.fixture(scope="module")
def suite(as_mujoco):
    os.environ.setdefault("MUJOCO_GL", "osmesa")
    from dm_control import suite as theirs
    return theirs


def flat(observation):
    return np.concatenate([np.ravel(v) for v in observation.values()])


def worst(a, b):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (a.shape, b.shape)
    return float((np.abs(a - b) / np.maximum(1, np.abs(a))).max()) if a.size else 0.0


@pytest.mark.parametrize("domain, task", dm_control.SUITE, ids=lambda x: x)
@pytest.mark.parametrize("lanes", (1, 0))
def test_equal_to_dm_control(suite, domain, task, lanes):
    if lanes == 0 and not LONG and (domain, task) not in (("finger", "turn_easy"), ("walker", "run"), ("reacher", "hard"), ("lqr", "lqr_2_1")):
        pytest.skip("all lanes of this task are compared by CF_LONG=1")
    theirs = [suite.load(domain, task, task_kwargs={"random": 5 + i}) for i in range(WORLDS)]
    steps = theirs[0]._step_limit
    for environment in theirs:
        environment._step_limit = min(LIMIT, steps)
    mine = Simulation(make_task(f"dmc-{domain}-{task}-v0"), WORLDS, lanes=lanes, max_episode_steps=LIMIT)
    assert (mine.task.max_episode_steps or np.inf) == np.ceil(steps) and mine.worlds.dt == pytest.approx(theirs[0].control_timestep())
    observation, _ = mine.reset(5)
    error = max(worst(flat(e.reset().observation), o) for e, o in zip(theirs, observation))
    assert error <= 1e-12, error
    names = [(name, np.shape(value)) for name, value in theirs[0].task.get_observation(theirs[0].physics).items()]
    named = Simulation(make_task(f"dmc-{domain}-{task}-v0", flat=False), 2)
    assert [(name, value.shape[1:] or (1,)) for name, value in named.reset(0)[0].items()] == [(n, s or (1,)) for n, s in names]
    spec, rng = theirs[0].action_spec(), np.random.default_rng(0)
    low, high = np.maximum(spec.minimum, -1), np.minimum(spec.maximum, 1)
    ends = 0
    for t in range(STEPS):
        actions = rng.uniform(low, high, (WORLDS,) + spec.shape)
        observation, rewards, terminated, truncated, _ = mine.step(actions)
        for i, environment in enumerate(theirs):
            row = environment.step(actions[i])
            assert worst(flat(row.observation), observation[i]) <= 1e-12, (t, i, worst(flat(row.observation), observation[i]))
            assert row.last() == (terminated[i] or truncated[i]), t
            if row.first():
                assert rewards[i] == 0
            else:
                assert abs(row.reward - rewards[i]) <= 1e-12 * max(1, abs(row.reward)), (t, row.reward, rewards[i])
            ends += row.last()
    assert ends >= WORLDS


def test_actions_have_the_bounds_of_dm_control(suite):
    for domain, task in dm_control.SUITE:
        spec = suite.load(domain, task).action_spec()
        mine = Simulation(make_task(f"dmc-{domain}-{task}-v0"), 1)
        assert np.array_equal(np.clip(mine.action_low, -1e10, 1e10), spec.minimum) and np.array_equal(np.clip(mine.action_high, -1e10, 1e10), spec.maximum)


def test_state_and_pickle_go_on_with_the_same_bits():
    for name in ("dmc-finger-turn_hard-v0", "dmc-lqr-lqr_6_2-v0", "dmc-swimmer-swimmer6-v0", "dmc-cheetah-run-v0"):
        s = Simulation(make_task(name), 3, max_episode_steps=7)
        s.reset(1)
        rng = np.random.default_rng(1)
        for _ in range(9):
            s.step(rng.uniform(-1, 1, (3, len(s.action_low))))
        twin = Simulation(pickle.loads(pickle.dumps(s.task)), 3, max_episode_steps=7)
        twin.set_state(pickle.loads(pickle.dumps(s.get_state())))
        for _ in range(9):
            actions = rng.uniform(-1, 1, (3, len(s.action_low)))
            assert all(np.array_equal(a, b) for a, b in zip(s.step(actions)[:4], twin.step(actions)[:4]))
