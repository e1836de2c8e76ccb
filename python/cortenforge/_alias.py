"""`as_mujoco`: the module cortenforge.mujoco under the name `mujoco`."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys

_TARGET = "cortenforge.mujoco"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports of mujoco and mujoco.* give the modules of cortenforge.mujoco.

    Packages that other distributions put into the folder `mujoco`, such as mujoco.mjx, are found there; of the official
    package only modules of Python that cortenforge.mujoco lacks are taken (mujoco.sysid, mujoco.usd, mujoco.introspect).
    """

    def __init__(self):
        self._specs = {}

    def find_spec(self, name, path=None, target=None):
        if name != "mujoco" and not name.startswith("mujoco."):
            return None
        parent = name.rpartition(".")[0]
        if parent and not sys.modules[parent].__name__.startswith(_TARGET):
            return None  # inside a package of another distribution
        if importlib.util.find_spec(_TARGET + name[6:]) is not None:
            return importlib.util.spec_from_loader(name, self)
        other = _elsewhere(name) if name.count(".") == 1 else None
        if other is None:
            raise ModuleNotFoundError(f"No module named '{name}': it is not in cortenforge.mujoco", name=name)
        return other

    def create_module(self, spec):
        module = importlib.import_module(_TARGET + spec.name[6:])
        self._specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self._specs[module.__spec__.name]


def _elsewhere(name):
    """Spec of a Python module in a folder `mujoco` of the path, or None."""
    folders = [os.path.join(p, "mujoco") for p in sys.path if os.path.isdir(os.path.join(p, "mujoco"))]
    spec = importlib.machinery.PathFinder.find_spec(name, folders)
    is_python = spec is not None and spec.origin is not None and spec.origin.endswith(".py")
    return spec if is_python else None


def as_mujoco():
    """Put cortenforge.mujoco in place of `mujoco` for every later import; return the module.

    Setting the environment variable CORTENFORGE_AS_MUJOCO=1 does the same for programs that cannot be changed.
    Raises ImportError if the official package was imported before.
    """
    loaded = sys.modules.get("mujoco")
    ours = importlib.import_module(_TARGET)
    if loaded is not None and loaded is not ours:
        raise ImportError("the official package mujoco is imported already; call cortenforge.as_mujoco() before it")
    if not any(isinstance(f, _Finder) for f in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    sys.modules["mujoco"] = ours
    return ours
