"""The eleven MuJoCo tasks: bits of Gymnasium's own code on this engine, whatever the lanes, threads and autoreset mode.

CF_LONG=1 takes 1,000 steps with all combinations; otherwise fewer, with some of them.
"""
import os
import sys
import types

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")
import cortenforge as cf  # noqa: E402
from cortenforge import envs  # noqa: E402
from cortenforge.envs import mujoco_v5  # noqa: E402

LONG = os.environ.get("CF_LONG") == "1"
STEPS, LIMIT, WORLDS = (1000, 300, 5) if LONG else (100, 23, 5)
MODES = list(gym.vector.AutoresetMode)


@pytest.fixture(scope="module")
def official(as_mujoco):
    """Gymnasium's tasks on this engine, without its renderer, which needs GLFW."""
    stub = types.ModuleType("gymnasium.envs.mujoco.mujoco_rendering")
    stub.MujocoRenderer = type("MujocoRenderer", (), {"__init__": lambda self, *a, **k: None, "close": lambda self: None})
    stub.OffScreenViewer = stub.WindowViewer = None
    sys.modules[stub.__name__] = stub


def actions_of(envs_, steps):
    """Random actions of float32, in turns small (episodes last) and large."""
    rng = np.random.default_rng(11)
    space = envs_.single_action_space
    for t in range(steps):
        size = (0.1, 1.0, 0.4)[t // 25 % 3]
        yield (size * rng.uniform(space.low, space.high, (envs_.num_envs,) + space.shape)).astype(np.float32)


def history(envs_, steps=STEPS):
    """Everything that an environment gives over some steps."""
    mode = envs_.metadata["autoreset_mode"]
    rows = [envs_.reset(seed=7)]
    done = np.zeros(envs_.num_envs, bool)
    for action in actions_of(envs_, steps):
        if mode is gym.vector.AutoresetMode.DISABLED and done.any():
            rows.append(envs_.reset(options={"reset_mask": done.copy()}))
        row = envs_.step(action)
        done = row[2] | row[3]
        rows.append(row)
    return rows


def differ(a, b, path=""):
    """The first place where two results differ in a bit, a type or a key; None if there is none."""
    if isinstance(a, dict):
        if set(a) != set(b):
            return f"{path}: keys {sorted(set(a) ^ set(b))}"
        return next((d for k in a if (d := differ(a[k], b[k], f"{path}.{k}"))), None)
    a, b = np.asarray(a), np.asarray(b)
    if a.dtype == object:
        return next((d for i in range(len(a)) if (d := f"{path}[{i}]" if (a[i] is None) != (b[i] is None) else
                                                  a[i] is not None and differ(a[i], b[i], f"{path}[{i}]"))), None)
    if a.dtype != b.dtype or a.shape != b.shape:
        return f"{path}: {a.dtype} {a.shape} and {b.dtype} {b.shape}"
    bad = np.argwhere(a != b)
    return f"{path}{bad[0].tolist()}: {a[tuple(bad[0])]!r} and {b[tuple(bad[0])]!r}, {len(bad)} places" if len(bad) else None


def compare(expected, given):
    for t, (a, b) in enumerate(zip(expected, given, strict=True)):
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            place = differ(x, y)
            assert not place, f"row {t}, part {k}: {place}"


def lanes_here():
    model = cf.Model.load(mujoco_v5.asset("half_cheetah.xml"))
    return [n for n in (1, 4, 8) if n == 1 or cf.Batch(model, 8, lanes=n).lanes == n]


def reference(name, mode, **options):
    return gym.vector.SyncVectorEnv([lambda: gym.make(name, disable_env_checker=True, max_episode_steps=LIMIT, **options)] * WORLDS,
                                    autoreset_mode=mode)


def ours(name, mode, lanes=1, threads=1, **options):
    return gym.make_vec("cortenforge/" + name, WORLDS, autoreset_mode=mode, lanes=lanes, threads=threads, max_episode_steps=LIMIT, **options)


@pytest.mark.parametrize("name", mujoco_v5.TASKS)
@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
def test_bits_of_gymnasium(official, name, mode):
    expected = history(reference(name, mode))
    assert sum((row[2] | row[3]).sum() for row in expected[1:] if len(row) == 5) >= WORLDS, "no episode ended"
    widths = lanes_here()
    combinations = [(lanes, threads) for lanes in widths for threads in (1, 2)]
    for lanes, threads in combinations if LONG else [(widths[MODES.index(mode) % len(widths)], 1 + MODES.index(mode) % 2)]:
        compare(expected, history(ours(name, mode, lanes, threads)))


OPTIONS = {"Ant-v5": dict(include_cfrc_ext_in_observation=False, exclude_current_positions_from_observation=False, main_body="torso"),
           "Humanoid-v5": dict(include_cinert_in_observation=False, include_cvel_in_observation=False, terminate_when_unhealthy=False,
                               contact_cost_range=(1e-3, 2.0), frame_skip=3),
           "HumanoidStandup-v5": dict(include_qfrc_actuator_in_observation=False, include_cfrc_ext_in_observation=False),
           "Hopper-v5": dict(healthy_state_range=(-2.0, 2.0), reset_noise_scale=0.1, terminate_when_unhealthy=False),
           "Walker2d-v5": dict(healthy_angle_range=(-0.1, 0.1), exclude_current_positions_from_observation=False),
           "Swimmer-v5": dict(ctrl_cost_weight=0.5, exclude_current_positions_from_observation=False),
           "Pusher-v5": dict(reward_near_weight=2.0), "InvertedDoublePendulum-v5": dict(healthy_reward=3.0)}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_mean_the_same(official, name):
    compare(history(reference(name, MODES[0], **OPTIONS[name]), 40), history(ours(name, MODES[0], **OPTIONS[name]), 40))


@pytest.mark.parametrize("name", mujoco_v5.TASKS)
def test_spaces_and_defaults_are_those_of_gymnasium(official, name):
    theirs, mine = gym.make_vec(name, 2, vectorization_mode="sync"), gym.make_vec("cortenforge/" + name, 2)
    assert theirs.single_action_space == mine.single_action_space and theirs.action_space == mine.action_space
    assert theirs.single_observation_space == mine.single_observation_space and theirs.observation_space == mine.observation_space
    assert gym.spec(name).max_episode_steps == gym.spec("cortenforge/" + name).max_episode_steps == mine.task.max_episode_steps
    one, other = theirs.envs[0].unwrapped, mine.task
    for option in type(other)().__dict__:
        if hasattr(one, "_" + option):
            assert getattr(one, "_" + option) == getattr(other, option), option
    assert mine.metadata["render_fps"] == one.metadata["render_fps"] and mine.dt == one.dt


@pytest.mark.parametrize("name", ["Ant-v5", "Reacher-v5"])
def test_one_world_is_an_environment_of_gymnasium(official, name):
    theirs, mine = gym.make(name), gym.make("cortenforge/" + name)
    compare([theirs.reset(seed=5)], [mine.reset(seed=5)])
    for _ in range(60):
        action = theirs.action_space.sample()
        a, b = theirs.step(action), mine.step(action)
        compare([a], [b])
        if a[2] or a[3]:
            compare([theirs.reset()], [mine.reset()])


def test_float64_actions_count_in_double_precision(official):
    name = "HalfCheetah-v5"
    theirs, mine = reference(name, MODES[0]), ours(name, MODES[0])
    theirs.reset(seed=1), mine.reset(seed=1)
    action = np.random.default_rng(0).uniform(-1, 1, (WORLDS, 6))
    compare([theirs.step(action)], [mine.step(action)])
    assert envs.make_task(name).ctrl_cost_weight == 0.1
