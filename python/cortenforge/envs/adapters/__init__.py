"""Environments for libraries that do not take Gymnasium's vector interface; each library is imported when it is asked for."""
from .dm import dm_env
from .functional import Functional, functional
from .pufferlib import pufferlib
from .rllib import rllib_ppo
from .skrl import skrl
from .stable import stable_baselines3
from .torchrl import torchrl

__all__ = ["Functional", "dm_env", "functional", "pufferlib", "rllib_ppo", "skrl", "stable_baselines3", "torchrl"]
