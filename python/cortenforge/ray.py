"""Rollouts on many machines, by Ray (`pip install ray`).

    import ray, cortenforge as cf, cortenforge.ray
    ray.init()                                        # or the address of a cluster
    history = cortenforge.ray.rollout(cf.load("humanoid.xml"), states, controls, fields="xpos", chunk=256)

Worlds do not depend on each other, so results have the bits of `cortenforge.rollout` in one process, whatever the chunks
and workers.  A chunk whose worker or node dies is computed again somewhere else.
"""
from __future__ import annotations

import importlib
import itertools
from typing import Any, Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import MjModel
from .batch import Batch, rollout as _rollout
from .envs.streams import Streams

History = dict[str, NDArray[Any]]


def _import() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError:
        raise ImportError("cortenforge.ray needs Ray: pip install ray") from None


def _roll(model: MjModel, initial: NDArray[np.float64], controls: NDArray[np.float64] | None, options: dict[str, Any]) -> History:
    """One chunk, on a worker; Ray gives the arrays as views of its store."""
    return _rollout(model, initial, controls, **options)


def chunks(model: MjModel, initial: ArrayLike, controls: ArrayLike | None = None, *, nstep: int | None = None,
           fields: str | Sequence[str] = ("sensordata",), every: int = 1, chunk: int = 256, threads: int = 1, lanes: int = 0,
           retries: int = 3) -> list[tuple[slice, Any]]:
    """Begin rollouts; returns which rows each chunk has, and a reference to its history.

    threads: that each chunk takes, which Ray counts as processors;  retries: after the death of a worker
    """
    ray = _import()
    states = np.atleast_2d(np.asarray(initial, np.float64))
    rows = None if controls is None else np.asarray(controls, np.float64)
    if int(chunk) != chunk or chunk < 1:
        raise ValueError(f"chunk is {chunk!r}, expected an integer of at least 1")
    if threads < 1:
        raise ValueError(f"threads is {threads}, expected at least 1: Ray reserves so many processors for each chunk")
    if rows is not None and rows.ndim == 3 and len(rows) != len(states):
        raise ValueError(f"control has {len(rows)} rows, there are {len(states)} initial states")
    shared = ray.put(model)
    common = ray.put(rows) if rows is not None and rows.ndim == 2 else None
    options = {"nstep": nstep, "fields": fields, "every": every, "threads": threads, "lanes": lanes}
    task = ray.remote(_roll).options(num_cpus=threads, max_retries=retries)
    begun = []
    for first in range(0, len(states), chunk):
        part = slice(first, min(first + chunk, len(states)))
        own = common if rows is None or common is not None else rows[part]
        begun.append((part, task.remote(shared, states[part], own, options)))
    return begun


def completed(begun: list[tuple[slice, Any]]) -> Iterator[tuple[slice, History]]:
    """Histories in the order in which they are done; their arrays are views of Ray's store and cannot be written."""
    ray = _import()
    left = {reference: part for part, reference in begun}
    while left:
        done, _ = ray.wait(list(left), num_returns=1)
        for reference in done:
            yield left.pop(reference), ray.get(reference)


def rollout(model: MjModel, initial: ArrayLike, controls: ArrayLike | None = None, *, progress: Callable[[int, int], None] | None = None,
            **options: Any) -> History:
    """`cortenforge.rollout` on a cluster: the same arguments, those of `chunks`, and the same bits.

    progress: called with the rows that are done and all rows
    """
    begun = chunks(model, initial, controls, **options)
    total, finished = begun[-1][0].stop, 0
    result: History = {}
    for part, history in completed(begun):
        for name, values in history.items():
            if name not in result:
                result[name] = np.empty((total,) + values.shape[1:], values.dtype)
            result[name][part] = values
        finished += part.stop - part.start
        if progress is not None:
            progress(finished, total)
    return result


# ---- sweeps

Start = Callable[[Batch, NDArray[np.intp], Streams], None]
Measure = Callable[[Batch], Mapping[str, ArrayLike]]


def _study(model: MjModel, values: dict[str, Any], seeds: list[int], nstep: int, start: Start | None, measure: Measure,
           options: dict[str, Any]) -> dict[str, NDArray[Any]]:
    """One combination of a sweep: a batch with one world per seed."""
    batch = Batch(model, len(seeds), **{"threads": 1, "unstable": "freeze", **options})
    for name, value in values.items():
        batch.set(name, value)
    if start is not None:
        streams = Streams(len(seeds))
        streams.seed(seeds)
        start(batch, np.arange(len(seeds)), streams)
    batch.step(nstep)
    columns = {name: np.asarray(column) for name, column in measure(batch).items()}
    for name, column in columns.items():
        if column.shape != (len(seeds),):
            raise ValueError(f"measure gave {name!r} the shape {column.shape}, expected ({len(seeds)},): one number per world")
    return {**columns, "frozen": np.array(batch.status["frozen"])}


def sweep(models: Mapping[str, MjModel], parameters: Mapping[str, Sequence[Any]], seeds: Sequence[int], *, nstep: int, measure: Measure,
          start: Start | None = None, path: str | None = None, retries: int = 3, progress: Callable[[int, int], None] | None = None,
          **options: Any) -> dict[str, NDArray[Any]]:
    """All models with all combinations of parameters and all seeds, as the columns of a table.

        table = cortenforge.ray.sweep({"humanoid": m}, {"opt.timestep": [0.002, 0.004]}, range(100), nstep=500,
                                      start=push, measure=lambda batch: {"height": batch.qpos[:, 2]}, path="sweep.parquet")

    start: called with a batch, its worlds and their random streams, which depend on the seeds alone
    measure: gives a number per world for each column;  "frozen": worlds that became unstable
    path: a file in Parquet's format, for which pyarrow is needed;  options: of `Batch`
    """
    ray = _import()
    write: Any = None
    if path is not None:
        try:
            pyarrow, write = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
        except ImportError:
            raise ImportError("a sweep with a path needs pyarrow: pip install pyarrow") from None
    seeds = [int(seed) for seed in seeds]
    if not models or not seeds or not all(len(values) for values in parameters.values()):
        raise ValueError("a sweep needs at least one model, one seed and one value of each parameter")
    combinations = [dict(zip(parameters, values)) for values in itertools.product(*parameters.values())]
    task = ray.remote(_study).options(num_cpus=options.get("threads", 1), max_retries=retries)
    begun: dict[Any, int] = {}
    rows: list[tuple[str, dict[str, Any]]] = []
    for name, model in models.items():
        shared = ray.put(model)
        for values in combinations:
            begun[task.remote(shared, values, seeds, nstep, start, measure, options)] = len(rows)
            rows.append((name, values))
    results: list[Any] = [None] * len(rows)
    while begun:
        for reference in ray.wait(list(begun), num_returns=1)[0]:
            results[begun.pop(reference)] = ray.get(reference)
        if progress is not None:
            progress(len(rows) - len(begun), len(rows))
    n = len(seeds)
    table: dict[str, NDArray[Any]] = {"model": np.repeat([name for name, _ in rows], n), "seed": np.tile(seeds, len(rows))}
    for name in parameters:
        table[name] = np.repeat(np.array([values[name] for _, values in rows]), n, axis=0)
    for name in results[0]:
        table[name] = np.concatenate([result[name] for result in results])
    if write is not None:
        write.write_table(pyarrow.table({name: column.tolist() if column.ndim > 1 else column for name, column in table.items()}), path)
    return table
