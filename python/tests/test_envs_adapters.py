"""Adapters against the real libraries."""
import sys

import numpy as np
import pytest

pytest.importorskip("gymnasium")
from cortenforge.envs import Simulation, VectorEnv, adapters, make_task  # noqa: E402

from test_envs import Cart  # noqa: E402


def test_missing_libraries_are_named(monkeypatch):
    for module, package, call in (("stable_baselines3", "stable-baselines3", adapters.stable_baselines3), ("dm_env", "dm-env", adapters.dm_env),
                                  ("torchrl", "torchrl", adapters.torchrl), ("skrl", "skrl", adapters.skrl), ("pufferlib", "pufferlib", adapters.pufferlib),
                                  ("ray", r"'ray\[rllib\]'", adapters.rllib_ppo)):
        for name in [n for n in sys.modules if n.split(".")[0] == module]:
            monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, module, None)
        with pytest.raises(ImportError, match=f"pip install {package}"):
            call(Cart()) if module == "dm_env" else call("Drone-v0") if module == "ray" else call(Cart(), 2)


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


def test_functional_states_go_on_after_an_error():
    def last(has_errors):
        env = adapters.functional(Cart(), 3, max_episode_steps=3)
        state = env.reset(0)
        for _ in range(8):
            if has_errors:
                with pytest.raises(ValueError, match="shape"):
                    env.step(state, np.zeros((2, 1)))
            state = env.step(state, np.full((3, 1), 0.1))
        return state.obs

    assert np.array_equal(last(True), last(False))


def test_functional_states_are_values():
    env = adapters.functional(Cart(), 3, max_episode_steps=6)
    plain = Simulation(Cart(), 3, max_episode_steps=6, autoreset="SameStep")
    first = state = env.reset(4)
    assert np.array_equal(state.obs, plain.reset(4)[0]) and env.observation_size == 4 and env.action_size == 1
    env = adapters.functional(Cart(), 3, max_episode_steps=6)
    first = state = env.reset(4)
    kept, actions = [], rng_actions(16, 3)
    for k in range(16):
        begins = state.done
        state = env.step(state, actions[k])
        kept.append(state)
        assert not (begins & state.done).any() or k > 6
    assert kept[5].info["truncation"].all() and not kept[6].done.any() and "height" in kept[3].metrics
    # branched from and stepped again, in any order
    for k in (9, 2, 14, 7):
        again = env.step(kept[k - 1], actions[k])
        assert np.array_equal(again.obs, kept[k].obs) and np.array_equal(again.reward, kept[k].reward)
    assert np.array_equal(env.step(first, actions[0]).obs, kept[0].obs)


def rng_actions(steps, count):
    return np.random.default_rng(2).uniform(-0.3, 0.3, (steps, count, 1))


@pytest.mark.parametrize("task", [Cart, lambda: make_task("Drone-v0")])
def test_torchrl_accepts_its_specs_and_has_our_bits(task):
    pytest.importorskip("torchrl")
    import torch
    from torchrl.envs.utils import check_env_specs
    check_env_specs(adapters.torchrl(task(), 5, max_episode_steps=7), seed=1)
    env = adapters.torchrl(task(), 5, seed=3, max_episode_steps=7)
    plain = Simulation(task(), 5, max_episode_steps=7, autoreset="SameStep", infos=False)
    actions = torch.tensor(np.random.default_rng(0).uniform(-1, 1, (20, 5, env.action_spec.shape[-1])), dtype=torch.float32)
    at = iter(range(20))
    data = env.rollout(20, policy=lambda td: td.set("action", actions[next(at)]), break_when_any_done=False)
    observation, _ = plain.reset(3)
    for t in range(20):
        assert np.array_equal(data["observation"][:, t].numpy(), observation)
        observation, reward, terminated, truncated, infos = plain.step(actions[t].numpy())
        assert np.array_equal(data["next", "reward"][:, t, 0].numpy(), reward)
        assert np.array_equal(data["next", "terminated"][:, t, 0].numpy(), terminated)
        assert np.array_equal(data["next", "done"][:, t, 0].numpy(), terminated | truncated)
        for i in np.flatnonzero(terminated | truncated):
            assert np.array_equal(data["next", "observation"][i, t].numpy(), infos["final_obs"][i])
    assert data["next", "done"].sum() >= 10


def test_torchrl_learns():
    """PPO of its own parts, a few updates: the loss has gradients and returns rise."""
    pytest.importorskip("torchrl")
    import torch
    from tensordict.nn import NormalParamExtractor, TensorDictModule
    from torchrl.envs.utils import ExplorationType, set_exploration_type
    from torchrl.modules import IndependentNormal, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env = adapters.torchrl(make_task("CartpoleBalance-v0"), 32)
    net = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.Tanh(), torch.nn.Linear(32, 2), NormalParamExtractor()).double()
    actor = ProbabilisticActor(TensorDictModule(net, ["observation"], ["loc", "scale"]), in_keys=["loc", "scale"], distribution_class=IndependentNormal,
                               return_log_prob=True)
    critic = ValueOperator(torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1)).double())
    loss, gae = ClipPPOLoss(actor, critic), GAE(gamma=0.99, lmbda=0.95, value_network=critic, average_gae=True)
    optimizer, ends = torch.optim.Adam(loss.parameters(), 3e-3), []
    for _ in range(25):
        with torch.no_grad(), set_exploration_type(ExplorationType.RANDOM):
            data = env.rollout(64, actor, break_when_any_done=False)
            gae(data)
        ends.append(int(data["next", "done"].sum()))
        for _ in range(6):
            told = loss(data.reshape(-1).detach())
            total = told["loss_objective"] + told["loss_critic"] + told["loss_entropy"]
            optimizer.zero_grad()
            total.backward()
            optimizer.step()
    assert ends[0] > 40 and np.mean(ends[-5:]) < 0.4 * ends[0], ends


def test_skrl_has_the_bits_of_a_vector_environment():
    pytest.importorskip("skrl")
    import torch
    torch.set_num_threads(1)
    env = adapters.skrl(make_task("CartpoleBalance-v0"), 16, seed=1)
    plain = VectorEnv(make_task("CartpoleBalance-v0"), 16, autoreset_mode="SameStep")
    first, _ = env.reset()
    assert np.array_equal(first.cpu().numpy(), plain.reset(seed=1)[0].astype(np.float32)) and env.num_envs == 16
    observation, reward, terminated, truncated, _ = env.step(torch.zeros(16, 1))
    expected = plain.step(np.zeros((16, 1), np.float32))
    assert np.array_equal(observation.cpu().numpy(), expected[0].astype(np.float32)) and reward.shape == terminated.shape == truncated.shape == (16, 1)
    assert np.array_equal(reward.cpu().numpy()[:, 0], expected[1].astype(np.float32))
    assert torch.equal(env.reset()[0], observation)          # an episode goes on


def test_skrl_learns(tmp_path):
    """PPO of its own parts: episodes end less often than at first."""
    pytest.importorskip("skrl")
    import torch
    from skrl.agents.torch.ppo import PPO
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer
    torch.manual_seed(0)
    torch.set_num_threads(1)
    env, ends = adapters.skrl(make_task("CartpoleBalance-v0"), 32, seed=0), []
    spaces = {"observation_space": env.observation_space, "action_space": env.action_space, "device": env.device}

    class Net(Model):
        def __init__(self, outputs):
            Model.__init__(self, **spaces)
            self.net = torch.nn.Sequential(torch.nn.Linear(5, 32), torch.nn.Tanh(), torch.nn.Linear(32, outputs))
            self.spread = torch.nn.Parameter(torch.full((outputs,), -0.5))

    class Policy(GaussianMixin, Net):
        def __init__(self):
            Net.__init__(self, 1)
            GaussianMixin.__init__(self)

        def compute(self, inputs, role=""):
            return self.net(inputs["observations"]), {"log_std": self.spread}

    class Value(DeterministicMixin, Net):
        def __init__(self):
            Net.__init__(self, 1)
            DeterministicMixin.__init__(self)

        def compute(self, inputs, role=""):
            return self.net(inputs["observations"]), {}

    counted = env.step

    def step(actions):
        row = counted(actions)
        ends.append(int((row[2] | row[3]).sum()))
        return row

    env.step = step
    settings = {"rollouts": 64, "learning_epochs": 6, "mini_batches": 4, "learning_rate": 3e-3,
                "experiment": {"directory": str(tmp_path), "write_interval": 0, "checkpoint_interval": 0}}
    agent = PPO(models={"policy": Policy(), "value": Value()}, memory=RandomMemory(memory_size=64, num_envs=32, device=env.device), cfg=settings, **spaces)
    SequentialTrainer(env=env, agents=agent, cfg={"timesteps": 20 * 64, "headless": True, "disable_progressbar": True, "close_environment_at_exit": False}).train()
    assert len(ends) == 20 * 64 and sum(ends[:64]) > 40 and sum(ends[-320:]) / 5 < 0.6 * sum(ends[:64]), (sum(ends[:64]), sum(ends[-320:]))


def test_pufferlib_takes_whole_arrays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)              # importing it links its resources into the current folder
    pufferlib = pytest.importorskip("pufferlib")
    env = adapters.pufferlib(make_task("CartpoleBalance-v0"), 8, max_episode_steps=5)
    plain = VectorEnv(make_task("CartpoleBalance-v0"), 8, max_episode_steps=5, autoreset_mode="SameStep")
    assert isinstance(env, pufferlib.PufferEnv)
    assert np.array_equal(env.reset(seed=2)[0], plain.reset(seed=2)[0].astype(np.float32))
    for k in range(5):
        actions = np.random.default_rng(k).uniform(-1, 1, (8, 1)).astype(np.float32)
        given, expected = env.step(actions), plain.step(actions)
        for a, b in zip(given[:4], expected[:4]):
            assert np.array_equal(a, np.asarray(b).astype(a.dtype))
    assert given[3].all() and given[4][0]["episode_length"] == 5


def test_rllib_learns_from_whole_arrays():
    pytest.importorskip("ray.rllib")
    import ray
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    try:
        config = adapters.rllib_ppo("CartpoleBalance-v0", worlds=16).training(train_batch_size=2048, minibatch_size=256, num_epochs=6, lr=3e-3)
        algorithm = config.debugging(seed=0).build_algo()
        runner = algorithm.env_runner
        pieces = runner.sample(num_timesteps=400, explore=True)
        assert sum(len(piece) for piece in pieces) >= 350 and all(len(p.get_observations()) == len(p) + 1 for p in pieces)
        returns = [algorithm.train()["env_runners"]["episode_return_mean"] for _ in range(10)]
        algorithm.stop()
        assert returns[0] < 100 and max(returns) > 1.8 * returns[0], returns
    finally:
        ray.shutdown()
