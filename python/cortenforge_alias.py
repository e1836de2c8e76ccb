"""cortenforge.mujoco under the name `mujoco`, from the start of the interpreter.

cortenforge.pth imports this module where CORTENFORGE_AS_MUJOCO is set. Nothing else is loaded before `mujoco` is imported.
"""
import sys


class _OnImport:
    def find_spec(self, name, path=None, target=None):
        if name != "mujoco":
            return None
        sys.meta_path.remove(self)
        import cortenforge
        cortenforge.as_mujoco()
        return sys.meta_path[0].find_spec(name)


sys.meta_path.insert(0, _OnImport())
