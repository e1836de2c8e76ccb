"""Access by name: `m.body("hip").pos`, `d.joint("knee").qpos`, and `bind` for elements of a spec.

Views are made of the arrays of a second Python object over the same memory, so that an object and the views it keeps do
not refer to each other in a circle.
"""
import numpy as np

from . import _core, _views

_QPOS, _DOF = (7, 4, 1, 1), (6, 3, 1, 1)  # by mjtJoint: free, ball, slide, hinge


def _rows(m, extent, i):
    """First row and number of rows of object `i`."""
    start, count = extent
    first = int(getattr(m, start)[i])
    if count == "QPOS":
        return first, _QPOS[m.jnt_type[i]]
    if count == "DOF":
        return first, _DOF[m.jnt_type[i]]
    if count == "HFIELD":
        return first, int(m.hfield_nrow[i] * m.hfield_ncol[i])
    if count == "TEXTURE":
        return first, int(m.tex_width[i] * m.tex_height[i] * m.tex_nchannel[i])
    return first, int(getattr(m, count)[i])


class View:
    """One object of a model or of data: its name, id, and its elements of every array that has some for it."""
    __slots__ = ("_owner", "_model", "_kind", "id", "_cache", "__weakref__")
    _table: dict = {}

    def __init__(self, owner, model, kind, i):
        for name, value in (("_owner", owner), ("_model", model), ("_kind", kind), ("id", i), ("_cache", {})):
            object.__setattr__(self, name, value)

    @property
    def name(self):
        return _core.mj_id2name(self._model, self._kind, self.id) or ""

    def __getattr__(self, attribute):
        found = self._cache.get(attribute)
        if found is not None:
            return found
        if attribute not in self._table:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute}'{_hint(attribute, self._table)}")
        field, extent = self._table[attribute]
        array = getattr(self._owner, field)
        if extent is None:
            view = array[self.id] if array.ndim == 2 else array[self.id:self.id + 1]
        else:
            first, count = _rows(self._model, extent, self.id)
            view = array[first:first + count] if first >= 0 else array[:0]
        if field in ("tex_data", "hfield_data"):
            m = self._model
            view = view.reshape((m.tex_height[self.id], m.tex_width[self.id], m.tex_nchannel[self.id]) if field == "tex_data"
                                else (m.hfield_nrow[self.id], m.hfield_ncol[self.id]))
        self._cache[attribute] = view
        return view

    def __setattr__(self, attribute, value):
        getattr(self, attribute)[...] = value

    def __dir__(self):
        return [*self._table, "id", "name"]

    def __repr__(self):
        rows = (f"  {a}: {getattr(self, a)!r}" for a in sorted(self.__dir__()))
        return "\n".join([f"<{type(self).__name__}", *rows, ">"])


def _hint(name, names):
    import difflib
    close = difflib.get_close_matches(str(name), list(names), 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _classes(table, prefix):
    return {kind: type(f"_Mj{prefix}{kind.capitalize()}Views", (View,), {"__slots__": (), "_table": attributes, "__doc__": View.__doc__})
            for kind, attributes in table.items()}


_MODEL, _DATA = _classes(_views.MODEL, "Model"), _classes(_views.DATA, "Data")


def _find(m, kind, plural, key):
    """Id of an object by name or number."""
    n = getattr(m, plural)
    if isinstance(key, str):
        i = _core.mj_name2id(m, kind, key)
        if i < 0:
            names = [x for x in (_core.mj_id2name(m, kind, k) for k in range(n)) if x is not None]
            raise KeyError(f"Invalid name '{key}'. Valid names: {sorted(names)}{_hint(key, names)}")
        return i
    i = int(key)
    if not 0 <= i < n:
        raise IndexError(f"Invalid index {i}. Valid indices from 0 to {n - 1}")
    return i


def _accessor(method, classes):
    thing, kind_name, plural = _views.OBJECTS[method]
    kind = _core.enumerations["mjtObj"][1][kind_name]
    cls = classes[thing]

    def access(self, name=""):
        extra = self._extra
        if extra is None:
            self._extra = extra = {}
        view = extra.get((thing, name))
        if view is None:
            model = self if classes is _MODEL else self.model
            i = _find(model, kind, plural, name)
            view = extra.get((thing, i))
            if view is None:
                if "twin" not in extra:
                    extra["twin"] = self._twin()
                twin = extra["twin"]
                view = extra[thing, i] = cls(twin, twin if classes is _MODEL else twin.model, kind, i)
            extra[thing, name] = view
        return view

    access.__name__ = method
    access.__doc__ = f"View of one {thing} by name or index: its elements of every array that has some for it."
    return access


def attach():
    for method, (thing, _, _) in _views.OBJECTS.items():
        if thing in _MODEL:
            setattr(_core.MjModel, method, _accessor(method, _MODEL))
        if thing in _DATA:
            setattr(_core.MjData, method, _accessor(method, _DATA))


class Group:
    """Views of several elements: attributes are joined, values are given to each in turn."""

    def __init__(self, views, is_data):
        object.__setattr__(self, "elements", views)
        object.__setattr__(self, "_is_data", is_data)

    def __getattr__(self, attribute):
        values = [getattr(v, attribute) for v in self.elements]
        return np.concatenate([np.atleast_1d(v) for v in values]) if values and isinstance(values[0], np.ndarray) else values

    def __setattr__(self, attribute, value):
        values = iter(np.ravel(value))
        for v in self.elements:
            target = getattr(v, attribute)
            target[...] = np.reshape([next(values) for _ in range(target.size)], target.shape)
