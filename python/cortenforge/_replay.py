"""States that were recorded, shown again."""
from __future__ import annotations

import os
import time
from typing import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._core import MjData, MjModel
from ._progress import Progress

_FULL = int(_core.enumerations["mjtState"][1]["mjSTATE_FULLPHYSICS"])


def replay(model: MjModel | str | os.PathLike[str], states: ArrayLike | None = None, sig: int = _FULL) -> Iterator[MjData]:
    """Data in each of the states, one after the other, everything computed: rows of rollout()["state"] of one world.

        for d in cf.replay(m, history["state"][0]):
            print(d.time, d.xpos[1])

    It is the same Data each time. `sig` says what a state holds, bits of mjtState.

    `cf.replay("replay.npz")` replays an episode that `train` or `envs.recording.record` wrote, its actions from its start,
    and raises `envs.recording.ReplayError` at the first step whose state differs in a bit.
    """
    if not isinstance(model, MjModel):
        if states is not None:
            raise TypeError("a recorded episode has its own states: give the file alone")
        from .envs import recording
        return recording.replay(model)
    if states is None:
        raise TypeError("give the states that are replayed, one row each")
    rows = np.asarray(states, np.float64)
    width = _core.mj_stateSize(model, sig)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"states have shape {rows.shape}, expected (n, {width})")
    return _replay(model, np.ascontiguousarray(rows), sig)


def _replay(model: MjModel, rows: NDArray[np.float64], sig: int) -> Iterator[MjData]:
    data = MjData(model)
    for row in rows:
        _core.mj_setState(model, data, row, sig)
        _core.mj_forward(model, data)
        yield data


def film(model: MjModel, states: ArrayLike, *, fps: float = 30.0, height: int = 240, width: int = 320, camera: int | str = -1,
         progress: bool = False) -> NDArray[np.uint8]:
    """Pictures of recorded states at `fps` per simulated second: (n, height, width, 3)."""
    from .renderer import Renderer
    if fps <= 0:
        raise ValueError("fps must be positive")
    total, due = len(np.asarray(states)), 0.0
    frames: list[NDArray[np.uint8]] = []
    with Renderer(model, height, width) as renderer, Progress(total, "film", progress) as bar:
        for i, data in enumerate(replay(model, states)):
            if not frames:
                due = data.time
            if data.time >= due - 1e-9:
                renderer.update_scene(data, camera)
                frames.append(renderer.render())
                due += 1 / fps
            bar.update(i + 1)
    return np.stack(frames) if frames else np.empty((0, height, width, 3), np.uint8)


def show(model: MjModel, states: ArrayLike, speed: float = 1.0) -> None:
    """Show recorded states in a window, `speed` times as fast as they were; returns at their end or when it is closed."""
    from .viewer import launch_passive
    data = MjData(model)
    with launch_passive(model, data) as window:
        begin, first = time.monotonic(), None
        for shown in replay(model, states):
            first = shown.time if first is None else first
            _core.mj_copyData(data, model, shown)
            window.sync()
            wait = (shown.time - first) / speed - (time.monotonic() - begin)
            if not window.is_running():
                return
            time.sleep(max(0.0, wait))
