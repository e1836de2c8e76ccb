"""Editable models: what MjSpec and its elements (Mjs...) can do in Python.

Attributes come from the tables; the methods here are named after MuJoCo's.
"""

import os
import typing
import weakref
import zipfile

import numpy as np

from . import _core, _named
from .errors import FatalError as _core_FatalError

MjSpec, MjsBody, MjsFrame = _core.MjSpec, _core.MjsBody, _core.MjsFrame
_OBJ = _core.enumerations["mjtObj"][1]
_ORIENTATION = _core.enumerations["mjtOrientation"][1]

# kind: (class, mjtObj, plural, add function or None); those of the tree are added to bodies
_TREE = {"body": ("BODY", "bodies"), "frame": ("FRAME", "frames"), "joint": ("JOINT", "joints"), "geom": ("GEOM", "geoms"),
         "site": ("SITE", "sites"), "camera": ("CAMERA", "cameras"), "light": ("LIGHT", "lights")}
_FLAT = {"actuator": ("ACTUATOR", "actuators"), "sensor": ("SENSOR", "sensors"), "flex": ("FLEX", "flexes"),
         "pair": ("PAIR", "pairs"), "equality": ("EQUALITY", "equalities"), "exclude": ("EXCLUDE", "excludes"),
         "tendon": ("TENDON", "tendons"), "numeric": ("NUMERIC", "numerics"), "text": ("TEXT", "texts"),
         "tuple": ("TUPLE", "tuples"), "key": ("KEY", "keys"), "mesh": ("MESH", "meshes"), "hfield": ("HFIELD", "hfields"),
         "skin": ("SKIN", "skins"), "texture": ("TEXTURE", "textures"), "material": ("MATERIAL", "materials"),
         "plugin": ("PLUGIN", "plugins")}
_WITH_DEFAULT = {"body", "joint", "geom", "site", "camera", "light", "actuator", "pair", "equality", "tendon", "mesh", "material"}
_CLASS = {"hfield": "HField"}
_ANGLES = ("axisangle", "xyaxes", "zaxis", "euler")


def _class(kind):
    return getattr(_core, "Mjs" + _CLASS.get(kind, kind.capitalize()))


ELEMENTS = {kind: _class(kind) for kind in (*_TREE, *_FLAT)}
MjStruct: typing.Any = typing.Union[tuple(ELEMENTS.values())]


# ---- lists of numbers and texts

class SpecList:
    """A list in a spec: items can be read and set; assign the attribute to change its length."""
    __slots__ = ("_owner", "_name")

    def __init__(self, owner, name):
        self._owner, self._name = owner, name

    def _get(self):
        return _core.spec_raw(self._owner, self._name)

    def __len__(self):
        return len(self._get())

    def _check(self, i):
        if not isinstance(i, slice) and not 0 <= i < len(self):
            raise IndexError(f"index {i}, there are {len(self)}")
        return i

    def __getitem__(self, i):
        return self._get()[self._check(i)]

    def __setitem__(self, i, value):
        items = self._get()
        items[self._check(i)] = value
        setattr(self._owner, self._name, items)

    def __iter__(self):
        return iter(self._get())

    def __eq__(self, other):
        items = self._get()
        return bool(np.array_equal(items, other)) if isinstance(items, np.ndarray) else items == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self._get(), dtype)

    def append(self, value):
        setattr(self._owner, self._name, [*self._get(), value])

    def __getattr__(self, name):
        return getattr(np.asarray(self._get()), name)

    def __repr__(self):
        return repr(self._get())


class CharList:
    """Letters of a field of fixed length."""
    __slots__ = ("_owner", "_field", "_size")

    def __init__(self, owner, field, size):
        self._owner, self._field, self._size = owner, field, size

    def _get(self):
        text = self._field.__get__(self._owner)
        return list(text) + [""] * (self._size - len(text))

    def __len__(self):
        return self._size

    def __getitem__(self, i):
        if not 0 <= i < self._size:
            raise IndexError(f"index {i}, there are {self._size}")
        return self._get()[i]

    def __setitem__(self, i, value):
        self[i]
        letters = self._get()
        letters[i] = value
        self._field.__set__(self._owner, "".join(letters))

    def __iter__(self):
        return iter(self._get())

    def __str__(self):
        return "".join(self._get())

    def __eq__(self, other):
        return list(other) == self._get()

    __hash__ = None  # type: ignore[assignment]


def _char_field(cls, name, size):
    field = getattr(cls, name)

    def setter(self, letters):
        letters = list(letters)
        if any(not isinstance(c, str) or len(c) > 1 for c in letters):
            raise ValueError(f"{name}: list elements must be single characters")
        if len(letters) != size:
            raise ValueError(f"{name} should have length {size}, got {len(letters)}")
        field.__set__(self, "".join(letters))

    setattr(cls, name, property(lambda self: CharList(self, field, size), setter, doc=field.__doc__))


def _list(owner, name, kind):
    return SpecList(owner, name)


# ---- elements

def _name(self):
    return _core.mjs_getName(self)


def _set_name(self, name):
    if not isinstance(name, str):
        raise TypeError("name must be a str")
    if _core.mjs_setName(self, name) != 0:
        raise ValueError(_core.mjs_getError(_core.spec_of(self)) or f"repeated name '{name}'")


def _classname(self):
    return _core.mjs_getDefault(self)


def _set_classname(self, default):
    _core.mjs_setDefault(self, default)


def _element_eq(self, other):
    return type(self) is type(other) and self._address == other._address


def _element_hash(self):
    return hash(self._address)


def _orient(element, key, value):
    """euler=..., axisangle=... and their kin for the inertial frame, as attributes of `alt` and `ialt`."""
    inner = key[1:] if key.startswith("i") else key
    alt = getattr(element, "ialt" if key.startswith("i") else "alt")
    size = getattr(alt, inner).size
    if np.size(value) != size:
        raise ValueError(f"{key} should be a list/array of size {size}.")
    alt.type = _ORIENTATION["mjORIENTATION_" + inner.upper()]
    setattr(alt, inner, value)


def _fill(element, fields):
    angles = [k for k in fields if k in _ANGLES or (k[:1] == "i" and k[1:] in _ANGLES)]
    for prefix in ("", "i"):
        if sum(k in [prefix + a for a in _ANGLES] for k in angles) > 1:
            raise ValueError("Only one of: axisangle, xyaxes, zaxis, or euler can be set." if not prefix else
                             "Only one of: iaxisangle, ixyaxes, izaxis, or ieuler can be set.")
    for key, value in fields.items():
        if key in angles:
            _orient(element, key, value)
        elif not hasattr(type(element), key) or key.startswith("_"):
            raise TypeError(f"Invalid {key} keyword argument. '{key}' is not an attribute of {type(element).__name__}.")
        else:
            _assign(element, key, value)
    return element


def _assign(element, key, value):
    """Set a field; shorter `size` and the like fill the beginning."""
    current = getattr(element, key)
    if isinstance(value, str) and not isinstance(current, (str, CharList)):
        raise TypeError(f"{key} must not be a str")
    if isinstance(current, np.ndarray) and np.size(value) != current.size:
        n = np.size(value)
        if key == "size" and 0 < n < current.size:
            current[:] = 0
            current[:n] = value
            return
        limit = f"{current.size}" if key != "size" else f"1, 2, or {current.size}" if current.size == 3 else f"{current.size}"
        raise ValueError(f"{key} should be a list/array of size {limit}.")
    setattr(element, key, value)


def _made(spec, element, fields):
    if element is None:
        raise ValueError(_core.mjs_getError(spec) or "the element cannot be added")
    try:
        return _fill(element, fields)
    except BaseException:
        _core.mjs_delete(spec, element)
        raise


def _adder(kind):
    has_default = kind in _WITH_DEFAULT
    function = getattr(_core, "mjs_add" + _CLASS.get(kind, kind.capitalize()))

    def add(self, default=None, **fields):
        if default is None:
            default = fields.pop("childclass_", None)
        element = function(self, default) if has_default else function(self)
        return _made(_core.spec_of(self), element, fields)

    add.__name__ = f"add_{kind}"
    add.__doc__ = f"Add a {kind}; keyword arguments set its attributes" + (", `default` is its default class." if has_default else ".")
    return add


def _add_frame(self, parentframe=None, default=None, **fields):
    """Add a frame to the body, inside `parentframe` if that is given; keyword arguments set its attributes."""
    return _made(_core.spec_of(self), _core.mjs_addFrame(self, parentframe), fields)


def _add_freejoint(self, **fields):
    """Add a free joint; keyword arguments are align, group and name."""
    for key in fields:
        if key not in ("align", "group", "name"):
            raise TypeError(f"Invalid {key} keyword argument. Valid options are: align, group, name.")
    return _made(_core.spec_of(self), _core.mjs_addFreeJoint(self), fields)


def _frame_adder(kind):
    def add(self, default=None, **fields):
        body = _core.mjs_getParent(self)
        if kind == "frame":
            return body.add_frame(self if default is None else default, **fields)
        element = getattr(body, f"add_{kind}")(default, **fields)
        _core.mjs_setFrame(element, self)
        return element

    add.__name__ = f"add_{kind}"
    add.__doc__ = f"Add a {kind} inside the frame; keyword arguments set its attributes."
    return add


def _children(kind):
    obj = _OBJ["mjOBJ_" + _TREE[kind][0]]
    return property(lambda self: _core.spec_elements(self, obj, False), doc=f"{_TREE[kind][1]} of the body, without its children's")


def _first(kind):
    obj = _OBJ["mjOBJ_" + _TREE[kind][0]]

    def first(self):
        return _core.mjs_firstChild(self, obj, 0)

    def following(self, child):
        return _core.mjs_nextChild(self, child, 0)

    return first, following


def _find_all(self, kind):
    """All elements of a kind in the subtree of the body; `kind` is a name or of mjtObj."""
    names = {value: key for key, value in ((k, _OBJ["mjOBJ_" + v[0]]) for k, v in _TREE.items())}
    if not isinstance(kind, str):
        kind = names.get(int(kind), None)
    if kind not in _TREE:
        raise ValueError("body.find_all supports the types: body, frame, geom, site, joint, light, camera.")
    return _core.spec_elements(self, _OBJ["mjOBJ_" + _TREE[kind][0]], True)


def _find_child(self, name):
    """Body of that name below this one, None if there is none."""
    return _core.mjs_findChild(self, name)


def _set_frame(self, frame):
    """Put the element into a frame."""
    if _core.mjs_setFrame(self, frame) != 0:
        raise ValueError(_core.mjs_getError(_core.spec_of(self)))


def _attach(parent, child, prefix, suffix):
    result = _core.mjs_attach(parent, child, prefix or "", suffix or "")
    if result is None:
        raise ValueError(_core.mjs_getError(_core.spec_of(parent)))
    return result


def _attach_body(self, body, prefix="", suffix=""):
    """Attach a body, of this or another spec, to the frame or site; its names get `prefix` and `suffix`."""
    _take_assets(_core.spec_of(self), _core.spec_of(body))
    return _attach(self, body, prefix, suffix)


def _attach_frame(self, frame, prefix="", suffix=""):
    """Attach a frame, of this or another spec, to the body; its names get `prefix` and `suffix`."""
    _take_assets(_core.spec_of(self), _core.spec_of(frame))
    return _attach(self, frame, prefix, suffix)


def _take_assets(spec, child):
    if spec._address == child._address:
        return
    mine, theirs = _core.spec_assets(spec), _core.spec_assets(child)
    for name, content in theirs.items():
        if name in mine and mine[name] != content and not _override(spec):
            raise ValueError(f"Asset {name} already exists in parent spec.")
        mine[name] = content


def _renamed(path, prefix, suffix):
    folder, name = os.path.split(path)
    stem, extension = os.path.splitext(name)
    return (folder + "/" if folder else "") + prefix + stem + suffix + extension


def _rename_assets(spec, child, prefix, suffix):
    """Files of a spec that is attached get its prefix and suffix too, so that they do not collide with others."""
    mine, theirs = _core.spec_assets(spec), _core.spec_assets(child)
    files = {k: v for k, v in theirs.items() if not k.startswith("\0")}
    for name, content in files.items():
        new = _renamed(name, prefix, suffix)
        if new in mine and not _override(spec):
            raise ValueError(f"Asset {name} already exists in parent spec.")
        mine[new] = theirs[new] = content
    for element in [*child.meshes, *child.textures] if files else []:
        if element.file:
            element.file = _renamed(element.file, prefix, suffix)


_PARENT: typing.Any = weakref.WeakValueDictionary()  # of specs that were attached, by address
_FLAGS: dict = {}  # of specs: what the struct has no field for


def _override(spec):
    return _core.spec_assets(spec).get("\0override", True)


def _to_frame(self):
    """Replace the body by a frame with the same content."""
    frame = _core.mjs_bodyToFrame(self)
    if frame is None:
        raise ValueError(_core.mjs_getError(_core.spec_of(self)))
    return frame


# ---- specs

def _from_file(filename, include=None, assets=None):
    """Read a model file without compiling it; `include` and `assets` are dicts of file names and bytes."""
    files = {**(include or {}), **(assets or {})}
    spec = _core.spec_parse("path", os.fspath(filename), files or None)
    _core.spec_assets(spec, dict(assets or {}))
    return spec


def _from_string(xml, include=None, assets=None):
    """Read a model from text; `include` and `assets` as in from_file."""
    xml = xml.decode() if isinstance(xml, bytes) else xml
    files = {**(include or {}), **(assets or {})}
    spec = _core.spec_parse("string", xml, files or None)
    _core.spec_assets(spec, dict(assets or {}))
    return spec


def _compile(self):
    """Compile the spec; raises ModelError (a ValueError) with the place of the mistake."""
    return _core.spec_compile(self, _files(self))


def _files(spec):
    return {k: v for k, v in _core.spec_assets(spec).items() if not k.startswith("\0")} or None


def _recompile(self, model, data):
    """Compile again and return (model, data) with the state of those given, for elements that are still there."""
    return _core.spec_compile(self, _files(self), model, data)


def _to_xml(self):
    """The spec as MJCF text; one that was never compiled is compiled in a copy first."""
    try:
        return _core.spec_xml(self)
    except _core_FatalError:
        twin = _copy(self)
        _compile(twin)
        return _core.spec_xml(twin)


def _to_file(self, filename):
    """Write the spec as MJCF."""
    with open(filename, "w", encoding="utf-8") as f:
        f.write(_to_xml(self))


def _copy(self, memo=None):
    """A copy of the spec, with its own dict of assets."""
    copy = _core.spec_copy(self)
    _core.spec_assets(copy, dict(_core.spec_assets(self)))
    return copy


def to_zip(spec, file):
    """Write the spec and its assets into a zip file, a path or a binary file object."""
    if isinstance(file, (str, os.PathLike)):
        os.makedirs(os.path.dirname(os.fspath(file)) or ".", exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in {**(_files(spec) or {}), f"{spec.modelname}.xml": spec.to_xml()}.items():
            archive.writestr(zipfile.ZipInfo(name), content)


def from_zip(file):
    """Read a spec and its assets from a zip file, a path or a binary file object."""
    if not zipfile.is_zipfile(file):
        raise ValueError(f"File {file} is not a zip file.")
    with zipfile.ZipFile(file) as archive:
        names = [n for n in archive.namelist() if not n.endswith("/")]
        models = [n for n in names if n.endswith(".xml")]
        if not models:
            raise ValueError("No XML file found in zip file.")
        folder = os.path.dirname(models[-1])
        assets = {os.path.relpath(n, folder or "."): archive.read(n) for n in names if n not in models}
        return _from_string(archive.read(models[-1]), assets=assets)


def _spec_attach(self, child, prefix=None, suffix=None, site=None, frame=None):
    """Attach another spec at a site or frame of this one, an element or its name; returns the frame that it is in."""
    if (site is None) == (frame is None):
        raise ValueError("Only one of site or frame can be specified." if site is not None else "Either a site or a frame must be specified.")
    if isinstance(site, str):
        site, wanted = self.site(site), "Site not found."
    elif isinstance(frame, str):
        frame, wanted = self.frame(frame), "Frame not found."
    else:
        wanted = ""
    place = site if site is not None else frame
    if place is None:
        raise ValueError(wanted)
    if _core.spec_of(place)._address != self._address:
        raise ValueError("Site spec does not match parent spec." if site is not None else "Frame spec does not match parent spec.")
    prefix = "/" if prefix is None else prefix
    _rename_assets(self, child, prefix, suffix or "")
    # a spec is attached by a frame around what its world holds
    result = _attach(place, child, prefix, suffix)
    _PARENT[child._address] = self
    return result


def _worldbody(self):
    return _core.mjs_findBody(self, "world")


def _finder(kind, obj):
    if kind == "body":
        return lambda self, name: _core.mjs_findBody(self, name)
    if kind == "frame":
        return lambda self, name: _core.mjs_findFrame(self, name)
    if kind in ("mesh", "texture", "hfield", "skin"):
        def find(self, name):
            found = _core.mjs_findElement(self, obj, name)
            if found is None:
                stems = ((e, os.path.splitext(os.path.basename(e.file))[0]) for e in _core.spec_elements(self, obj))
                found = next((e for e, stem in stems if not e.name and stem == name), None)
            return found
        return find
    return lambda self, name: _core.mjs_findElement(self, obj, name)


def _delete(self, element):
    """Delete an element and what depends on it."""
    if _core.mjs_delete(self, element) != 0:
        raise ValueError(_core.mjs_getError(self) or "the element cannot be deleted")


def _add_default(self, name, parent=None):
    """Add a default class below `parent` or the main one."""
    found = _core.mjs_addDefault(self, name, parent)
    if found is None:
        raise ValueError(f"Default class '{name}' already exists.")
    return found


def _resolve_orientation(*, degree=None, sequence=None, orientation):
    """Quaternion of an orientation in another form."""
    quat = np.zeros(4)
    sequence = "".join(sequence) if sequence is not None else "xyz"
    error = _core.mjs_resolveOrientation(quat, int(bool(degree)), sequence, orientation)
    if error:
        raise ValueError(error)
    return quat


def _activate_plugin(self, name):
    if _core.mjs_activatePlugin(self, name) != 0:
        raise ValueError(f"unknown plugin '{name}'")


def _forward(owner, part, name):
    return property(lambda self: getattr(getattr(self, part), name), lambda self, value: setattr(getattr(self, part), name, value))


# ---- actuators, tendons, meshes, sensors

def _checked(error):
    if error:
        raise ValueError(error)


def _optional(value):
    return None if value is None else np.atleast_1d(np.asarray(value, np.float64))


def _set_to_motor(self):
    _checked(_core.mjs_setToMotor(self))


def _servo(function):
    def set_to(self, kp, kv=None, dampratio=None, timeconst=None, inheritrange=0):
        _checked(function(self, kp, _optional(kv), _optional(dampratio), _optional(timeconst), float(inheritrange)))
    return set_to


def _set_to_velocity(self, kv):
    _checked(_core.mjs_setToVelocity(self, kv))


def _set_to_damper(self, kv):
    _checked(_core.mjs_setToDamper(self, kv))


def _set_to_cylinder(self, timeconst, bias, area, diameter=-1):
    _checked(_core.mjs_setToCylinder(self, timeconst, bias, area, diameter))


def _set_to_muscle(self, timeconst=(-1, -1), tausmooth=-1, range=(-1, -1), force=-1, scale=-1, lmin=-1, lmax=-1, vmax=-1,
                   fpmax=-1, fvmax=-1):
    times = np.broadcast_to(np.asarray(timeconst, np.float64), (2,)).copy()
    _checked(_core.mjs_setToMuscle(self, times, tausmooth, np.asarray(range, np.float64), force, scale, lmin, lmax, vmax, fpmax, fvmax))


def _set_to_adhesion(self, gain):
    _checked(_core.mjs_setToAdhesion(self, gain))


class MjsTendonPath:
    """Path of a tendon: a sequence of MjsWrap."""

    def __init__(self, tendon):
        self._tendon = tendon

    def __len__(self):
        return _core.mjs_getWrapNum(self._tendon)

    def __getitem__(self, i):
        if not 0 <= i < len(self):
            raise IndexError(f"index {i}, the path has {len(self)} elements")
        return _core.mjs_getWrap(self._tendon, i)


def _builtin(name, parameters):
    value = _core.enumerations["mjtMeshBuiltin"][1]["mjMESH_BUILTIN_" + name.upper()]

    def make(self, *args, **kwargs):
        given = dict(zip(parameters, args))
        given.update(kwargs)
        unknown = set(given) - set(parameters)
        if unknown or len(args) > len(parameters):
            raise TypeError(f"make_{name} takes {', '.join(parameters)}")
        numbers = [float(x) for p in parameters if p in given for x in np.ravel(given[p])]
        if _core.mjs_makeMesh(self, value, numbers) != 0:
            raise ValueError(_core.mjs_getError(_core.spec_of(self)))

    make.__name__ = f"make_{name}"
    return make


def _set_textures(material, field, names):
    names = list(names)
    n = int(_core.enumerations["mjtTextureRole"][1]["mjNTEXROLE"])
    if len(names) != n:
        raise ValueError(f"textures must have exactly {n} elements, got {len(names)}")
    field.__set__(material, names)


# ---- bind

_BOUND = {_class(k): m for k, m in (
    ("body", "body"), ("joint", "joint"), ("geom", "geom"), ("site", "site"), ("camera", "camera"), ("light", "light"),
    ("mesh", "mesh"), ("skin", "skin"), ("hfield", "hfield"), ("texture", "texture"), ("material", "material"),
    ("pair", "pair"), ("exclude", "exclude"), ("equality", "equality"), ("tendon", "tendon"), ("actuator", "actuator"),
    ("sensor", "sensor"), ("numeric", "numeric"), ("text", "text"), ("tuple", "tuple"), ("key", "keyframe"), ("flex", "flex"))}


def _bind_one(self, element):
    method = _BOUND.get(type(element))
    if method is None or not hasattr(self, method):
        raise TypeError(f"{type(element).__name__} has no counterpart in {type(self).__name__}")
    model = self if isinstance(self, _core.MjModel) else self.model
    spec = _core.spec_of(element)
    if _core.spec_signature(spec) != model.signature:
        raise ValueError("The mjSpec does not match mjModel. Please recompile the mjSpec.")
    return getattr(self, method)(_core.mjs_getId(element))


def _bind(self, elements):
    """View of the compiled counterpart of an element of a spec, or of several in a sequence."""
    if isinstance(elements, (list, tuple)):
        return _named.Group([_bind_one(self, e) for e in elements], isinstance(self, _core.MjData))
    return _bind_one(self, elements)


def _attach_methods():
    _core.spec_list_factory(_list)
    for kind, cls in ELEMENTS.items():
        for name, function in (("__eq__", _element_eq), ("__hash__", _element_hash)):
            setattr(cls, name, function)
        if kind != "plugin":
            cls.name = property(_name, _set_name, doc="name of the element")
        cls.id = property(lambda self: _core.mjs_getId(self), doc="id in the compiled model")
        cls.signature = property(lambda self: _core.spec_signature(self), doc="changes when the element is edited")
        if kind in _WITH_DEFAULT - {"tendon"}:
            cls.classname = property(_classname, _set_classname, doc="default class")
        if kind in _TREE:
            cls.parent = property(lambda self: _core.mjs_getParent(self), doc="body that the element belongs to")
            cls.frame = property(lambda self: _core.mjs_getFrame(self), doc="frame that the element is in")
            cls.set_frame = _set_frame
    for cls in (_core.MjSpec, _core.MjsDefault, _core.MjsWrap):
        cls.__eq__, cls.__hash__ = _element_eq, _element_hash
    for kind in _TREE:
        setattr(MjsBody, f"add_{kind}", _add_frame if kind == "frame" else _adder(kind))
        setattr(MjsFrame, f"add_{kind}", _frame_adder(kind))
        setattr(MjsBody, _TREE[kind][1], _children(kind))
        first, following = _first(kind)
        setattr(MjsBody, f"first_{kind}", first)
        setattr(MjsBody, f"next_{kind}", following)
    for name, function in {"add_freejoint": _add_freejoint, "find_all": _find_all, "find_child": _find_child, "to_frame": _to_frame,
                           "attach_frame": _attach_frame}.items():
        setattr(MjsBody, name, function)
    MjsFrame.attach_body = _core.MjsSite.attach_body = _attach_body
    for kind in _FLAT:
        setattr(MjSpec, f"add_{kind}", _adder(kind))
    for kind, (obj, plural) in {**_TREE, **_FLAT}.items():
        value = _OBJ["mjOBJ_" + obj]
        setattr(MjSpec, plural, property(lambda self, value=value: _core.spec_elements(self, value, True)))
        setattr(MjSpec, kind, _finder(kind, value))
    for name, function in {
            "from_file": staticmethod(_from_file), "from_string": staticmethod(_from_string), "from_zip": staticmethod(from_zip),
            "to_zip": to_zip, "compile": _compile, "recompile": _recompile, "to_xml": _to_xml, "to_file": _to_file, "copy": _copy,
            "__copy__": _copy, "__deepcopy__": _copy, "attach": _spec_attach, "delete": _delete, "add_default": _add_default,
            "find_default": lambda self, name: _core.mjs_findDefault(self, name), "activate_plugin": _activate_plugin,
            "resolve_orientation": staticmethod(_resolve_orientation), "worldbody": property(_worldbody),
            "default": property(lambda self: _core.mjs_getSpecDefault(self)),
            "assets": property(lambda self: _core.spec_assets(self), lambda self, files: _core.spec_assets(self, files)),
            "parent": property(lambda self: _PARENT.get(self._address)),
            "meshdir": _forward(MjSpec, "compiler", "meshdir"), "texturedir": _forward(MjSpec, "compiler", "texturedir"),
            "copy_during_attach": property(lambda self: _FLAGS.get(self._address, False), _set_deepcopy),
            "override_assets": property(_override, lambda self, value: _core.spec_assets(self).__setitem__("\0override", bool(value)))}.items():
        setattr(MjSpec, name, function)
    for name, function in {"set_to_motor": _set_to_motor, "set_to_position": _servo(_core.mjs_setToPosition),
                           "set_to_intvelocity": _servo(_core.mjs_setToIntVelocity), "set_to_velocity": _set_to_velocity,
                           "set_to_damper": _set_to_damper, "set_to_cylinder": _set_to_cylinder, "set_to_muscle": _set_to_muscle,
                           "set_to_adhesion": _set_to_adhesion}.items():
        setattr(_core.MjsActuator, name, function)
    tendon = _core.MjsTendon
    tendon.path = property(MjsTendonPath)
    tendon.default = lambda self: _core.mjs_getDefault(self)
    tendon.wrap_site = lambda self, name: _core.mjs_wrapSite(self, name)
    tendon.wrap_geom = lambda self, name, sidesite="": _core.mjs_wrapGeom(self, name, sidesite)
    tendon.wrap_joint = lambda self, name, coef: _core.mjs_wrapJoint(self, name, coef)
    tendon.wrap_pulley = lambda self, divisor: _core.mjs_wrapPulley(self, divisor)
    wrap = _core.MjsWrap
    wrap.target = property(lambda self: _core.mjs_getWrapTarget(self))
    wrap.sidesite = property(lambda self: _core.mjs_getWrapSideSite(self))
    wrap.coef = property(lambda self: _core.mjs_getWrapCoef(self))
    wrap.divisor = property(lambda self: _core.mjs_getWrapDivisor(self))
    _core.MjsSensor.get_data_size = lambda self: _core.mjs_sensorDim(self)
    for name, parameters in {"hemisphere": ("resolution",), "sphere": ("subdivision",), "cone": ("nedge", "radius"),
                             "supersphere": ("resolution", "e", "n"), "supertorus": ("resolution", "radius", "s", "t"),
                             "wedge": ("resolution", "fov", "gamma"), "plate": ("resolution",)}.items():
        setattr(_core.MjsMesh, f"make_{name}", _builtin(name, parameters))
    _char_field(_core.MjsCompiler, "eulerseq", 3)
    _char_field(_core.MjsTexture, "gridlayout", 12)
    _core.MjsDefault.name = property(_name, doc="name of the class")
    _core.MjsPlugin.config = property(_core.spec_config, lambda self, values: _core.spec_set_config(
        self, [str(k) for k in values], [str(v) for v in values.values()]), doc="configuration of the instance")
    textures = _core.MjsMaterial.textures
    _core.MjsMaterial.textures = property(textures.__get__, lambda self, names: _set_textures(self, textures, names),
                                          doc=textures.__doc__)
    setattr(_core.MjVisual, "global", _core.MjVisual.global_)
    for part in ("Global", "Quality", "Headlight", "Map", "Scale", "Rgba"):
        setattr(_core.MjVisual, part, getattr(_core, "MjVisual" + part))
    _core.MjModel.bind = _core.MjData.bind = _bind
    _core.MjModel.bind_scalar = _core.MjData.bind_scalar = _bind_one


def _set_deepcopy(self, value):
    _core.mjs_setDeepCopy(self, int(bool(value)))
    _FLAGS[self._address] = bool(value)


_attach_methods()
