"""Our own tasks: bits, starts, rewards, and policies that earn them."""
import pathlib
import pickle

import numpy as np
import pytest

import cortenforge as cf
from cortenforge.envs import Simulation, Streams, make_task
from cortenforge.envs.own import TASKS, base

from policies import POLICIES

ROOT = pathlib.Path(__file__).resolve().parents[2]
NAMES = sorted(TASKS)


def rows_of(name, count, steps=40, whole=11, first=0, **options):
    """Observations, rewards and ends of random actions; of worlds that are part of `whole` with their actions."""
    s = Simulation(make_task(name), count, max_episode_steps=15, first=first, **options)
    rng, rows = np.random.default_rng(0), [s.reset(7)[0].copy()]
    for _ in range(steps):
        actions = rng.uniform(-1, 1, (whole,) + s.action_low.shape)[first:first + count]
        observation, reward, terminated, truncated, _ = s.step(actions)
        rows.append(np.hstack([observation, reward[:, None], terminated[:, None], truncated[:, None]]))
    return rows


@pytest.mark.parametrize("name", NAMES)
def test_bits_do_not_depend_on_worlds_threads_lanes_and_parts(name):
    whole = rows_of(name, 11, lanes=1, threads=1)
    assert all(np.isfinite(row).all() for row in whole) and not np.array_equal(whole[1], whole[2])
    for options in ({"threads": 2}, {"lanes": 4}, {"lanes": 8}):
        try:
            other = rows_of(name, 11, **options)
        except ValueError:
            assert "lanes" in options        # a processor without such registers, or a model that they do not step
            continue
        assert all(np.array_equal(a, b) for a, b in zip(whole, other, strict=True)), options
    part = rows_of(name, 5, first=4)
    assert all(np.array_equal(a[4:9], b) for a, b in zip(whole, part, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_episodes_go_on_from_a_pickled_state(name):
    s, rng = Simulation(make_task(name), 3, max_episode_steps=8, autoreset="SameStep"), np.random.default_rng(1)
    s.reset(5)
    size = (3,) + s.action_low.shape
    for _ in range(10):
        s.step(rng.uniform(-1, 1, size))
    twin = Simulation(pickle.loads(pickle.dumps(make_task(name))), 3, max_episode_steps=8, autoreset="SameStep", threads=1)
    twin.set_state(pickle.loads(pickle.dumps(s.get_state())))
    for _ in range(12):
        actions = rng.uniform(-1, 1, size)
        assert all(np.array_equal(a, b) for a, b in zip(s.step(actions)[:4], twin.step(actions)[:4]))


@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
@pytest.mark.parametrize("name", NAMES)
def test_one_array_for_all_observations_has_their_bits(name, autoreset):
    one, many = (Simulation(make_task(name), 3, reuse=reuse, autoreset=autoreset, max_episode_steps=4, threads=1) for reuse in (True, False))
    array = one.reset(1)[0]
    assert np.array_equal(array, many.reset(1)[0])
    for k in range(10):
        actions = np.random.default_rng(k).uniform(-1, 1, (3,) + one.action_low.shape)
        a, b = one.step(actions), many.step(actions)
        assert a[0] is array and np.array_equal(a[0], b[0]) and np.array_equal(a[1], b[1]), k


@pytest.mark.parametrize("name", NAMES)
def test_worlds_begin_apart_and_terms_of_the_reward_are_in_infos(name):
    s = Simulation(make_task(name), 16, autoreset="Disabled")
    first, _ = s.reset(0)
    assert all(not np.array_equal(first[0], row) for row in first[1:]) and np.abs(first).max() < 20
    _, reward, terminated, _, infos = s.step(np.zeros((16,) + s.action_low.shape))
    terms = [key for key in infos if key.startswith(("reward_", "cost_"))]
    assert terms and all(infos[key].shape == (16,) for key in terms) and not terminated.any()
    assert reward.max() < 12 and s.max_episode_steps <= 500


def episode(name, policy, count=6, seed=1, **options):
    """Returns and whether each world succeeded, in one episode."""
    s = Simulation(make_task(name, **options), count, autoreset="Disabled")
    observation, _ = s.reset(seed)
    total, live, success, rng = np.zeros(count), np.ones(count, bool), np.zeros(count, bool), np.random.default_rng(0)
    for _ in range(s.max_episode_steps):
        actions = rng.uniform(-1, 1, (count,) + s.action_low.shape) if policy is None else policy(observation, s)
        observation, reward, terminated, truncated, infos = s.step(actions)
        total += reward * live
        if "success" in infos:
            success |= infos["success"].astype(bool) & live
        live &= ~(terminated | truncated)
        s.done[:] = False
        if not live.any():
            break
    return total, success


@pytest.mark.parametrize("name, above, below", [("Drone-v0", 150, 20), ("PegInHole-v0", 230, 60), ("SoftGrasp-v0", 170, 40), ("PickPlace-v0", 200, 40)])
def test_a_scripted_policy_earns_what_random_actions_do_not(name, above, below):
    total, success = episode(name, POLICIES[name])
    assert total.min() > above and (success.all() or name == "Drone-v0"), total
    total, success = episode(name, None)
    assert total.max() < below and not success.any(), total


def test_quadruped_stands_where_it_is_told_to_and_not_where_it_should_walk():
    def stand(observation, s):
        return np.zeros((s.count, 12))

    for name in ("QuadrupedFlat-v0", "QuadrupedTerrain-v0"):
        still, _ = episode(name, stand, speed=((0, 0),) * 3)
        walking, _ = episode(name, stand, speed=((0.8, 1.0), (0, 0), (0, 0)))
        assert still.min() > 850 and walking.max() < 520, (name, still, walking)


def test_ground_is_that_of_the_engine():
    task = make_task("QuadrupedTerrain-v0", roughness=0.2)
    s = Simulation(task, 2)
    s.reset(0)
    m, d = s.model, s.batch.data(0)
    assert task.grid.max() > 0.12 and task.grid.min() < 0.04
    xy = np.random.default_rng(0).uniform(-9.5, 9.5, (200, 2))
    ours = task.ground(s.worlds, xy[:, 0], xy[:, 1])
    geom, only = np.zeros(1, np.int32), np.array([1, 0, 0, 0, 0, 0], np.uint8)
    for (x, y), height in zip(xy, ours):
        down = cf.mj_ray(m, d, np.array([x, y, 3.0]), np.array([0, 0, -1.0]), only, 1, 1, geom)
        # triangles there, their mean here
        assert abs(3 - down - height) < 0.05
    corner = np.array([-10 + 20 / 127 * 5, -10 + 20 / 127 * 9])
    down = cf.mj_ray(m, d, np.array([*(corner + 1e-9), 3.0]), np.array([0, 0, -1.0]), only, 1, 1, geom)
    assert abs(3 - down - task.ground(s.worlds, corner[:1], corner[1:])[0]) < 1e-6
    assert np.array_equal(task.ground(s.worlds, np.array([11.0, -30.0]), np.array([0.0, 0.0])), [0, 0])
    other = make_task("QuadrupedTerrain-v0", terrain_seed=1)
    assert not np.array_equal(other.make_model().hfield_data, m.hfield_data)


def test_turns_are_those_of_the_engine():
    draw = Streams(20)
    draw.seed(3)
    a, b, v = (draw.normal(np.arange(20), n) for n in (4, 4, 3))
    a, b = (q / np.sqrt(base.square(q))[:, None] for q in (a, b))
    for k in range(20):
        back, turned, both = np.zeros(4), np.zeros(3), np.zeros(4)
        cf.mju_negQuat(back, a[k])
        cf.mju_rotVecQuat(turned, v[k], back)
        assert np.allclose(base.to_body(a, v)[k], turned, atol=1e-14)
        cf.mju_rotVecQuat(turned, np.array([0, 0, 1.0]), back)
        assert np.allclose(base.up(a)[k], turned, atol=1e-14)
        cf.mju_mulQuat(both, back, b[k])
        assert np.allclose(base.relative(a, b)[k], both * (1 if both[0] >= 0 else -1), atol=1e-14)


def test_goals_of_the_cube_are_as_far_as_they_are_asked_to_be_and_move_on():
    task = make_task("CubeInHand-v0", turn=0.3)
    s = Simulation(task, 64, autoreset="Disabled")
    s.reset(0)
    w = s.worlds
    away = base.square(base.relative(w.qpos[:, 19:23], w.mocap_quat[:, 0])[:, 1:])
    assert 0.28 < np.sqrt(away.max()) < 0.3 + 1e-9
    before = w.mocap_quat.copy()
    w.mocap_quat[:3, 0] = w.qpos[:3, 19:23]          # reached in three worlds
    _, reward, _, _, infos = s.step(np.zeros((64, 16)))
    assert infos["success"][:3].all() and (reward[:3] > 5).all() and not np.isclose(w.mocap_quat[:3], before[:3]).all()
    assert np.array_equal(w.mocap_quat[3:][~infos["success"][3:]], before[3:][~infos["success"][3:]])


def test_two_models_share_declarations():
    """Each simulation binds copies: a task on another model does not change what the first one draws."""
    s = Simulation(make_task("QuadrupedTerrain-v0"), 3)
    s.reset(4)
    expected = s.batch.get("geom_friction").copy()
    other = Simulation(make_task("QuadrupedFlat-v0"), 3)
    other.reset(9)
    s.reset(4)
    assert np.array_equal(s.batch.get("geom_friction"), expected)
    assert len(np.unique(expected[:, 3, 0])) == 3


def test_the_documentation_lists_every_task():
    text = (ROOT / "docs" / "learning.md").read_text()
    assert [name for name in NAMES if f"`{name}`" not in text] == []
