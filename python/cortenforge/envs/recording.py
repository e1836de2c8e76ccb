"""Episodes in a file that any build replays bit by bit: task, seed, actions, and a hash of the state after each step."""
from __future__ import annotations

import hashlib
import os
from typing import Any, Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from .._core import MjData, MjModel, enumerations, mj_saveModel, mj_sizeModel
from . import store
from .registration import make_task
from .simulation import Simulation

KIND = "replay of cortenforge"
_STATE = int(enumerations["mjtState"][1]["mjSTATE_INTEGRATION"])


class ReplayError(RuntimeError):
    """A replay went another way than the recording."""


def model_hash(model: MjModel) -> str:
    """Hash of a compiled model."""
    image = np.empty(mj_sizeModel(model), np.uint8)
    mj_saveModel(model, None, image)
    return hashlib.sha256(image.tobytes()).hexdigest()


def state_hash(simulation: Simulation) -> int:
    """Hash of everything that the next step of world 0 depends on in the physics."""
    row = simulation.batch.get_state(_STATE, [0])
    return int.from_bytes(hashlib.blake2b(row.tobytes(), digest_size=8).digest(), "little")


def _simulation(kept: dict[str, Any]) -> Simulation:
    return Simulation(make_task(kept["task"], **kept["options"]), 1, autoreset="Disabled", max_episode_steps=kept["steps"] or None, threads=1, lanes=1)


def record(task: str, policy: Callable[[Any], NDArray[Any]], path: str | os.PathLike[str], *, seed: int = 0, options: dict[str, Any] | None = None,
           steps: int | None = None) -> float:
    """Record one episode of a policy (observations -> actions) in a file; returns its return.

    options: of the task, numbers, texts and lists;  steps: after which the episode is cut off, None for what the task says
    """
    kept: dict[str, Any] = {"task": task, "options": options or {}, "seed": seed, "steps": steps or 0}
    s = _simulation(kept)
    if not s.max_episode_steps:
        raise ValueError(f"{task} has no end: give steps")
    observation, _ = s.reset(seed)
    actions, hashes, rewards = [], [state_hash(s)], []
    while not s.done.any():
        action = np.asarray(policy(observation), np.float64)
        observation, reward, *_ = s.step(action)
        actions.append(action[0])
        hashes.append(state_hash(s))
        rewards.append(float(reward[0]))
    kept.update(model=model_hash(s.model), actions=np.array(actions), hashes=np.array(hashes, np.uint64), rewards=np.array(rewards))
    store.save(path, KIND, kept)
    return float(np.sum(rewards))


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a file holds: task, options, seed, steps, model, actions, hashes, rewards."""
    kept = store.load(path, KIND, ("task", "options", "seed", "steps", "model", "actions", "hashes", "rewards"))
    if len(kept["hashes"]) != len(kept["actions"]) + 1 or len(kept["rewards"]) != len(kept["actions"]):
        raise ValueError(f"{path}: it has {len(kept['actions'])} actions, {len(kept['hashes'])} hashes and {len(kept['rewards'])} rewards")
    return dict(kept)


def steps(path: str | os.PathLike[str]) -> Iterator[tuple[Simulation, float]]:
    """Replay a file: the simulation in its start and after each step, with the reward; raises where a bit differs."""
    kept = read(path)
    s = _simulation(kept)
    if model_hash(s.model) != kept["model"]:
        raise ReplayError(f"{path}: the model of {kept['task']} is not the one that was recorded")
    s.reset(kept["seed"])
    rewards = [0.0, *kept["rewards"].tolist()]
    for k, expected in enumerate(kept["hashes"].tolist()):
        reward = float(s.step(kept["actions"][k - 1][None])[1][0]) if k else 0.0
        found = state_hash(s)
        if found != expected:
            raise ReplayError(f"{path}: the state differs after step {k} of {len(kept['actions'])}: hash {found:016x}, recorded {expected:016x}")
        if reward != rewards[k]:
            raise ReplayError(f"{path}: the reward of step {k} is {reward!r}, recorded {rewards[k]!r}")
        yield s, reward


def replay(path: str | os.PathLike[str]) -> Iterator[MjData]:
    """Data after each step of a recorded episode, its start first; raises where a bit differs from the recording."""
    for s, _ in steps(path):
        yield s.batch.data(0)
