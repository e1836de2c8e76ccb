"""What the classes of the extension get from Python: loading, copying, pickling, text forms."""
import os

from . import _core
from ._core import MjData, MjModel, Struct, StructList


def _path(path):
    return os.fspath(path) if not isinstance(path, str) else path


def _from_xml_path(filename, assets=None):
    """Load an MJCF or URDF file and compile it.

    `assets` is a dict of file names and bytes that are found before files on disk. Raises ModelError.
    """
    return MjModel._load("path", _path(filename), assets)


def _from_xml_string(xml, assets=None):
    """Compile a model from MJCF or URDF text; `assets` as in from_xml_path. Raises ModelError."""
    xml = bytes(xml).decode() if isinstance(xml, (bytes, bytearray)) else xml
    return MjModel._load("string", xml, assets)


def _from_binary_path(filename, assets=None):
    """Load a model in MuJoCo's binary format. Raises ModelError."""
    return MjModel._load("binary", _path(filename), assets)


def _load(source, assets=None):
    """Load a model from whatever `source` is: a path (XML, URDF, MJB), MJCF text, or bytes of an MJB file."""
    if isinstance(source, (bytes, bytearray, memoryview)):
        return MjModel.from_bytes(source)
    if isinstance(source, str) and source.lstrip().startswith("<"):
        return _from_xml_string(source, assets)
    path = _path(source)
    return _from_binary_path(path, assets) if path.endswith(".mjb") else _from_xml_path(path, assets)


def _save(self, filename):
    """Save the model: `.mjb` in binary form, `.xml` as MJCF (only the model that was loaded last can be)."""
    path = _path(filename)
    if path.endswith(".mjb"):
        _core.mj_saveModel(self, path, None)
    elif path.endswith(".xml"):
        _core.mj_saveLastXML(path, self)
    else:
        raise ValueError("the name must end with .mjb or .xml")


def _model_name(m):
    return m.names.split(b"\0", 1)[0].decode(errors="replace")


def _model_repr(self):
    name = _model_name(self)
    return (f"<MjModel {name!r}: {self.nbody} bodies, {self.njnt} joints, {self.ngeom} geoms, {self.nu} actuators, "
            f"nq={self.nq}, nv={self.nv}, timestep={self.opt.timestep:g} s>")


def _data_repr(self):
    return f"<MjData of {_model_name(self.model)!r}: time={self.time:g} s, {self.ncon} contacts, {self.nefc} constraint rows>"


def _html(rows, title):
    import html
    body = "".join(f"<tr><td>{html.escape(k)}</td><td>{html.escape(v)}</td></tr>" for k, v in rows)
    return f"<table><caption>{html.escape(title)}</caption>{body}</table>"


def _model_html(self):
    sizes = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "ncam", "ntendon", "nsensor", "nflex", "nmesh")
    rows = [(n, str(getattr(self, n))) for n in sizes] + [("timestep", f"{self.opt.timestep:g} s")]
    return _html(rows, f"MjModel {_model_name(self)}")


def _data_html(self):
    rows = [("time", f"{self.time:g} s"), ("contacts", str(self.ncon)), ("constraint rows", str(self.nefc)),
            ("qpos", str(self.qpos)), ("qvel", str(self.qvel)), ("ctrl", str(self.ctrl))]
    return _html(rows, f"MjData of {_model_name(self.model)}")


def _data_copy(self):
    return self._copy(self.model)


def _data_deepcopy(self, memo):
    import copy
    return self._copy(copy.deepcopy(self.model, memo))


def _restore_data(model, state):
    d = MjData(model)
    d._set_bytes(state)
    return d


def _data_reduce(self):
    return _restore_data, (self.model, self._bytes())


def _model_reduce(self):
    return MjModel.from_bytes, (self.to_bytes(),)


def _struct_repr(self):
    rows = (f"  {name}: {_shown(getattr(self, name))}" for name in self._fields)
    return "\n".join([f"<{type(self).__name__}", *rows, ">"])


def _shown(value):
    return repr(value).replace("\n", "\n  ")


def _restore_struct(cls, state):
    s = cls()
    s._set_bytes(state)
    return s


def _struct_copy(self, memo=None):
    return _restore_struct(type(self), self._bytes())


def _struct_reduce(self):
    return _restore_struct, (type(self), self._bytes())


def _same(a, b):
    import numpy as np
    if isinstance(a, StructList):
        return len(a) == len(b) and all(x == y for x, y in zip(a, b))
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


def _struct_eq(self, other):
    if type(self) is not type(other):
        return NotImplemented
    return self._address == other._address or all(_same(getattr(self, f), getattr(other, f)) for f in self._fields)


def _list_eq(self, other):
    if not isinstance(other, (StructList, list, tuple)):
        return NotImplemented
    return len(self) == len(other) and all(a == b for a, b in zip(self, other))


def _list_repr(self):
    return f"<StructList of {len(self)}{': ' + self[0].__class__.__name__ if len(self) else ''}>"


def attach():
    _core.MjrContext.free = lambda self: self._free()
    for name, function in {"from_xml_path": _from_xml_path, "from_xml_string": _from_xml_string,
                           "from_binary_path": _from_binary_path, "load": _load}.items():
        function.__name__ = name
        setattr(MjModel, name, staticmethod(function))
    for cls, methods in {
        MjModel: {"save": _save, "__repr__": _model_repr, "_repr_html_": _model_html, "__reduce__": _model_reduce},
        MjData: {"__repr__": _data_repr, "_repr_html_": _data_html, "__copy__": _data_copy, "__deepcopy__": _data_deepcopy,
                 "__reduce__": _data_reduce},
        Struct: {"__repr__": _struct_repr, "__copy__": _struct_copy, "__deepcopy__": _struct_copy,
                 "__reduce__": _struct_reduce, "__eq__": _struct_eq, "__hash__": None},
        StructList: {"__repr__": _list_repr, "__eq__": _list_eq, "__hash__": None},
    }.items():
        for name, function in methods.items():
            setattr(cls, name, function)
