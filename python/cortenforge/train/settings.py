"""What a training run is made of."""
from __future__ import annotations

import importlib.util
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

METHODS, LIBRARIES = ("ppo", "es"), ("numpy", "torch")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


@dataclass(frozen=True)
class Settings:
    """Everything that the numbers of a run depend on, besides the machine.

    options: of the task;  samples: steps of all worlds together;  length: steps of a world between updates
    parts: of the samples of an update, one gradient step each;  discount, smooth: of rewards and of advantages
    spread: initial logarithm of the deviation of actions;  scale_rewards: by their running deviation
    pairs, noise: of evolution strategies, which take `rate` too
    """

    task: str
    options: dict[str, Any] = field(default_factory=dict)
    method: str = "ppo"
    library: str = "numpy"
    samples: int = 1_000_000
    seed: int = 0
    worlds: int = 64
    length: int = 64
    epochs: int = 6
    parts: int = 8
    hidden: tuple[int, ...] = (64, 64)
    discount: float = 0.99
    smooth: float = 0.95
    clip: float = 0.2
    rate: float = 1e-3
    entropy: float = 0.0
    spread: float = -0.5
    scale_rewards: bool = True
    pairs: int = 64
    noise: float = 0.1

    def __post_init__(self) -> None:
        for name, allowed in (("method", METHODS), ("library", LIBRARIES)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} is {getattr(self, name)!r}, allowed are {', '.join(map(repr, allowed))}")
        for name in ("samples", "worlds", "length", "epochs", "parts", "pairs"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected an integer of at least 1")
        for name in ("entropy", "spread"):
            if type(getattr(self, name)) not in (int, float) or not abs(getattr(self, name)) <= 10:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected a number between -10 and 10")
        if type(self.seed) is not int or self.seed < 0:
            raise ValueError(f"the seed is {self.seed!r}, expected an integer of at least 0")
        for name, low, high in (("discount", 0, 1), ("smooth", 0, 1), ("clip", 0, 1), ("rate", 0, 10), ("noise", 0, 10)):
            if type(getattr(self, name)) not in (int, float) or not low < getattr(self, name) <= high:
                raise ValueError(f"{name} is {getattr(self, name)!r}, expected a number above {low}, at most {high}")
        if not self.hidden or any(type(size) is not int or size < 1 for size in self.hidden):
            raise ValueError(f"hidden is {self.hidden!r}, expected sizes of at least 1")

    @classmethod
    def of(cls, task: str, **given: Any) -> Settings:
        """Settings for a task: what is known to work for it, with what is given."""
        name = task.removeprefix("cortenforge/")
        if given.get("method") == "es" and "library" in given and given["library"] != "numpy":
            raise ValueError("evolution strategies are written in NumPy: leave the library out, or give 'numpy'")
        known = {**PRESETS.get(name, {}), **(EVOLUTION if given.get("method") == "es" else {})}
        if given.get("library") == "torch" and importlib.util.find_spec("torch") is None:
            raise ImportError("library 'torch' needs torch: pip install torch; or take 'numpy'")
        unknown = sorted(set(given) - {item.name for item in fields(cls)})
        if unknown:
            raise TypeError(f"there is no setting {unknown[0]!r}; there are {', '.join(item.name for item in fields(cls))}")
        return cls(task=name, **{**known, **given})

    def as_dict(self) -> dict[str, Any]:
        """Settings as files have them: lists for tuples and arrays."""
        return {item.name: _plain(getattr(self, item.name)) for item in fields(self)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        return cls(**{**values, "hidden": tuple(values["hidden"])})

    def but(self, **given: Any) -> Settings:
        return replace(self, **given)


EVOLUTION: dict[str, Any] = {"library": "numpy", "hidden": (16,), "rate": 0.15}
_SMALL: dict[str, Any] = {"hidden": (32, 32), "parts": 4, "rate": 3e-3}
_LEGS: dict[str, Any] = {"worlds": 128, "length": 32, "hidden": (128, 64), "epochs": 5, "parts": 8, "rate": 1e-3, "spread": -0.7}
PRESETS: dict[str, dict[str, Any]] = {
    "CartpoleBalance-v0": {**_SMALL, "samples": 150_000}, "CartpoleSwingUp-v0": {**_SMALL, "samples": 3_000_000},
    "InvertedPendulum-v5": {**_SMALL, "samples": 200_000}, "InvertedDoublePendulum-v5": {**_SMALL, "samples": 500_000},
    "Hopper-v5": {"samples": 2_000_000}, "Walker2d-v5": {"samples": 4_000_000}, "HalfCheetah-v5": {"samples": 4_000_000},
    "Ant-v5": {"samples": 8_000_000, "hidden": (128, 64)}, "Humanoid-v5": {"samples": 20_000_000, "hidden": (256, 128), "worlds": 128, "rate": 5e-4},
    "Drone-v0": {"samples": 2_000_000}, "MuscleReach-v0": {"samples": 1_000_000}, "PegInHole-v0": {"samples": 1_000_000},
    "SoftGrasp-v0": {"samples": 500_000}, "PickPlace-v0": {"samples": 5_000_000, "hidden": (128, 64), "entropy": 1e-3},
    "CubeInHand-v0": {"samples": 10_000_000, **_LEGS}, "QuadrupedFlat-v0": {"samples": 8_000_000, **_LEGS},
    "QuadrupedTerrain-v0": {"samples": 12_000_000, **_LEGS}, "BipedWalk-v0": {"samples": 12_000_000, **_LEGS},
}
