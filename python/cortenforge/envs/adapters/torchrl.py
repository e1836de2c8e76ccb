"""TorchRL."""
from __future__ import annotations

from typing import Any

import numpy as np

from ..simulation import Simulation
from ..task import Task
from .find import needs


def torchrl(task: Task, count: int, seed: int = 0, **options: Any) -> Any:
    """An `EnvBase` of TorchRL with batch size (count,); options as of `Simulation`.

        env = adapters.torchrl(make_task("Hopper-v5"), 64)
        data = env.rollout(100, break_when_any_done=False)

    Worlds are reset by the mask "_reset" that TorchRL gives. Observations that are dicts keep their names.
    """
    envs, specs, tensordict, torch = (needs(name, package) for name, package in (
        ("torchrl.envs", "torchrl"), ("torchrl.data", "torchrl"), ("tensordict", "tensordict"), ("torch", "torch")))
    simulation = Simulation(task, count, **{"infos": False, **options, "autoreset": "Disabled"})

    class TorchRLEnv(envs.EnvBase):  # type: ignore[misc, name-defined]
        batch_locked = True

        def __init__(self) -> None:
            super().__init__(device="cpu", batch_size=torch.Size([count]))
            self.simulation, self._start = simulation, seed
            first, _ = simulation.reset(seed)
            shape = torch.Size([count])
            self._named = first if isinstance(first, dict) else {"observation": first}
            self.observation_spec = specs.Composite(
                {name: specs.Unbounded(shape=torch.Size(np.shape(array)), dtype=torch.float64) for name, array in self._named.items()}, shape=shape)
            low, high = (torch.from_numpy(np.broadcast_to(bound, (count,) + bound.shape).copy()) for bound in (simulation.action_low, simulation.action_high))
            limited = bool(torch.isfinite(low).all() and torch.isfinite(high).all())
            self.action_spec = specs.Bounded(low, high, shape=low.shape, dtype=low.dtype) if limited else specs.Unbounded(shape=low.shape, dtype=low.dtype)
            self.reward_spec = specs.Unbounded(shape=(count, 1), dtype=torch.float64)
            flag = specs.Binary(n=1, shape=(count, 1), dtype=torch.bool)
            self.done_spec = specs.Composite({name: flag.clone() for name in ("done", "terminated", "truncated")}, shape=shape)

        def _observed(self, observation: Any) -> dict[str, Any]:
            named = observation if isinstance(observation, dict) else {"observation": observation}
            return {name: torch.tensor(np.asarray(array, np.float64)) for name, array in named.items()}

        def _reset(self, tensordict_: Any = None, **kwargs: Any) -> Any:
            mask = None
            if tensordict_ is not None and "_reset" in tensordict_.keys():
                mask = tensordict_["_reset"].reshape(count).numpy()
            start, self._start = self._start, None  # type: ignore[assignment]
            observation, _ = simulation.reset(start, None if mask is None or mask.all() else mask)
            no = torch.zeros(count, 1, dtype=torch.bool)
            return tensordict.TensorDict({**self._observed(observation), "done": no, "terminated": no.clone(), "truncated": no.clone()},
                                         batch_size=self.batch_size)

        def _step(self, tensordict_: Any) -> Any:
            observation, reward, terminated, truncated, _ = simulation.step(tensordict_["action"].detach().numpy())
            ended, cut = torch.from_numpy(terminated)[:, None], torch.from_numpy(truncated)[:, None]
            return tensordict.TensorDict({**self._observed(observation), "reward": torch.from_numpy(reward)[:, None], "done": ended | cut,
                                          "terminated": ended, "truncated": cut}, batch_size=self.batch_size)

        def _set_seed(self, given: int | None) -> None:
            self._start = given  # type: ignore[assignment]

    return TorchRLEnv()
