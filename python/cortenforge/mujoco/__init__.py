"""MuJoCo 3.5.0's Python names on the engine of CortenForge.

    import cortenforge.mujoco as mujoco

or, for libraries that import `mujoco` themselves, before they are imported:

    import cortenforge
    cortenforge.as_mujoco()
"""
import os as _os
import sys as _sys

from .. import _core, _enums as _enumerations
from ..errors import FatalError, UnexpectedError
from .. import MjData, MjModel  # noqa: F401  with the methods of the package
from .. import _spec as _spec_module  # noqa: F401  attaches the methods of specs
from . import _parts
from ._callbacks import *  # noqa: F401,F403
from .._spec import MjStruct, from_zip, to_zip  # noqa: F401

for _name in _core.functions:
    globals()[_name] = getattr(_core, _name)
for _name in dir(_core):
    if _name.startswith("Mj"):
        globals()[_name] = getattr(_core, _name)
globals().update(_core.constants)
mjDISABLESTRING, mjENABLESTRING, mjTIMERSTRING = _core.mjDISABLESTRING, _core.mjENABLESTRING, _core.mjTIMERSTRING
mjLABELSTRING, mjFRAMESTRING = _core.mjLABELSTRING, _core.mjFRAMESTRING
mjVISSTRING, mjRNDSTRING = _core.mjVISSTRING, _core.mjRNDSTRING
mjMINVAL = 1e-15  # least denominator in any calculation
MjsTendonPath = _spec_module.MjsTendonPath
MjByteVec = MjIntVec = MjFloatVec = MjDoubleVec = MjStringVec = _spec_module.SpecList
MjCharVec = _spec_module.CharList
__version__ = _core.mj_versionString()

def mj_resetCallbacks():
    """Remove all callbacks."""
    for which in range(8):
        _core.set_callback(which, None)


# MuJoCo's package measures its stages from the start
_core.start_timers()

PLUGIN_HANDLES: list = []  # plugins that come with the library are loaded when a model names them
_LAZY = {"Renderer": "renderer", "GLContext": "gl_context"}


def __getattr__(name):
    if name in _core.enumerations:
        value = _enumerations.get(name)
    elif name in _LAZY:
        import importlib
        value = getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)
    elif name in ("HEADERS_DIR", "PLUGINS_DIR"):
        value = _os.path.join(_os.path.dirname(__file__), "include" if name == "HEADERS_DIR" else "../plugin")
    else:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *_core.enumerations, *_LAZY, "HEADERS_DIR", "PLUGINS_DIR"})


_parts.attach(_sys.modules[__name__])

# `from mujoco import *`
__all__ = [n for n in {*globals(), *_core.enumerations} if n.startswith(("mj", "Mj", "set_mj", "get_mj"))] + ["FatalError", "UnexpectedError"]
