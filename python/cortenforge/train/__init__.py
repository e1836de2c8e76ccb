"""Training of policies: `python -m cortenforge train TASK`, or

    from cortenforge.train import Settings, train
    result = train(Settings.of("Hopper-v5", samples=1_000_000), "runs/hopper")

PPO by torch or by NumPy alone, evolution strategies by NumPy.  A run with the same settings has the same bits on the same machine.
"""
from .policy import Policy
from .run import train
from .settings import Settings

__all__ = ["Policy", "Settings", "train"]
