"""Gymnasium's interfaces: names, spaces, wrappers, pictures, parts, pickles."""
import importlib.util
import pickle
import warnings

import numpy as np
import pytest

gym = pytest.importorskip("gymnasium")
import cortenforge as cf  # noqa: E402
from cortenforge import envs  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

from test_envs import Cart, EVERYTHING  # noqa: E402

HAS_DM_CONTROL = importlib.util.find_spec("dm_control") is not None
NAMES = sorted(name for name in envs.registration.TASKS if not name.startswith("dmc-")
               or HAS_DM_CONTROL and name in ("dmc-walker-run-v0", "dmc-point_mass-hard-v0"))


def steps(environment, count=30, seed=0, first=0, whole=None):
    rng = np.random.default_rng(seed)
    n, space = environment.num_envs, environment.single_action_space
    for _ in range(count):
        actions = rng.uniform(-0.4, 0.4, (whole or n,) + space.shape).astype(space.dtype)[first:first + n]
        yield environment.step(actions)


@pytest.mark.parametrize("name", NAMES)
def test_names_make_environments_that_pass_the_checker(name):
    environment = gym.make("cortenforge/" + name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*(infinity|Box action space|not within the observation space|render_modes|precision).*")
        warnings.filterwarnings("ignore", category=DeprecationWarning)
        check_env(environment.unwrapped, skip_render_check=True)
    many = gym.make_vec("cortenforge/" + name, num_envs=3)
    observation, _ = many.reset(seed=1)
    assert observation in many.observation_space and observation.shape == (3,) + many.single_observation_space.shape
    observation, reward, terminated, truncated, infos = many.step(many.action_space.sample())
    assert observation in many.observation_space
    assert reward.dtype == np.float64 and terminated.dtype == truncated.dtype == np.bool_
    assert reward.shape == terminated.shape == truncated.shape == (3,)
    assert many.spec.id == "cortenforge/" + name and gym.envs.registration.EnvSpec.from_json(many.spec.to_json()).id == many.spec.id
    assert many.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP


@pytest.mark.skipif(HAS_DM_CONTROL, reason="dm_control is here")
def test_missing_dm_control_is_named():
    with pytest.raises(ImportError, match="pip install dm_control"):
        gym.make_vec("cortenforge/dmc-walker-run-v0", 2)


def test_options_reach_task_and_environment():
    many = gym.make_vec("cortenforge/Hopper-v5", 2, ctrl_cost_weight=0.5, frame_skip=2, max_episode_steps=7, lanes=1, autoreset_mode="SameStep")
    assert many.task.ctrl_cost_weight == 0.5 and many.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert many.dt == pytest.approx(0.004)
    many.reset(seed=0)
    assert [row[3].all() for row in steps(many, 7)][-1]
    path = envs.mujoco_v5.asset("walker2d.xml")
    other = gym.make_vec("cortenforge/Walker2d-v5", 2, xml_file=path)
    assert not np.array_equal(other.simulation.model.geom_friction, gym.make_vec("cortenforge/Walker2d-v5", 2).simulation.model.geom_friction)
    assert many.reset(seed=np.int64(3))[0].shape == (2, 11)
    with pytest.raises(TypeError, match="no option 'ctrl_cost'; allowed are .*ctrl_cost_weight"):
        gym.make_vec("cortenforge/Hopper-v5", 2, ctrl_cost=0.5)
    with pytest.raises(ValueError, match="'rgb_array'"):
        gym.make_vec("cortenforge/Hopper-v5", 2, render_mode="ansi")
    with pytest.raises(ValueError):
        gym.make_vec("cortenforge/Hopper-v5", 2, autoreset_mode="sometimes")


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_wrappers_of_gymnasium_work(mode):
    many = envs.VectorEnv(Cart(), 6, autoreset_mode=mode, max_episode_steps=11)
    wrapped = gym.wrappers.vector.RecordEpisodeStatistics(many)
    if mode is AutoresetMode.DISABLED:
        wrapped.reset(seed=0)
        lengths = [int(x) for row in steps_to_end(wrapped) for x in row]
    else:
        if mode is AutoresetMode.NEXT_STEP:
            wrapped = gym.wrappers.vector.NormalizeReward(gym.wrappers.vector.NormalizeObservation(wrapped))
        wrapped.reset(seed=0)
        lengths = []
        for *_, infos in steps(wrapped, 60):
            told = infos.get("final_info", infos) if mode is AutoresetMode.SAME_STEP and "episode" not in infos else infos
            if "episode" in told:
                lengths += told["episode"]["l"][told["_episode"]].tolist()
    assert len(lengths) >= 6 and max(lengths) <= 11 and min(lengths) >= 1


def steps_to_end(wrapped):
    """Lengths of the first episodes of an environment that does not reset by itself."""
    done, length = np.zeros(6, bool), np.zeros(6, int)
    for _ in range(30):
        *_, terminated, truncated, infos = wrapped.step(np.zeros((6, 1), np.float32))
        done = terminated | truncated
        length += 1
        if done.any():
            yield length[done]
            length[done] = 0
            wrapped.reset(options={"reset_mask": done})


def test_reset_mask_resets_only_those_worlds():
    many = envs.VectorEnv(Cart(), 4, autoreset_mode="Disabled")
    many.reset(seed=3)
    for row in steps(many, 5):
        last = row[0]
    mask = np.array([False, True, False, False])
    observation, _ = many.reset(options={"reset_mask": mask})
    assert np.array_equal(observation[~mask], last[~mask]) and not np.array_equal(observation[1], last[1])
    assert many.simulation.worlds.elapsed.tolist() == [5, 0, 5, 5]
    for bad in (np.zeros(4, bool), np.ones(3, bool), np.ones(4, int)):
        with pytest.raises(ValueError, match="reset_mask"):
            many.reset(options={"reset_mask": bad})
    with pytest.raises(ValueError, match="no option 'mask'"):
        many.reset(options={"mask": mask})


def test_observations_that_are_joined_twice_do_not_share_an_array():
    class Between(Cart):
        def observe(self, w):
            return w.join(w.qpos, w.qvel) - w.join(w.qvel, w.qpos)

        def reward(self, w):
            return w.join(w.qvel, w.qvel)[:, 0]

    class Wide(Cart):
        def observe(self, w):
            return w.join(super().observe(w), w.qpos)

    for kind in (Between, Wide):
        a, b = envs.VectorEnv(kind(), 3, copy=False), envs.VectorEnv(kind(), 3)
        given = a.reset(seed=1)[0]
        assert np.array_equal(given, b.reset(seed=1)[0])
        for p, q in zip(steps(a, 12), steps(b, 12), strict=True):
            assert p[0] is given and np.array_equal(p[0], q[0])


@pytest.mark.parametrize("copy", [True, False])
def test_resets_of_some_worlds_draw_nothing_for_the_others(copy):
    def make():
        randomize = [envs.vary.noise(0.1, bias=0.2), envs.vary.delay(0, 2), envs.vary.push("cart", force=(0, 1), every=(0.02, 0.1))]
        return envs.VectorEnv(Cart(randomize=randomize), 3, autoreset_mode="Disabled", copy=copy)

    many, alone = make(), make()
    for e in (many, alone):
        e.reset(seed=3)
    for k, (a, b) in enumerate(zip(steps(many, 6), steps(alone, 6), strict=True)):
        last = np.array(a[0])
        assert np.array_equal(last[::2], b[0][::2]), k
        if k == 3:
            twin = pickle.loads(pickle.dumps(many))
            assert np.array_equal(twin.reset(options={"reset_mask": np.array([False, True, False])})[0][::2], last[::2])
        observation, _ = many.reset(options={"reset_mask": np.array([False, True, False])})
        assert np.array_equal(observation[::2], last[::2]) and not np.array_equal(observation[1], last[1])


def test_parts_have_the_bits_of_the_whole_and_step_at_the_same_time():
    whole = envs.VectorEnv(Cart(randomize=EVERYTHING), 7, max_episode_steps=9)
    parts = whole.split(3)
    assert [part.num_envs for part in parts] == [2, 2, 3]
    first, _ = whole.reset(seed=4)
    assert np.array_equal(np.vstack([part.reset(seed=4)[0] for part in parts]), first)
    rng = np.random.default_rng(0)
    for _ in range(25):
        actions = rng.uniform(-1, 1, (7, 1))
        expected = whole.step(actions)
        for part in parts:
            part.step_async(actions[part.first_world:part.first_world + part.num_envs])
        given = [part.step_wait() for part in parts]
        for k in range(4):
            assert np.array_equal(np.concatenate([row[k] for row in given]), expected[k])
    with pytest.raises(ValueError, match="8 parts of 7 worlds"):
        whole.split(8)


def test_a_step_under_way_is_not_disturbed():
    many = envs.VectorEnv(Cart(), 2)
    with pytest.raises(RuntimeError, match="no step was begun"):
        many.step_wait()
    many.reset(seed=0)
    many.step_async(np.zeros((2, 1)))
    for call in (lambda: many.step(np.zeros((2, 1))), lambda: many.reset(), lambda: many.step_async(np.zeros((2, 1))), many.get_state):
        with pytest.raises(RuntimeError, match="step_wait"):
            call()
    assert many.step_wait()[0].shape == (2, 4)
    with pytest.raises(ValueError, match="is nan"):
        many.step_async(np.full((2, 1), np.nan))
    many.step(np.zeros((2, 1)))
    many.close()
    with pytest.raises(gym.error.ClosedEnvironmentError):
        many.step(np.zeros((2, 1)))


def test_pickle_goes_on_with_the_same_bits():
    for many in (envs.VectorEnv(Cart(randomize=EVERYTHING), 5, max_episode_steps=9), gym.make_vec("cortenforge/Ant-v5", 3)):
        many.reset(seed=1)
        for _ in steps(many, 12):
            pass
        twin = pickle.loads(pickle.dumps(many))
        assert twin.spec == many.spec and twin.metadata == many.metadata
        for a, b in zip(steps(many, 20, 9), steps(twin, 20, 9)):
            assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4]))
            assert {k: v.tolist() for k, v in a[4].items()} == {k: v.tolist() for k, v in b[4].items()}
    state = many.get_state()
    other = gym.make_vec("cortenforge/Ant-v5", 4)
    with pytest.raises(ValueError, match="expected 4"):
        other.set_state(state)


def test_without_copies_the_array_is_the_same_one():
    a, b = envs.VectorEnv(Cart(), 3, copy=False), envs.VectorEnv(Cart(), 3)
    first, _ = a.reset(seed=1)
    kept, _ = b.reset(seed=1)
    before = kept.copy()
    for x, y in zip(steps(a, 20), steps(b, 20)):
        assert x[0] is first and np.array_equal(x[0], y[0]) and y[0] is not kept
    assert np.array_equal(kept, before)


def test_arrays_travel_by_dlpack():
    many = envs.VectorEnv(Cart(), 3, copy=False)
    observation, _ = many.reset(seed=1)
    live = np.from_dlpack(observation)
    actions = np.full((3, 1), 0.3)

    class Foreign:
        def __dlpack__(self, **options):
            return actions.__dlpack__(**options)

        def __dlpack_device__(self):
            return actions.__dlpack_device__()

    many.step(Foreign())
    assert np.array_equal(live, observation) and (many.simulation.worlds.ctrl == 0.3).all()


def test_dict_observations_have_dict_spaces():
    class Named(Cart):
        def observe(self, w):
            return {"q": w.qpos, "v": w.qvel}

    many = envs.VectorEnv(Named(), 3, autoreset_mode="SameStep", max_episode_steps=4)
    plain = envs.VectorEnv(Cart(), 3, autoreset_mode="SameStep", max_episode_steps=4)
    assert isinstance(many.single_observation_space, gym.spaces.Dict)
    observation, _ = many.reset(seed=0)
    plain.reset(seed=0)
    assert observation in many.observation_space
    for a, b in zip(steps(many, 6), steps(plain, 6)):
        assert np.array_equal(np.hstack([a[0]["q"], a[0]["v"]]), b[0])
        if "final_obs" in b[4]:
            assert np.array_equal(np.hstack([*a[4]["final_obs"][0].values()]), b[4]["final_obs"][0])


def test_chosen_worlds_are_drawn():
    try:
        cf._core.GLContext(16, 16)
    except Exception as error:
        pytest.skip(f"no pictures here: {error}")
    many = envs.VectorEnv(Cart(), 4, render_mode="rgb_array", width=64, height=48, render_worlds=[2, 0])
    many.reset(seed=0)
    many.simulation.worlds.qpos[2, 1] = 1.5
    two = many.render()
    assert len(two) == 2 and two[0].shape == (48, 64, 3) and two[0].dtype == np.uint8 and two[0].std() > 5
    assert (two[0] != two[1]).any() and np.array_equal(many.render([0])[0], two[1])
    with pytest.raises(IndexError, match="no world 4, the environment has 4"):
        many.render([4])
    many.close()
    one = gym.make("cortenforge/Hopper-v5", render_mode="rgb_array", width=40, height=30)
    one.reset(seed=0)
    assert one.render().shape == (30, 40, 3)
    depth = envs.VectorEnv(Cart(), 1, render_mode="depth_array", width=32, height=32)
    depth.reset(seed=0)
    assert depth.render()[0].dtype == np.float32
    with pytest.raises(ValueError, match="render_mode="):
        envs.VectorEnv(Cart(), 1).render()
