"""Rollouts on many machines, by Ray (`pip install ray`).

    import ray, cortenforge as cf, cortenforge.ray
    ray.init()                                        # or the address of a cluster
    history = cortenforge.ray.rollout(cf.load("humanoid.xml"), states, controls, fields="xpos", chunk=256)

Worlds do not depend on each other, so results have the bits of `cortenforge.rollout` in one process, whatever the chunks
and workers.  A chunk whose worker or node dies is computed again somewhere else.
"""
from __future__ import annotations

import importlib
from typing import Any, Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._core import MjModel
from .batch import rollout as _rollout

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
