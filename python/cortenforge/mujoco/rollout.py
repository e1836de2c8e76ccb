"""Roll models out from many initial states, with the arguments of mujoco.rollout."""
from __future__ import annotations

import concurrent.futures
from typing import Any

import numpy as np

from .. import _core
from .._core import MjData, MjModel

_STATE = _core.enumerations["mjtState"][1]
_FULL, _CTRL, _USER = _STATE["mjSTATE_FULLPHYSICS"], _STATE["mjSTATE_CTRL"], _STATE["mjSTATE_USER"]
_persistent: Rollout | None = None


class Rollout:
    """Rollouts on `nthread` threads; 0 or None for the calling thread alone."""

    def __init__(self, *, nthread: int | None = None) -> None:
        self.nthread = nthread or 0
        self._is_open = True

    def __enter__(self) -> Rollout:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def close(self) -> None:
        self._is_open = False

    def rollout(self, model, data, initial_state, control=None, *, control_spec=_CTRL, skip_checks=False, nstep=None,
                initial_warmstart=None, state=None, sensordata=None, chunk_size=None):
        """Roll out and return (state, sensordata) after each step, of shapes (nbatch, nstep, ...).

        model: one model, or one per rollout;  data: one per thread
        initial_state: (nbatch, size of mjSTATE_FULLPHYSICS);  control: (nbatch, nstep, size of control_spec)
        Arrays with a first or second dimension of 1 are used for all rollouts or steps. `state` and `sensordata` are written
        in place if they are given. Rollouts that diverge repeat their last state.
        """
        if not self._is_open:
            raise RuntimeError("rollout requested after thread pool shutdown")
        if int(control_spec) & ~_USER:
            raise ValueError("control_spec can only contain bits in mjSTATE_USER")
        for name, number in (("nstep", nstep), ("chunk_size", chunk_size)):
            if number and not isinstance(number, int):
                raise ValueError(f"{name} must be an integer")
        models = list(model) if isinstance(model, (list, tuple)) else [model]
        datas = list(data) if isinstance(data, (list, tuple)) else [data]
        self._check_data(datas)
        first = models[0]
        if any(m.nq != first.nq or m.nv != first.nv or m.na != first.na or m.nu != first.nu or m.nsensordata != first.nsensordata or
               _core.mj_stateSize(m, _FULL) != _core.mj_stateSize(first, _FULL) for m in models):
            raise ValueError("models are not compatible")
        nstate, ncontrol = _core.mj_stateSize(first, _FULL), _core.mj_stateSize(first, int(control_spec))
        given = {"initial_state": _array("initial_state", initial_state, 2), "control": _array("control", control, 3),
                 "initial_warmstart": _array("initial_warmstart", initial_warmstart, 2), "state": _array("state", state, 3),
                 "sensordata": _array("sensordata", sensordata, 3)}
        widths = {"initial_state": nstate, "control": ncontrol, "initial_warmstart": first.nv, "state": nstate,
                  "sensordata": first.nsensordata}
        for name, array in given.items():
            if array is not None and array.shape[-1] != widths[name]:
                raise ValueError(f"trailing dimension of {name} must be {widths[name]}, got {array.shape[-1]}")
        nbatch = _infer(0, 1, **given)
        nstep = _infer(1, nstep or 1, **{n: a for n, a in given.items() if n in ("control", "state", "sensordata")})
        if len(models) > 1 and nbatch == 1:
            nbatch = len(models)
        if len(models) > 1 and (len(models) < nbatch if skip_checks else len(models) != nbatch):
            raise ValueError(f"nbatch inferred as {nbatch} but model is length {len(models)}")
        out_state = _result(state, (nbatch, nstep, nstate))
        out_sensors = _result(sensordata, (nbatch, nstep, first.nsensordata))
        start = _tiled(given["initial_state"], (nbatch, nstate))
        warm = _tiled(given["initial_warmstart"], (nbatch, first.nv))
        controls = _tiled(given["control"], (nbatch, nstep, ncontrol))
        self._run(models, datas, nbatch, nstep, int(control_spec), start, warm, controls, out_state, out_sensors)
        return out_state, out_sensors

    def _check_data(self, datas):
        if not datas:
            raise ValueError("The list of data instances is empty")
        if not self.nthread and len(datas) > 1:
            raise ValueError("More than one data instance passed but rollout is configured to run on main thread")
        if self.nthread and len(datas) != self.nthread:
            raise ValueError(f"Length of data: {len(datas)} not equal to nthread: {self.nthread}")

    def _run(self, models, datas, nbatch, nstep, spec, start, warm, controls, state, sensors):
        # the engine writes contiguous arrays
        state_rows, sensor_rows = (x if x.flags.c_contiguous and x.dtype == np.float64 else np.empty(x.shape) for x in (state, sensors))
        if len(models) == 1:
            _core.rollout(models[0], datas, nbatch, nstep, spec, start, warm, _flat(controls), _flat(state_rows), _flat(sensor_rows))
        else:
            def work(worker):
                for i in range(worker, nbatch, len(datas)):
                    _core.rollout(models[i], [datas[worker]], 1, nstep, spec, start[i], None if warm is None else warm[i],
                                  None if controls is None else _flat(controls[i]), _flat(state_rows[i]), _flat(sensor_rows[i]))
            with concurrent.futures.ThreadPoolExecutor(len(datas)) as pool:
                list(pool.map(work, range(len(datas))))
        for mine, theirs in ((state_rows, state), (sensor_rows, sensors)):
            if mine is not theirs:
                theirs[...] = mine


def rollout(model: MjModel | list[MjModel], data: MjData | list[MjData], initial_state: Any, control: Any = None, *,
            control_spec: int = _CTRL, skip_checks: bool = False, nstep: int | None = None, initial_warmstart: Any = None,
            state: Any = None, sensordata: Any = None, chunk_size: int | None = None, persistent_pool: bool = False) -> Any:
    """Rollout.rollout on as many threads as there are data."""
    global _persistent
    datas = list(data) if isinstance(data, (list, tuple)) else [data]
    nthread = len(datas) if len(datas) > 1 else 0
    if persistent_pool and (_persistent is None or _persistent.nthread != nthread):
        _persistent = Rollout(nthread=nthread)
    worker = _persistent if persistent_pool and _persistent is not None else Rollout(nthread=nthread)
    return worker.rollout(model, datas, initial_state, control, control_spec=control_spec, skip_checks=skip_checks, nstep=nstep,
                          initial_warmstart=initial_warmstart, state=state, sensordata=sensordata, chunk_size=chunk_size)


def shutdown_persistent_pool() -> None:
    """End the pool that persistent_pool=True made."""
    global _persistent
    _persistent = None


def _array(name, value, ndim):
    if value is None:
        return None
    if not isinstance(value, (np.ndarray, float)):
        raise ValueError(f"{name} must be a numpy array or float")
    value = np.asarray(value, np.float64)
    if value.ndim > ndim:
        raise ValueError(f"{name} can have at most {ndim} dimensions")
    return value.reshape((1,) * (ndim - value.ndim) + value.shape)


def _infer(dim, value, **arrays):
    for name, array in arrays.items():
        if array is None or array.shape[dim] in (1, value):
            continue
        if value != 1:
            raise ValueError(f"dimension {dim} inferred as {value} but {name} has {array.shape[dim]}")
        value = array.shape[dim]
    return value


def _tiled(array, shape):
    return None if array is None else np.ascontiguousarray(np.broadcast_to(array, shape))


def _result(given, shape):
    return np.empty(shape) if given is None else given if given.ndim == len(shape) else given.reshape(shape)


def _flat(array):
    return None if array is None else array.reshape(-1)
