"""What differs between worlds and episodes, as declarations.

    randomize = [vary.mass(0.8, 1.2), vary.friction(0.5, 1.5), vary.gain(0.9, 1.1, actuators=["hip", "knee"]),
                 vary.delay(0, 2), vary.push("torso", force=(0, 80), every=(2, 5)), vary.noise(0.01)]

Each world draws from its own stream at the start of each episode; constants that the engine derives from a parameter
follow it.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import MjModel, enumerations, mj_name2id
from .streams import Streams
from .task import Worlds

_OBJECTS = {"body": ("mjOBJ_BODY", "nbody"), "geom": ("mjOBJ_GEOM", "ngeom"), "jnt": ("mjOBJ_JOINT", "njnt"), "site": ("mjOBJ_SITE", "nsite"),
            "actuator": ("mjOBJ_ACTUATOR", "nu"), "tendon": ("mjOBJ_TENDON", "ntendon"), "dof": ("mjOBJ_JOINT", "nv")}
Names = Sequence[str | int] | str | int | None


def _range(low: float, high: float, what: str, positive: bool = False) -> tuple[float, float]:
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise ValueError(f"{what}: the range is [{low}, {high}], expected two finite numbers in order")
    if positive and low <= 0:
        raise ValueError(f"{what}: the range begins at {low}, expected a positive number")
    return float(low), float(high)


def rows_of(model: MjModel, kind: str, names: Names, what: str) -> NDArray[np.intp]:
    """Rows of objects by name or id; None for all.  The rows of a joint in arrays of dofs are its dofs."""
    number, count = enumerations["mjtObj"][1][_OBJECTS[kind][0]], getattr(model, _OBJECTS[kind][1])
    if names is None:
        return np.arange(count)
    rows: list[int] = []
    for name in [names] if isinstance(names, (str, int)) else names:
        i = mj_name2id(model, number, name) if isinstance(name, str) else int(name)
        if isinstance(name, str) and i < 0 or not isinstance(name, str) and not 0 <= i < count:
            raise ValueError(f"{what}: the model has no {'joint' if kind in ('dof', 'jnt') else kind} {name!r}")
        if kind == "dof" and isinstance(name, str):
            first = int(model.jnt_dofadr[i])
            rows += [k for k in range(first, model.nv) if model.dof_jntid[k] == i]
        else:
            rows.append(i)
    return np.array(rows, np.intp)


class Variation:
    """One declaration.  `bind` checks it against a model and returns a copy with what it looked up."""

    parameters: tuple[str, ...] = ()

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        """Look up names, and make room in `w.memory` under `key`."""

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        """An episode of the worlds `ids` begins; they are in their reset state."""

    def controls(self, w: Worlds, actions: NDArray[Any], stepping: NDArray[np.intp]) -> NDArray[Any]:
        return actions

    def before(self, w: Worlds, stepping: NDArray[np.intp], draw: Streams) -> None:
        """A step of the worlds `stepping` begins."""

    def observed(self, w: Worlds, ids: NDArray[np.intp], observation: Any, draw: Streams) -> Any:
        return observation


class Parameter(Variation):
    """Parameters of the model: scaled by, moved by or set to a number from [low, high) of each world and episode.

    name: an array of the model ("geom_friction") or "opt." and an option ("opt.gravity")
    how: "scale", "add" or "set";  rows: objects by name or id, None for all;  columns: of the array, None for all
    together: one number for all elements instead of one for each row;  log: uniform in the logarithm
    """

    def __init__(self, name: str | Sequence[str], low: float, high: float, *, how: str = "scale", rows: Names = None,
                 columns: Sequence[int] | int | None = None, together: bool = False, log: bool = False) -> None:
        self.parameters = (name,) if isinstance(name, str) else tuple(name)
        what = f"vary.parameter {self.parameters[0]!r}"
        if how not in ("scale", "add", "set"):
            raise ValueError(f"{what}: how is {how!r}, allowed are 'scale', 'add', 'set'")
        self.low, self.high = _range(low, high, what, positive=log)
        self.how, self.rows, self.columns, self.together, self.log = how, rows, columns, together, log

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        self._base: dict[str, NDArray[np.float64]] = {}
        self._index: dict[str, Any] = {}
        for name in self.parameters:
            what = f"vary.parameter {name!r}"
            source = model.opt if name.startswith("opt.") else model
            value = getattr(source, name.rpartition(".")[2], None)
            if value is None or np.asarray(value).dtype != np.float64:
                raise ValueError(f"{what}: the model has no such array of real numbers")
            self._base[name] = base = np.atleast_1d(np.array(value, np.float64))
            rows: Any = slice(None)
            if self.rows is not None:
                kind = name.split("_")[0]
                if kind not in _OBJECTS:
                    raise ValueError(f"{what}: its rows cannot be named; give none")
                rows = rows_of(model, kind, self.rows, what)
            if self.columns is not None and base.ndim == 1:
                raise ValueError(f"{what}: the array has no columns; give none")
            columns: Any = slice(None) if self.columns is None else self.columns
            if isinstance(rows, np.ndarray) and np.ndim(self.columns or 0):
                rows = rows[:, None]         # each of the columns in each of the rows, not pairs of them
            self._index[name] = (rows, columns) if base.ndim > 1 else (rows,)
            try:
                base[self._index[name]]
            except IndexError as error:
                raise ValueError(f"{what}: {error}") from None
        self._count = 1 if self.together else len(np.atleast_1d(base[self._index[name][0]]))

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        if self.log:
            # exp by the power function of the C library: portable only as far as that is
            number = self.low * (self.high / self.low) ** draw.uniform(ids, self._count)
        else:
            number = draw.uniform(ids, self._count, self.low, self.high)
        for name in self.parameters:
            values = w.batch.get(name, ids)
            index = self._index[name]
            base = self._base[name]
            part = base[index]
            by = number.reshape(number.shape + (1,) * (part.ndim - 1))
            new = part * by if self.how == "scale" else part + by if self.how == "add" else np.broadcast_to(by, (len(ids),) + part.shape)
            values[(slice(None),) + index] = new
            w.batch.set(name, values, ids)


class Mass(Variation):
    parameters = ("body_mass", "body_inertia")

    def __init__(self, low: float, high: float, bodies: Names, together: bool) -> None:
        self.low, self.high = _range(low, high, "vary.mass", positive=True)
        self._parts = [Parameter(name, low, high, rows=bodies, together=together) for name in self.parameters]

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        for part in self._parts:
            part.bind(model, w, key)

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        factor = draw.uniform(ids, self._parts[0]._count, self.low, self.high)
        for name, part in zip(self.parameters, self._parts):
            rows = part._index[name][0]
            values = w.batch.get(name, ids)
            base = part._base[name][rows]
            values[:, rows] = base * (factor if base.ndim == 1 else factor[:, :, None])
            w.batch.set(name, values, ids)


class Gain(Variation):
    """Gains of actuators: `actuator_gainprm` and the part of `actuator_biasprm` that answers to length and velocity."""

    parameters = ("actuator_gainprm", "actuator_biasprm")

    def __init__(self, low: float, high: float, actuators: Names, together: bool) -> None:
        self.low, self.high = _range(low, high, "vary.gain", positive=True)
        self.actuators, self.together = actuators, together

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        self._rows = rows_of(model, "actuator", self.actuators, "vary.gain")
        affine = enumerations["mjtGain"][1]["mjGAIN_FIXED"], enumerations["mjtGain"][1]["mjGAIN_AFFINE"]
        for i in self._rows:
            if int(model.actuator_gaintype[i]) not in affine:
                raise ValueError(f"vary.gain: actuator {i} is neither of fixed nor of affine gain; use vary.parameter")
        self._gain, self._bias = np.array(model.actuator_gainprm)[self._rows], np.array(model.actuator_biasprm)[self._rows]

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        factor = draw.uniform(ids, 1 if self.together else len(self._rows), self.low, self.high)[:, :, None]
        gain, bias = (w.batch.get(name, ids) for name in self.parameters)
        gain[:, self._rows, :3] = self._gain[:, :3] * factor
        bias[:, self._rows, 1:3] = self._bias[:, 1:3] * factor
        w.batch.set("actuator_gainprm", gain, ids)
        w.batch.set("actuator_biasprm", bias, ids)


class Delay(Variation):
    def __init__(self, low: int, high: int) -> None:
        if int(low) != low or int(high) != high or not 0 <= low <= high:
            raise ValueError(f"vary.delay: the range is [{low}, {high}], expected integers in order, 0 or more")
        self.low, self.high = int(low), int(high)

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        low, _ = w.task.action_bounds(model)
        self._late, self._past = key + ".late", key + ".past"
        w.memory[self._late] = np.zeros(len(w), np.int64)
        w.memory[self._past] = np.zeros((len(w), self.high + 1, len(np.atleast_1d(low))))

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        w.memory[self._late][ids] = draw.integers(ids, 1, self.low, self.high + 1)[:, 0]
        w.memory[self._past][ids] = 0

    def controls(self, w: Worlds, actions: NDArray[Any], stepping: NDArray[np.intp]) -> NDArray[Any]:
        past, late = w.memory[self._past], w.memory[self._late]
        past[stepping, 1:] = past[stepping, :-1]
        past[stepping, 0] = actions[stepping]
        return past[np.arange(len(w)), late].astype(actions.dtype)


class Push(Variation):
    def __init__(self, body: str | int, force: tuple[float, float], every: tuple[float, float], duration: float) -> None:
        self.force, self.every = _range(*force, "vary.push: force"), _range(*every, "vary.push: every", positive=True)
        if not duration > 0:
            raise ValueError(f"vary.push: duration is {duration}, expected a positive time [s]")
        self.body, self.duration = body, float(duration)

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        self._body = int(rows_of(model, "body", self.body, "vary.push")[0])
        self._next, self._end = key + ".next", key + ".end"
        self._steps = max(1, round(self.duration / w.dt))
        w.memory[self._next] = np.zeros(len(w), np.int64)      # steps of the episode
        w.memory[self._end] = np.zeros(len(w), np.int64)

    def _pause(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> NDArray[np.int64]:
        return np.ceil(draw.uniform(ids, 1, *self.every)[:, 0] / w.dt).astype(np.int64)

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        w.memory[self._next][ids] = self._pause(w, ids, draw)
        w.memory[self._end][ids] = -1

    def before(self, w: Worlds, stepping: NDArray[np.intp], draw: Streams) -> None:
        now = w.elapsed[stepping]
        over = stepping[now == w.memory[self._end][stepping]]
        w.xfrc_applied[over, self._body, :3] = 0
        due = stepping[now == w.memory[self._next][stepping]]
        if len(due):
            # a horizontal direction without sine and cosine: a point of the square, projected to the circle
            side = draw.uniform(due, 2, -1, 1)
            length = np.maximum(np.sqrt(side[:, 0] ** 2 + side[:, 1] ** 2), 1e-12)
            size = draw.uniform(due, 1, *self.force)
            w.xfrc_applied[due, self._body, :2] = side / length[:, None] * size
            w.memory[self._end][due] = w.elapsed[due] + self._steps
            w.memory[self._next][due] = w.memory[self._end][due] + self._pause(w, due, draw)


class Noise(Variation):
    def __init__(self, scale: ArrayLike, bias: ArrayLike, part: str | None) -> None:
        self.scale, self.bias, self.part = np.asarray(scale, np.float64), np.asarray(bias, np.float64), part
        for name, value in (("scale", self.scale), ("bias", self.bias)):
            if not (np.isfinite(value).all() and (value >= 0).all()):
                raise ValueError(f"vary.noise: {name} is {value}, expected finite numbers of at least 0")

    def bind(self, model: MjModel, w: Worlds, key: str) -> None:
        self._key = key + ".bias"

    def start(self, w: Worlds, ids: NDArray[np.intp], draw: Streams) -> None:
        if self._key in w.memory and self.bias.any():
            w.memory[self._key][ids] = draw.normal(ids, w.memory[self._key].shape[1], self.bias)

    def observed(self, w: Worlds, ids: NDArray[np.intp], observation: Any, draw: Streams) -> Any:
        if isinstance(observation, dict) and self.part is None:
            raise ValueError(f"vary.noise: observations are named; give part=, one of {', '.join(observation)}")
        values = observation[self.part] if isinstance(observation, dict) else observation
        if self.bias.any():
            if self._key not in w.memory:        # the first observation says how long it is
                w.memory[self._key] = np.zeros((len(w), values.shape[1]))
                self.start(w, np.arange(len(w)), draw)
            values += w.memory[self._key][ids]
        values += draw.normal(ids, values.shape[1], self.scale)
        return observation


# ---- the vocabulary

def parameter(name: str, low: float, high: float, *, how: str = "scale", rows: Names = None, columns: Sequence[int] | int | None = None,
              together: bool = False, log: bool = False) -> Variation:
    """Any parameter of the model; see `Parameter`."""
    return Parameter(name, low, high, how=how, rows=rows, columns=columns, together=together, log=log)


def mass(low: float, high: float, bodies: Names = None, together: bool = False) -> Variation:
    """Masses and inertias of bodies, scaled by the same factor."""
    return Mass(low, high, bodies, together)


def friction(low: float, high: float, geoms: Names = None, together: bool = True) -> Variation:
    """Sliding friction of geoms, scaled."""
    return Parameter("geom_friction", low, high, rows=geoms, columns=0, together=together)


def size(low: float, high: float, geoms: Names = None, together: bool = False) -> Variation:
    """Sizes of geoms, scaled; masses stay as they are."""
    return Parameter("geom_size", low, high, rows=geoms, together=together)


def gain(low: float, high: float, actuators: Names = None, together: bool = False) -> Variation:
    """Gains of actuators, scaled, those of position and velocity feedback included."""
    return Gain(low, high, actuators, together)


def damping(low: float, high: float, joints: Names = None, together: bool = False) -> Variation:
    """Damping of joints, scaled."""
    return Parameter("dof_damping", low, high, rows=joints, together=together)


def gravity(low: float, high: float) -> Variation:
    """Gravity, scaled."""
    return Parameter("opt.gravity", low, high, together=True)


def delay(low: int, high: int) -> Variation:
    """Actions take effect so many steps of the task later; controls are 0 until the first one does."""
    return Delay(low, high)


def push(body: str | int, *, force: tuple[float, float], every: tuple[float, float], duration: float = 0.1) -> Variation:
    """Horizontal forces [N] on a body for `duration` seconds, with pauses of `every` seconds between them."""
    return Push(body, force, every, duration)


def noise(scale: ArrayLike, *, bias: ArrayLike = 0.0, part: str | None = None) -> Variation:
    """Normal noise on observations, anew in each step, and a bias that lasts for the episode.

    part: which entry of an observation that is a dict
    """
    return Noise(scale, bias, part)
