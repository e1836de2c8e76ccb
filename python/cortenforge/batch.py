"""Many worlds of one model, stepped together on threads and vector lanes, or on a GPU."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import MjData, MjModel
from ._progress import Progress, chunks

_BACKENDS = {"cpu": 0, "cuda": 1}
_UNSTABLE = {"reset": 0, "freeze": 1}
_TIERS = {"auto": 0, "base": 1, "fast": 2}
_PRECISIONS = {"double": 0, "single": 1}
_REACTIONS = {"first": 0, "last": 1}
_ELEMENTS = (np.float64, np.int32, np.uint8)
_STATUS = np.dtype([("steps", np.int64), ("lost", np.int32), ("frozen", np.bool_), ("steps_again", np.int64),
                    ("warnings", np.int32, (8,)), ("reason", "U120")])


def _choice(name: str, value: str, table: dict[str, int]) -> int:
    if value not in table:
        raise ValueError(f"{name} is {value!r}, allowed are {', '.join(map(repr, table))}")
    return table[value]


def _mask(mask: ArrayLike | None) -> NDArray[np.bool_] | None:
    return None if mask is None else np.ascontiguousarray(mask, np.bool_)


class Batch:
    """`nworld` worlds of a model. Every world has the bits of a lone Data, whatever the number of threads and lanes.

        batch = cf.Batch(model, 4096, outputs="sensordata xpos")
        batch.ctrl[:] = policy(batch.qpos, batch.qvel)     # live arrays, one row per world
        batch.step(10)
        batch.reset(batch.xpos[:, 1, 2] < 0.8)

    outputs: fields of Data that are kept after a step besides the state, names in a list or separated by spaces
    threads: 0 for one per processor;  lanes: worlds per vector register (1, 4, 8), 0 for what suits
    backend: "cpu" or "cuda";  unstable: what happens to a world with bad numbers, "reset" or "freeze"
    contacts: contacts kept per world if outputs name `contact`
    reactions: with RK4, whether the outputs cacc, cfrc_int and cfrc_ext are those of the "first" or the "last" evaluation
    noise_scale, noise_rate, seed: noise on controls, relative to their range, and its correlation time [s]
    """

    def __init__(self, model: MjModel, nworld: int, *, outputs: str | Sequence[str] = "sensordata", threads: int = 0,
                 lanes: int = 0, backend: str = "cpu", unstable: str = "reset", contacts: int = 0, noise_scale: float = 0.0,
                 noise_rate: float = 0.0, seed: int = 0, tier: str = "auto", precision: str = "double", arena: int = 0,
                 reactions: str = "first") -> None:
        outputs = outputs if isinstance(outputs, str) else " ".join(outputs)
        self._core = _core.Batch(model, nworld, {
            "outputs": outputs, "nthread": threads, "nlane": lanes, "backend": _choice("backend", backend, _BACKENDS),
            "unstable": _choice("unstable", unstable, _UNSTABLE), "ncontact": contacts, "noise_scale": noise_scale,
            "noise_rate": noise_rate, "seed": seed, "tier": _choice("tier", tier, _TIERS),
            "precision": _choice("precision", precision, _PRECISIONS), "narena": arena,
            "reactions": _choice("reactions", reactions, _REACTIONS)})
        self.model = model
        self.backend = backend
        self.outputs = tuple(outputs.replace(",", " ").split())
        self._views: dict[str, NDArray[Any]] = {}
        self._shapes: MjData | None = None

    # ---- time

    def step(self, nstep: int = 1, mask: ArrayLike | None = None) -> None:
        """Take `nstep` steps in every world that is not frozen, or in those of them where `mask` is true."""
        self._core.step(nstep, _mask(mask))

    def forward(self, mask: ArrayLike | None = None) -> None:
        """Compute everything but the next state, in every world or where `mask` is true."""
        self._core.step(0, _mask(mask), True)

    def reset(self, mask: ArrayLike | None = None, keyframe: str | int | None = None) -> None:
        """Reset worlds: those where `mask` is true, or all; to a keyframe (name or number) if one is given."""
        if isinstance(keyframe, str):
            key = _core.mj_name2id(self.model, _core.enumerations["mjtObj"][1]["mjOBJ_KEY"], keyframe)
            if key < 0:
                raise KeyError(f"the model has no keyframe {keyframe!r}")
        else:
            key = -1 if keyframe is None else keyframe
        if not -1 <= key < self.model.nkey:
            raise IndexError(f"keyframe is {key}, the model has {self.model.nkey}")
        self._core.reset(_mask(mask), key)

    def rollout(self, control: ArrayLike | None = None, nstep: int | None = None, *, fields: str | Sequence[str] = (),
                every: int = 1, mask: ArrayLike | None = None, control_spec: int | None = None,
                state_spec: int | None = None) -> dict[str, NDArray[Any]]:
        """Step worlds from where they are, in one call, and return the history.

        control: (nworld, rows, nu), or (rows, nu) for all worlds: set before each row; None: controls stay, `nstep` rows
        every: steps that each row takes;  fields: states and outputs of the batch whose history is wanted
        control_spec, state_spec: what `control` and the states hold, bits of mjtState (mjSTATE_CTRL, mjSTATE_FULLPHYSICS)
        Returns a dict: "state" (nworld, rows, size) and each field (nworld, rows, ...). Rows of worlds that are lost repeat
        their last one; rows of worlds that `mask` leaves out are 0.
        """
        bits = _core.enumerations["mjtState"][1]
        inputs = int(bits["mjSTATE_CTRL"] if control_spec is None else control_spec)
        kept = int(bits["mjSTATE_FULLPHYSICS"] if state_spec is None else state_spec)
        controls = None
        if control is not None:
            controls = np.asarray(control, np.float64)
            width = _core.mj_stateSize(self.model, inputs)
            if controls.ndim == 2:
                controls = np.broadcast_to(controls, (len(self),) + controls.shape)
            if controls.ndim != 3 or controls.shape[0] != len(self) or controls.shape[2] != width:
                raise ValueError(f"control has shape {controls.shape}, expected ({len(self)}, rows, {width})")
            if nstep is not None and nstep != controls.shape[1]:
                raise ValueError(f"nstep is {nstep}, control has {controls.shape[1]} rows")
            nstep = controls.shape[1]
            controls = np.ascontiguousarray(controls).reshape(-1)
        if nstep is None:
            raise ValueError("give nstep or control")
        if nstep < 0 or every < 1:
            raise ValueError("nstep must not be negative, every must be at least 1")
        names = fields.split() if isinstance(fields, str) else list(fields)
        history = {"state": np.zeros((len(self), nstep, _core.mj_stateSize(self.model, kept)))}
        for name in names:
            dtype, count = self._kind(name)
            history[name] = np.zeros((len(self), nstep) + self._shape(name, count), dtype)
        self._core.rollout(nstep, every, _mask(mask), inputs, controls, kept, history["state"].reshape(-1), names,
                           [history[name] for name in names])
        return history

    def commit(self) -> None:
        """Check what was written into live parameters and find the constants that follow; every call does so first."""
        self._core.commit()

    def wait(self) -> None:
        """Wait until queued work on a GPU is done."""
        self._core.wait()

    # ---- fields

    def _shape(self, name: str, count: int) -> tuple[int, ...]:
        """Shape of a field of one world; () for scalars."""
        part, _, field = name.rpartition(".")
        source: Any = self.model.opt if part == "opt" else self.model
        if not part and hasattr(MjData, name) and not hasattr(MjModel, name):
            self._shapes = self._shapes or MjData(self.model)
            source = self._shapes
        value = getattr(source, field, None)
        shape = np.shape(value) if isinstance(value, np.ndarray) else ()
        return shape if int(np.prod(shape)) == count else (count,)

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        view = self._views.get(name)
        if view is None:
            try:
                view = self._core.view(name)
            except ValueError as error:
                raise AttributeError(f"Batch: {error}") from None
            view = self._views[name] = view.reshape((len(self),) + self._shape(name, view.shape[1]))
        return view

    def __setattr__(self, name: str, value: Any) -> None:
        if name.startswith("_") or name in ("model", "backend", "outputs"):
            object.__setattr__(self, name, value)
        else:
            getattr(self, name)[...] = value

    def _kind(self, name: str) -> tuple[Any, int]:
        element, nbyte, count, is_writable, is_parameter = self._core.field(name)
        dtype = _ELEMENTS[element] if element < 3 else _core.contact_dtype if element == 3 else None
        if dtype is None:
            raise ValueError(f"{name}: its elements are not numbers")
        return dtype, count

    def get(self, name: str, worlds: ArrayLike | None = None) -> NDArray[Any]:
        """A copy of a field or model parameter ("body_mass", "opt.gravity"), one row per world."""
        dtype, count = self._kind(name)
        ids = None if worlds is None else np.ascontiguousarray(worlds, np.int32)
        n = len(self) if ids is None else len(ids)
        values = np.empty((n,) + self._shape(name, count), dtype)
        self._core.move(name, ids, values, False)
        return values

    def set(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set a field or model parameter; `values` is one row per world, or one row for all."""
        dtype, count = self._kind(name)
        ids = None if worlds is None else np.ascontiguousarray(worlds, np.int32)
        n = len(self) if ids is None else len(ids)
        shape = self._shape(name, count)
        full = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype), (n,) + shape))
        self._core.move(name, ids, full, True)

    __getitem__ = get
    __setitem__ = set

    def get_state(self, sig: int | None = None, worlds: ArrayLike | None = None) -> NDArray[np.float64]:
        """State vectors as mj_getState gives them, one row per world; `sig` is of mjtState (default: full physics)."""
        sig = int(_core.enumerations["mjtState"][1]["mjSTATE_FULLPHYSICS"] if sig is None else sig)
        ids = None if worlds is None else np.ascontiguousarray(worlds, np.int32)
        n = len(self) if ids is None else len(ids)
        state = np.empty((n, _core.mj_stateSize(self.model, sig)))
        self._core.move(sig, ids, state, False)
        return state

    def set_state(self, state: ArrayLike, sig: int | None = None, worlds: ArrayLike | None = None) -> None:
        """Set state vectors; one row per world, or one row for all."""
        sig = int(_core.enumerations["mjtState"][1]["mjSTATE_FULLPHYSICS"] if sig is None else sig)
        ids = None if worlds is None else np.ascontiguousarray(worlds, np.int32)
        n = len(self) if ids is None else len(ids)
        rows = np.broadcast_to(np.asarray(state, np.float64), (n, _core.mj_stateSize(self.model, sig)))
        self._core.move(sig, ids, np.ascontiguousarray(rows), True)

    def data(self, world: int) -> MjData:
        """A Data with the state of one world, everything computed."""
        d = MjData(self.model)
        sig = _core.enumerations["mjtState"][1]["mjSTATE_INTEGRATION"]
        _core.mj_setState(self.model, d, self.get_state(sig, [world])[0], sig)
        _core.mj_forward(self.model, d)
        return d

    def dlpack(self, name: str) -> _Tensor:
        """The field as an object for `from_dlpack` of NumPy, torch, JAX or CuPy; live, without a copy."""
        return _Tensor(self, name)

    # ---- what happened

    @property
    def status(self) -> NDArray[np.void]:
        """One record per world: steps, lost (how often it was unstable), frozen, steps_again, warnings by mjtWarning,
        and the reason of the last loss, empty if there was none."""
        rows = self._core.status()
        return np.array([tuple(row) for row in rows], _STATUS)

    @property
    def lost(self) -> int:
        """How often worlds became unstable or raised an error, all together."""
        return self._core.info()["lost"]

    @property
    def lanes(self) -> int:
        """Worlds per vector register: 8, 4 or 1."""
        return self._core.info()["lanes"]

    @property
    def tier(self) -> str:
        """Tier that steps worlds on a GPU, "base" or "fast"."""
        return "fast" if self._core.info()["tier"] == 2 else "base"

    @property
    def world_bytes(self) -> int:
        """Memory that one more world takes."""
        return self._core.info()["world_bytes"]

    def __len__(self) -> int:
        return self._core.info()["nworld"]

    def _repr_html_(self) -> str:
        from ._methods import _html
        info, status = self._core.info(), self.status
        rows = [("model", repr(self.model)), ("worlds", str(info["nworld"])), ("back end", self.backend), ("lanes", str(info["lanes"])),
                ("outputs", " ".join(self.outputs)), ("steps", str(int(status["steps"].sum()))), ("lost", str(info["lost"])),
                ("frozen", str(int(status["frozen"].sum())))]
        return _html(rows, "Batch")

    def __repr__(self) -> str:
        info = self._core.info()
        return (f"<Batch of {info['nworld']} worlds of {self.model!r}, {self.backend}, {info['lanes']} lanes, "
                f"outputs {' '.join(self.outputs)}, {info['lost']} lost>")


class _Tensor:
    def __init__(self, batch: Batch, name: str) -> None:
        self._batch, self._name = batch, name

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        if copy:
            raise BufferError("dlpack of a batch shares memory; copy the result")
        if max_version is not None and max_version[0] >= 1:
            return self._batch._core.dlpack_versioned(self._name)
        return self._batch._core.dlpack(self._name)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0) if self._batch.backend == "cpu" else (2, 0)


def rollout(model: MjModel, initial_state: ArrayLike, control: ArrayLike | None = None, *, nstep: int | None = None,
            fields: str | Sequence[str] = ("sensordata",), threads: int = 0, lanes: int = 0,
            every: int = 1, progress: bool = False) -> dict[str, NDArray[Any]]:
    """Roll the model out from many initial states on threads and lanes, and return the history.

    initial_state: (nroll, state size) of mjSTATE_FULLPHYSICS;  control: (nroll, nstep, nu), (nstep, nu) or None
    fields: fields of Data whose history is wanted;  every: keep every so many steps
    progress: show a bar on standard error
    Returns a dict: "state" (nroll, kept, state size) and each field (nroll, kept, ...).
    """
    states = np.atleast_2d(np.asarray(initial_state, np.float64))
    if every < 1:
        raise ValueError("every must be at least 1")
    names = fields.split() if isinstance(fields, str) else list(fields)
    batch = Batch(model, len(states), outputs=names, threads=threads, lanes=lanes, unstable="freeze")
    batch.set_state(states)
    if control is None and nstep is None:
        raise ValueError("give nstep or control")
    if control is not None:
        control = np.asarray(control, np.float64)
        if control.ndim not in (2, 3) or (nstep is not None and nstep != control.shape[-2]):
            raise ValueError(f"control has shape {control.shape}, expected ({len(states)}, {nstep or 'nstep'}, {model.nu})")
        nstep = control.shape[-2]
    parts = []
    # whole rows of the history in each part, so that the bar moves
    size = every * max(1, (nstep or 0) // (50 * every)) if progress else max(nstep or 0, 1)
    with Progress(nstep or 0, "rollout", progress) as bar:
        for begin, end in chunks(nstep or 0, size):
            part = batch.rollout(None if control is None else control[..., begin:end, :], end - begin, fields=names)
            parts.append({name: rows[:, every - 1::every] for name, rows in part.items()})
            bar.update(end)
    parts = parts or [batch.rollout(nstep=0, fields=names)]
    return {name: np.concatenate([part[name] for part in parts], 1) for name in parts[0]}
