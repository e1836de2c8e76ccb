"""Many simulations of a model, with the interface that MuJoCo 4.0 has as mujoco.batch, stepped in vector lanes.

    batch = Batch(model, 4096)
    qpos, ctrl = batch.bind("qpos"), batch.bind("ctrl")        # live arrays, one row per simulation
    batch.expand("geom_friction")[:, :, 0] = friction          # parameters per simulation
    ctrl[:] = policy(qpos)
    batch.step(nstep=10)

cortenforge.Batch is the same engine with noise, masks, DLPack and GPUs.
"""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core, _views
from .._core import MjData, MjModel
from .._named import _find, _rows

__all__ = ["Batch", "SimulationError"]
_BITS, _STAGE, _OBJ = (_core.enumerations[e][1] for e in ("mjtState", "mjtStage", "mjtObj"))
_COMPONENTS = {"time": "TIME", "qpos": "QPOS", "qvel": "QVEL", "act": "ACT", "history": "HISTORY", "qacc_warmstart": "WARMSTART",
               "ctrl": "CTRL", "qfrc_applied": "QFRC_APPLIED", "xfrc_applied": "XFRC_APPLIED", "eq_active": "EQ_ACTIVE",
               "mocap_pos": "MOCAP_POS", "mocap_quat": "MOCAP_QUAT", "userdata": "USERDATA", "plugin_state": "PLUGIN"}
_STEP, _FORWARD, _RESET, _CONST = range(4)
_NONE, _ACC = int(_STAGE["mjSTAGE_NONE"]), int(_STAGE["mjSTAGE_ACC"])


class SimulationError(RuntimeError):
    """Simulations of a call failed: `failed` lists them, `errors` says why; they keep the state before the call."""

    def __init__(self, errors: dict[int, str]) -> None:
        self.errors, self.failed = errors, list(errors)
        first = next(iter(errors.items()), (0, ""))
        super().__init__(f"{len(errors)} simulations failed; {first[0]}: {first[1]}")


class Batch:
    """`nsim` simulations of a copy of `model`, each with the bits of a lone MjData.

    nthread: 0 for one thread per processor
    persistent: keep an MjData for each simulation, for what needs one between calls; without lanes
    """

    def __init__(self, model: MjModel, nsim: int, nthread: int = 0, persistent: bool = False) -> None:
        self._core = _core.Simulations(model, nsim, nthread, persistent)
        self.model, self.nsim = model, nsim
        self.nthread, self.persistent = self._core.info()[1], bool(persistent)
        self._bound: dict[tuple[str, bool], NDArray[Any]] = {}
        self._data: MjData | None = None

    # ---- fields

    def _shape(self, field: str, is_parameter: bool, count: int) -> tuple[int, ...]:
        source: Any = self.model
        if not is_parameter:
            self._data = self._data or MjData(self.model)
            source = self._data
        for part in field.split("."):
            source = getattr(source, part, None)
        shape = source.shape if isinstance(source, np.ndarray) else ()
        return shape if int(np.prod(shape)) == count else (count,)

    def bind(self, field: str) -> NDArray[Any]:
        """Live array of a field of MjData, (nsim, ...): states can be written, results of steps are read-only."""
        return self._view(field, False)

    def expand(self, field: str) -> NDArray[Any]:
        """Live array of a parameter of the model or its options ("body_mass", "opt.gravity"), one row per simulation.

        Constants that follow from it are found by the next call, or by set_const at once.
        """
        return self._view(field, True)

    def _view(self, field: str, is_parameter: bool) -> NDArray[Any]:
        array = self._bound.get((field, is_parameter))
        if array is None:
            component = None if is_parameter else _COMPONENTS.get(field)
            array = self._core.state(_BITS["mjSTATE_" + component]) if component else self._core.field(field, is_parameter)
            if array is None:
                raise ValueError(f"'{field}' is no parameter that can differ between simulations" if is_parameter else
                                 f"'{field}' is no field of MjData of constant size")
            shape = self._shape(field, is_parameter, array.shape[1])
            rows = np.lib.stride_tricks.as_strided(array, (self.nsim, *shape), (array.strides[0], *_packed(shape, array.itemsize)),
                                                   writeable=array.flags.writeable)
            array = self._bound[field, is_parameter] = rows
        return array

    def __getattr__(self, kind: str) -> Any:
        if kind.startswith("_") or kind not in _views.OBJECTS:
            raise AttributeError(f"'Batch' object has no attribute '{kind}'")
        return lambda name="": View(self, kind, name)

    # ---- time

    def _ids(self, ids: ArrayLike | None) -> NDArray[np.int32] | None:
        if ids is None:
            return None
        array = np.atleast_1d(np.asarray(ids))
        if array.dtype == np.bool_:
            if array.shape != (self.nsim,):
                raise ValueError(f"a mask of simulations has {self.nsim} elements, not {array.shape}")
            array = np.flatnonzero(array)
        elif array.dtype.kind not in "iu" and array.size:
            raise TypeError("ids must be integers or a mask")
        return np.ascontiguousarray(array, np.int32)

    def _run(self, what: int, ids: ArrayLike | None, nstep: int = 0, stage: int = 0, keys: Any = None) -> None:
        self._check(self._core.run(what, self._ids(ids), nstep, int(stage), keys))

    def _check(self, failed: int) -> None:
        if failed:
            raise SimulationError({int(i): self.error(int(i)) for i in np.flatnonzero(self.status)})

    def step(self, ids: ArrayLike | None = None, nstep: int = 1, stage: int = _NONE) -> None:
        """Take steps in simulations (indices or a mask; None: all), then compute the new state up to a stage (mjtStage)."""
        self._run(_STEP, ids, nstep, stage)

    def forward(self, ids: ArrayLike | None = None, stage: int = _ACC) -> None:
        """Compute up to a stage; all of it by default, as mj_forward."""
        self._run(_FORWARD, ids, 0, stage)

    def reset(self, ids: ArrayLike | None = None, keyframe: str | int | ArrayLike | None = None, stage: int = _NONE) -> None:
        """Reset simulations, to a keyframe (name, number, or a number for each) if one is given."""
        keys = None
        if keyframe is not None:
            which = self._ids(ids)
            n = self.nsim if which is None else len(which)
            number = _find(self.model, _OBJ["mjOBJ_KEY"], "nkey", keyframe) if isinstance(keyframe, str) else keyframe
            keys = np.ascontiguousarray(np.broadcast_to(np.asarray(number, np.int32), (n,)))
            if n and not (-1 <= keys.min() and keys.max() < self.model.nkey):
                raise IndexError(f"keyframes go from 0 to {self.model.nkey - 1}, or -1 for none")
        self._run(_RESET, ids, 0, stage, keys)

    def rollout(self, nstep: int | None = None, control: ArrayLike | None = None, record: str | Sequence[str] = ("state",), *,
                ids: ArrayLike | None = None, control_spec: int | None = None) -> dict[str, NDArray[Any]]:
        """Take steps with controls before each, and return what is recorded after each: a dict of (n, nstep, ...).

        control: (n, nstep, size) or (nstep, size);  record: fields as for bind, and "state" (mjSTATE_FULLPHYSICS)
        """
        which = self._ids(ids)
        n = self.nsim if which is None else len(which)
        spec = int(_BITS["mjSTATE_CTRL"] if control_spec is None else control_spec)
        controls = None
        if control is not None:
            controls = np.asarray(control, np.float64)
            controls = np.broadcast_to(controls, (n, *controls.shape)) if controls.ndim == 2 else controls
            width = _core.mj_stateSize(self.model, spec)
            if controls.ndim != 3 or controls.shape[0] != n or controls.shape[2] != width:
                raise ValueError(f"control has shape {controls.shape}, expected ({n}, nstep, {width})")
            if nstep is not None and nstep != controls.shape[1]:
                raise ValueError(f"nstep is {nstep}, control has {controls.shape[1]} steps")
            nstep = controls.shape[1]
        if nstep is None or nstep < 0:
            raise ValueError("give nstep or control")
        records, out = [], {}
        for name in [record] if isinstance(record, str) else record:
            bits = _BITS["mjSTATE_FULLPHYSICS"] if name == "state" else _BITS["mjSTATE_" + _COMPONENTS[name]] if name in _COMPONENTS else 0
            bound = self.bind(name) if not bits else None
            shape = (n, nstep, _core.mj_stateSize(self.model, bits)) if bound is None else (n, nstep, *bound.shape[1:])
            out[name] = np.zeros(shape, np.float64 if bound is None else bound.dtype)
            records.append((None if bits else name, int(bits), out[name]))
        self._check(self._core.rollout(which, nstep, None if controls is None else np.ascontiguousarray(controls).reshape(-1), spec,
                                       records))
        for name in out.keys() & _COMPONENTS.keys():
            out[name] = out[name].reshape(n, nstep, *self.bind(name).shape[1:])
        return out

    # ---- questions about the state

    def jac(self, kind: str, name: str | int, ids: ArrayLike | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Jacobians of the position and the rotation of a "body", "bodycom", "geom" or "site": two arrays (n, 3, nv)."""
        kinds = {"body": ("mjOBJ_XBODY", "nbody"), "bodycom": ("mjOBJ_BODY", "nbody"), "geom": ("mjOBJ_GEOM", "ngeom"),
                 "site": ("mjOBJ_SITE", "nsite")}
        if kind not in kinds:
            raise ValueError(f"kind is {kind!r}, allowed are {', '.join(map(repr, kinds))}")
        which = self._ids(ids)
        n, kind_id = self.nsim if which is None else len(which), _OBJ[kinds[kind][0]]
        index = _find(self.model, _OBJ["mjOBJ_BODY"] if kind == "body" else kind_id, kinds[kind][1], name)
        jacp, jacr = (np.zeros((n, 3, self.model.nv)) for _ in range(2))
        self._check(self._core.jac(which, int(kind_id), index, jacp.reshape(-1), jacr.reshape(-1)))
        return jacp, jacr

    def ray(self, pnt: ArrayLike, vec: ArrayLike, geomgroup: ArrayLike | None = None, flg_static: bool = True, bodyexclude: int = -1,
            ids: ArrayLike | None = None) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """Cast a ray in each simulation, from (3,) or (n, 3) points: distances (-1: no hit) and geoms that are hit, (n,)."""
        which = self._ids(ids)
        n = self.nsim if which is None else len(which)
        begin, along = (np.ascontiguousarray(np.broadcast_to(np.asarray(x, np.float64), (n, 3))).reshape(-1) for x in (pnt, vec))
        groups = None if geomgroup is None else np.ascontiguousarray(geomgroup, np.uint8)
        dist, geom = np.full(n, -1.0), np.full(n, -1, np.int32)
        self._check(self._core.ray(which, begin, along, groups, flg_static, bodyexclude, dist, geom))
        return dist, geom

    # ---- models and data

    def set_const(self, ids: ArrayLike | None = None) -> None:
        """Find the constants that follow from expanded parameters now."""
        self._run(_CONST, ids)

    def set_models(self, models: Sequence[MjModel] | None) -> None:
        """Run simulation i on models[i], of the same sizes; None: all on the model of the batch again."""
        self._core.set_models(None if models is None else list(models))

    def get_model(self, i: int) -> MjModel:
        """A copy of the model of one simulation, with its parameters."""
        import copy
        model = copy.copy(self.model)
        self._core.get(i, model)
        return model

    def get_data(self, i: int) -> MjData:
        """An MjData with the state of one simulation."""
        data = MjData(self.model)
        self._core.get(i, data)
        return data

    @property
    def status(self) -> NDArray[np.int32]:
        """Of each simulation: 0, or not 0 if its last call failed; live."""
        return self._core.status()[:, 0]

    def error(self, i: int) -> str:
        """Why the last call of a simulation failed; empty if it did not."""
        return self._core.error(i) or ""

    def __len__(self) -> int:
        return self.nsim

    def __repr__(self) -> str:
        return f"<Batch of {self.nsim} simulations of {self.model!r}, {self.nthread} threads{', persistent' if self.persistent else ''}>"


def _packed(shape: tuple[int, ...], size: int) -> tuple[int, ...]:
    """Strides of an array whose elements follow each other."""
    strides: list[int] = []
    for n in reversed(shape):
        strides.insert(0, size)
        size *= n
    return tuple(strides)


class View:
    """One object of the model in all simulations: batch.joint("hip").qpos has a row for each."""
    _batch: Batch
    _kind: str
    id: int

    def __init__(self, batch: Batch, method: str, name: str | int) -> None:
        kind, object_kind, plural = _views.OBJECTS[method]
        object.__setattr__(self, "_batch", batch)
        object.__setattr__(self, "_kind", kind)
        object.__setattr__(self, "id", _find(batch.model, _OBJ[object_kind], plural, name))

    def _part(self, name: str) -> NDArray[Any]:
        tables: tuple[tuple[Any, bool], ...] = ((_views.DATA, False), (_views.MODEL, True))
        for table, is_parameter in tables:
            found = table.get(self._kind, {}).get(name)
            if found is not None:
                field, extent = found
                array = self._batch.expand(field) if is_parameter else self._batch.bind(field)
                if extent is None:
                    return array[:, self.id] if array.ndim > 2 else array[:, self.id:self.id + 1]
                first, count = _rows(self._batch.model, extent, self.id)
                return array[:, first:first + count] if first >= 0 else array[:, :0]
        raise AttributeError(f"a {self._kind} has no attribute '{name}'")

    def __getattr__(self, name: str) -> NDArray[Any]:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._part(name)

    def __setattr__(self, name: str, value: ArrayLike) -> None:
        self._part(name)[...] = value

    def __repr__(self) -> str:
        return f"<{self._kind} {self.id} of {self._batch!r}>"
