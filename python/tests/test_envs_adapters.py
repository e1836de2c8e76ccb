"""Adapters against the real libraries."""
import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium")
from cortenforge.envs import VectorEnv, adapters, make_task  # noqa: E402

from test_envs import Cart  # noqa: E402


def test_missing_libraries_are_named(monkeypatch):
    for module, package, call in (("stable_baselines3", "stable-baselines3", adapters.stable_baselines3), ("dm_env", "dm-env", adapters.dm_env)):
        for name in [n for n in sys.modules if n.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=f"pip install {package}"):
            call(Cart(), 2) if module == "stable_baselines3" else call(Cart())


def test_dm_env_has_the_bits_of_a_vector_environment():
    dm_env = pytest.importorskip("dm_env")
    from dm_env import specs
    one = adapters.dm_env(Cart(), seed=3, max_episode_steps=9)
    many = VectorEnv(Cart(), 1, max_episode_steps=9)
    assert isinstance(one.observation_spec(), specs.Array) and isinstance(one.action_spec(), specs.BoundedArray)
    first, _ = many.reset(seed=3)
    assert np.array_equal(one.reset().observation, first[0])
    rng, kinds = np.random.default_rng(0), set()
    for _ in range(40):
        action = rng.uniform(-1, 1, 1)
        row, (observation, rewards, terminated, truncated, _) = one.step(action), many.step(action[None])
        one.observation_spec().validate(row.observation)
        assert np.array_equal(row.observation, observation[0])
        assert row.first() or row.reward == rewards[0]
        assert row.last() == (terminated[0] or truncated[0]) and (not row.last() or row.discount == (0.0 if terminated[0] else 1.0))
        kinds.add(row.step_type)
    assert kinds == set(dm_env.StepType)


def test_stable_baselines3_learns_and_its_checks_pass():
    pytest.importorskip("stable_baselines3")
    import gymnasium as gym
    import torch
    torch.set_num_threads(1)            # threads cost more than such small matrices take
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.vec_env import VecMonitor, VecNormalize
    check_env(gym.make("cortenforge/Hopper-v5").unwrapped, warn=False)
    many = adapters.stable_baselines3(make_task("CartpoleBalance-v0"), 16)
    many.seed(1)
    first = many.reset()
    many.seed(1)
    assert np.array_equal(many.reset(), first) and many.get_attr("dt") == [many.envs.dt] * 16
    observed = VecNormalize(VecMonitor(many))
    model = PPO("MlpPolicy", observed, n_steps=64, batch_size=256, n_epochs=4, seed=0, device="cpu")
    model.learn(20_000)
    assert np.mean([episode["r"] for episode in model.ep_info_buffer]) > 80


def test_ends_reach_stable_baselines3():
    pytest.importorskip("stable_baselines3")
    many = adapters.stable_baselines3(Cart(), 3, max_episode_steps=5)
    plain = VectorEnv(Cart(), 3, max_episode_steps=5, autoreset_mode="SameStep")
    many.seed(2)
    assert np.array_equal(many.reset(), plain.reset(seed=2)[0])
    for k in range(5):
        actions = np.full((3, 1), 0.1, np.float32)
        observation, rewards, done, infos = many.step(actions)
        expected = plain.step(actions)
        assert np.array_equal(observation, expected[0]) and np.array_equal(rewards, expected[1].astype(np.float32))
    assert done.all() and all(info["TimeLimit.truncated"] for info in infos)
    assert all(np.array_equal(info["terminal_observation"], last) for info, last in zip(infos, expected[4]["final_obs"]))
