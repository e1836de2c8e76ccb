"""PPO in one file with torch, in the manner of CleanRL: the environments are Gymnasium's vector interface, nothing else is ours.

    build/pyenv/bin/python examples/learning/ppo_torch.py [TASK [SAMPLES [SEED]]]        (pip install torch gymnasium)
"""
import sys
import time

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Normal

import cortenforge.envs  # noqa: F401  (registers the names)

WORLDS, LENGTH, EPOCHS, PARTS = 64, 64, 6, 8
DISCOUNT, SMOOTH, CLIP, RATE = 0.99, 0.95, 0.2, 1e-3


def net(inputs, outputs, last):
    layers = [nn.Linear(inputs, 64), nn.Tanh(), nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, outputs)]
    for layer, scale in zip(layers[::2], (2**0.5, 2**0.5, last)):
        nn.init.orthogonal_(layer.weight, scale)
        nn.init.zeros_(layer.bias)
    return nn.Sequential(*layers)


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        inputs, outputs = envs.single_observation_space.shape[0], envs.single_action_space.shape[0]
        self.policy, self.value = net(inputs, outputs, 0.01), net(inputs, 1, 1.0)
        self.spread = nn.Parameter(torch.full((outputs,), -0.5))

    def distribution(self, x):
        return Normal(self.policy(x), self.spread.exp())


def train(task="HalfCheetah-v5", samples=1_000_000, seed=0, say=print):
    torch.manual_seed(seed)
    torch.set_num_threads(1)                           # threads cost more than such small matrices take
    envs = gym.make_vec(f"cortenforge/{task}", num_envs=WORLDS, infos=False)
    envs = gym.wrappers.vector.RecordEpisodeStatistics(envs)
    envs = gym.wrappers.vector.NormalizeObservation(envs)
    envs = gym.wrappers.vector.NormalizeReward(envs, gamma=DISCOUNT)
    low, high = envs.single_action_space.low, envs.single_action_space.high
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    observation, fresh = torch.tensor(envs.reset(seed=seed)[0], dtype=torch.float32), np.zeros(WORLDS, bool)
    history, begin, rounds = [], time.process_time(), max(1, samples // (WORLDS * LENGTH))
    for k in range(rounds):
        rows, returns = {name: [] for name in ("x", "action", "logp", "value", "reward", "terminated", "done", "fresh")}, []
        for _ in range(LENGTH):
            with torch.no_grad():
                distribution = agent.distribution(observation)
                action = distribution.sample()
                items = [observation, action, distribution.log_prob(action).sum(1), agent.value(observation)[:, 0]]
            scaled = low + (high - low) * (np.clip(action.numpy(), -1, 1) + 1) / 2
            after, reward, terminated, truncated, infos = envs.step(scaled.astype(np.float32))
            items += [torch.tensor(reward, dtype=torch.float32), torch.tensor(terminated), torch.tensor(terminated | truncated), torch.tensor(fresh)]
            for name, item in zip(rows, items):
                rows[name].append(item)
            if "episode" in infos:
                returns += infos["episode"]["r"][infos["_episode"]].tolist()
            # the step after an end is a reset and no sample
            observation, fresh = torch.tensor(after, dtype=torch.float32), terminated | truncated
        rows = {name: torch.stack(row) for name, row in rows.items()}
        with torch.no_grad():
            values = torch.cat([rows["value"], agent.value(observation)[:, 0][None]])
        gain, total = torch.zeros(LENGTH, WORLDS), torch.zeros(WORLDS)
        for t in range(LENGTH - 1, -1, -1):
            error = rows["reward"][t] + DISCOUNT * values[t + 1] * ~rows["terminated"][t] - values[t]
            gain[t] = total = error + DISCOUNT * SMOOTH * ~rows["done"][t] * total
        target, kept = gain + rows["value"], ~rows["fresh"].ravel()
        flat = {name: rows[name].flatten(0, 1)[kept] for name in ("x", "action", "logp")}
        gain, target = gain.ravel()[kept], target.ravel()[kept]
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        optimizer.param_groups[0]["lr"] = RATE * (1 - k / rounds)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(gain)).chunk(PARTS):
                ratio = (agent.distribution(flat["x"][part]).log_prob(flat["action"][part]).sum(1) - flat["logp"][part]).exp()
                objective = torch.min(ratio * gain[part], ratio.clamp(1 - CLIP, 1 + CLIP) * gain[part]).mean()
                loss = -objective + 0.5 * ((agent.value(flat["x"][part])[:, 0] - target[part]) ** 2).mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
        if returns:
            history.append(float(np.mean(returns)))
            say(f"{(k + 1) * WORLDS * LENGTH} samples: mean return {history[-1]:.1f} of {len(returns)} episodes, {time.process_time() - begin:.1f} s")
    return history


if __name__ == "__main__":
    given = sys.argv[1:]
    train(given[0] if given else "HalfCheetah-v5", int(given[1]) if len(given) > 1 else 1_000_000, int(given[2]) if len(given) > 2 else 0)
