"""`as_mujoco`: the module cortenforge.mujoco under the name `mujoco`."""
import importlib
import importlib.abc
import importlib.util
import sys

_TARGET = "cortenforge.mujoco"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports of mujoco and mujoco.* give the modules of cortenforge.mujoco."""

    def find_spec(self, name, path=None, target=None):
        if name != "mujoco" and not name.startswith("mujoco."):
            return None
        if importlib.util.find_spec(_TARGET + name[6:]) is None:
            raise ModuleNotFoundError(f"No module named '{name}': it is not in cortenforge.mujoco", name=name)
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        module = importlib.import_module(_TARGET + spec.name[6:])
        self.kept = getattr(self, "kept", {})
        self.kept[spec.name] = module.__spec__
        return module

    def exec_module(self, module):
        module.__spec__ = self.kept[module.__spec__.name]


def as_mujoco():
    """Put cortenforge.mujoco in place of `mujoco` for every later import; return the module.

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
