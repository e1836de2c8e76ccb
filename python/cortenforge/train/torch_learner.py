"""The learner of `numpy_learner` with torch: automatic derivatives, for larger networks; its state is the same."""
from __future__ import annotations

from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found, unused-ignore]
from numpy.typing import NDArray

from . import numpy_learner
from .settings import Settings

Rows = NDArray[Any]


class Learner:
    def __init__(self, inputs: int, outputs: int, settings: Settings) -> None:
        torch.set_num_threads(1)                # threads cost more than such small matrices take
        self.settings = settings
        # the same first numbers as without torch
        twin = numpy_learner.Learner(inputs, outputs, settings)
        self.parameters = [torch.tensor(p, requires_grad=True) for p in twin.parameters]
        layers = 2 * (len(settings.hidden) + 1)
        self._policy, self.spread_tensor, self._critic = self.parameters[:layers], self.parameters[layers], self.parameters[layers + 1:]
        self.optimizer = torch.optim.Adam(self.parameters, lr=settings.rate, eps=1e-5, foreach=True)

    @staticmethod
    def _net(parameters: list[Any], x: Any) -> Any:
        for k in range(0, len(parameters) - 2, 2):
            x = torch.tanh(torch.addmm(parameters[k + 1], x, parameters[k]))
        return torch.addmm(parameters[-1], x, parameters[-2])

    @property
    def spread(self) -> Rows:
        return self.spread_tensor.detach().numpy()  # type: ignore[no-any-return]

    def act(self, x: Rows) -> Rows:
        with torch.no_grad():
            return self._net(self._policy, torch.from_numpy(x)).numpy()  # type: ignore[no-any-return]

    def value(self, x: Rows) -> Rows:
        with torch.no_grad():
            return self._net(self._critic, torch.from_numpy(x))[:, 0].numpy()  # type: ignore[no-any-return]

    def loss(self, batch: dict[str, Rows]) -> tuple[Any, Any]:
        s, rows = self.settings, {name: torch.from_numpy(row) for name, row in batch.items()}
        spread = self.spread_tensor
        z = (rows["action"] - self._net(self._policy, rows["x"])) * torch.exp(-spread)
        log_ratio = -(z**2 / 2 + spread).sum(1) - rows["logp"]
        ratio, gain = torch.exp(log_ratio), rows["gain"]
        objective = torch.minimum(ratio * gain, torch.clamp(ratio, 1 - s.clip, 1 + s.clip) * gain).mean()
        error = self._net(self._critic, rows["x"])[:, 0] - rows["target"]
        return -objective + (error**2).mean() / 2 - s.entropy * spread.sum(), (ratio - 1 - log_ratio).mean()

    def improve(self, batch: dict[str, Rows], rate: float) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        loss, divergence = self.loss(batch)
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 0.5)
        self.optimizer.step()
        return float(divergence.detach())

    def state(self) -> dict[str, Any]:
        kept = [self.optimizer.state.get(p, {}) for p in self.parameters]
        blank = [np.zeros(tuple(p.shape), np.float32) for p in self.parameters]
        return {"parameters": [p.detach().numpy().copy() for p in self.parameters],
                "means": [k["exp_avg"].numpy().copy() if k else b for k, b in zip(kept, blank)],
                "squares": [k["exp_avg_sq"].numpy().copy() if k else b for k, b in zip(kept, blank)],
                "count": int(kept[0]["step"]) if kept[0] else 0}

    def restore(self, state: dict[str, Any]) -> None:
        with torch.no_grad():
            for p, given in zip(self.parameters, state["parameters"], strict=True):
                p.copy_(torch.tensor(given))
        if state["count"]:
            for p, mean, squared in zip(self.parameters, state["means"], state["squares"], strict=True):
                self.optimizer.state[p] = {"step": torch.tensor(float(state["count"])), "exp_avg": torch.tensor(mean),
                                           "exp_avg_sq": torch.tensor(squared)}
