"""Names of the official package's compiled modules, `mujoco._structs` and its kin, from which some libraries import."""
import importlib.machinery
import sys
import types

from .. import _core

PARTS = ("_structs", "_functions", "_enums", "_specs", "_render", "_errors", "_constants")


def attach(package):
    """Make the modules; each has all names of `package`."""
    for part in PARTS:
        module = types.ModuleType(f"{package.__name__}.{part}", "The names of mujoco.")
        module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None)
        module.__getattr__ = lambda name: getattr(package, name)  # type: ignore[method-assign]
        sys.modules[module.__name__] = module
        setattr(package, part, module)
    package._functions._realloc_con_efc = _core.realloc_con_efc
