"""CortenForge: physics for robots, animals and soft things, with MuJoCo's models and numbers.

    import cortenforge as cf
    m = cf.Model.load("humanoid.xml")
    d = cf.Data(m)
    cf.mj_step(m, d)
    print(d.time, d.qpos)

Attributes of models and data are live NumPy views: `d.qpos is d.qpos`, and writing to them writes to the simulation.
"""
from . import errors, _core
from .errors import EngineWarning, FatalError, ModelError
from ._core import MjData, MjModel
from . import _methods, _named

_methods.attach()
_named.attach()
Model, Data = MjModel, MjData
__version__ = _core.version

for _name in _core.functions:
    globals()[_name] = getattr(_core, _name)
globals().update(_core.constants)
del _name

load = Model.load


def step(model, data, nstep=1):
    """Advance `data` by `nstep` time steps; the same as mj_step."""
    _core.mj_step(model, data, nstep)


_LAZY = {"Batch": "batch", "rollout": "batch", "build": "builder", "compare": "builder", "as_mujoco": "_alias",
         "Renderer": "renderer", "explain": "_explain", "replay": "_replay", "film": "_replay", "show": "_replay"}


def __getattr__(name):
    if name in _LAZY:
        import importlib
        value = getattr(importlib.import_module("cortenforge." + _LAZY[name]), name)
    elif name in _core.enumerations:
        from ._enums import get
        value = get(name)
    elif hasattr(_core, name) and name[:1].isupper():
        value = getattr(_core, name)
    else:
        raise AttributeError(f"module 'cortenforge' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_core.enumerations, *_LAZY, *(n for n in dir(_core) if n.startswith("Mj"))})
