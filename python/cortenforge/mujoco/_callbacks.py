"""Getters and setters of the engine's callbacks."""
import ctypes as _ctypes

from .. import _core

_NAMES = ("control", "passive", "contactfilter", "sensor", "time", "act_dyn", "act_gain", "act_bias")
__all__ = [f"{verb}_mjcb_{name}" for verb in ("set", "get") for name in _NAMES] + [
    f"{verb}_mju_user_{name}" for verb in ("set", "get") for name in ("warning", "malloc", "free")]


def _pair(which, name):
    def setter(callback):
        if isinstance(callback, (_ctypes._CFuncPtr, _ctypes.c_void_p)):
            _core.set_callback(which, callback, _ctypes.cast(callback, _ctypes.c_void_p).value or 0)
        else:
            _core.set_callback(which, callback)

    def getter():
        return _core.get_callback(which)

    setter.__name__, getter.__name__ = f"set_mjcb_{name}", f"get_mjcb_{name}"
    setter.__doc__ = f"Set mjcb_{name}: a Python function, a ctypes function, or None."
    getter.__doc__ = f"What mjcb_{name} was set to, or None."
    return setter, getter


for _i, _name in enumerate(_NAMES):
    globals()[f"set_mjcb_{_name}"], globals()[f"get_mjcb_{_name}"] = _pair(_i, _name)


def set_mju_user_warning(callback):
    """Set what receives warnings: a Python function of the text, a ctypes function of bytes, or None for the module `warnings`."""
    if isinstance(callback, _ctypes._CFuncPtr):
        _core.set_warning(_BytesWarning(callback))
    else:
        _core.set_warning(callback)


def get_mju_user_warning():
    callback = _core.get_warning()
    return callback.function if isinstance(callback, _BytesWarning) else callback


class _BytesWarning:
    """A ctypes function of char*, called with text."""

    def __init__(self, function):
        self.function = function

    def __call__(self, text):
        self.function(text.encode())


def _unavailable(name):
    def function(*_):
        raise NotImplementedError(f"{name} is not in CortenForge's Python package: memory is allocated by the engine")
    function.__name__ = name
    return function


def get_mju_user_malloc():
    return None


def get_mju_user_free():
    return None


set_mju_user_malloc, set_mju_user_free = _unavailable("set_mju_user_malloc"), _unavailable("set_mju_user_free")
