"""A run: rounds until enough samples are taken, a table, a curve, checkpoints, an episode that is recorded."""
from __future__ import annotations

import csv
import os
import sys
import time
from copy import deepcopy
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ..envs import Simulation, store
from ..envs.recording import record
from . import curve
from .blas import one_thread
from .evolution import Evolution
from .policy import KIND, Policy
from .ppo import PPO
from .settings import Settings

COLUMNS = ("samples", "seconds", "cpu_seconds", "episodes", "return", "length", "divergence", "deviation", "explained")

_OF_RUN = ("table", "seconds", "cpu_seconds", "recent")


class _Line:
    """One line that is written over on a terminal; elsewhere lines of their own, one for each twentieth of the run."""

    def __init__(self, out: TextIO | None) -> None:
        self._out, self._next = out, 0.0

    def show(self, done: float, text: str) -> None:
        if self._out is None:
            return
        if self._out.isatty():
            print(f"\r{text}\x1b[K", end="" if done < 1 else "\n", file=self._out, flush=True)
        elif done >= self._next or done >= 1:
            print(text, file=self._out, flush=True)
            self._next = done + 0.05


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"


class _Run:
    def __init__(self, settings: Settings, folder: str | os.PathLike[str] | None, *, resume: bool, threads: int, out: TextIO | None) -> None:
        self.folder = None if folder is None else Path(folder)
        self.line, self.table = _Line(out), []  # type: ignore[var-annotated]
        self.method: Any = (PPO if settings.method == "ppo" else Evolution)(settings, threads)
        self.settings, self.seconds, self.cpu_seconds = settings, 0.0, 0.0
        self.recent: list[float] = []
        if self.folder is not None and not store.is_storable(settings.as_dict()):
            raise ValueError(f"options of the task are {settings.options!r}: checkpoints keep numbers, texts and lists alone")
        if resume:
            self._resume()
        elif self.folder is not None and (self.folder / "checkpoint.npz").exists():
            raise FileExistsError(f"{self.folder}: there is a run already; resume it, or name another folder")
        self._note()

    def _resume(self) -> None:
        if self.folder is None:
            raise ValueError("a run is resumed from its folder: name it")
        state = store.load(self.folder / "checkpoint.npz", KIND, ("settings", "learner", "normal", *_OF_RUN))
        kept = Settings.from_dict(state["settings"]).as_dict()
        different = [name for name, value in self.settings.as_dict().items() if name != "samples" and kept[name] != value]
        if different:
            raise ValueError(f"{self.folder}: the run there has another {different[0]}: {kept[different[0]]!r}")
        self.method.restore(state)
        self.table, self.seconds, self.cpu_seconds = [list(row) for row in state["table"]], state["seconds"], state["cpu_seconds"]
        self.recent = list(state["recent"])

    def _note(self) -> None:
        """Copy what a checkpoint has: a round that is interrupted leaves its method between two states."""
        if self.folder is not None:
            own = {name: getattr(self, name) for name in _OF_RUN}
            self._noted = deepcopy({**self.method.state(), **own})

    def save(self) -> None:
        if self.folder is None:
            return
        store.save(self.folder / "checkpoint.npz", KIND, self._noted)
        with open(self.folder / "progress.csv", "w", newline="") as file:
            csv.writer(file).writerows([COLUMNS, *self._noted["table"]])
        (self.folder / "curve.svg").write_text(curve.from_table(self.folder / "progress.csv", f"{self.settings.task}, seed {self.settings.seed}"))

    def go(self) -> None:
        method, total = self.method, self.settings.samples
        saved = time.monotonic()
        while method.samples < total:
            wall, cpu, before = time.monotonic(), time.process_time(), method.samples
            told = method.round()
            self.seconds += time.monotonic() - wall
            self.cpu_seconds += time.process_time() - cpu
            returns = [r for r, _ in told["ended"]]
            self.recent = (self.recent + returns)[-100:]
            mean = float(np.mean(returns)) if returns else ""
            length = float(np.mean([n for _, n in told["ended"]])) if returns else ""
            self.table.append([method.samples, round(self.seconds, 3), round(self.cpu_seconds, 3), len(returns), mean, length,
                               *(round(told[name], 6) for name in COLUMNS[6:])])
            self._note()
            speed = (method.samples - before) / max(time.monotonic() - wall, 1e-9)
            left = self.seconds / method.samples * max(0, total - method.samples)
            shown = f"return {np.mean(self.recent):.1f}" if self.recent else "no episode has ended"
            self.line.show(method.samples / total, f"{method.samples:,} of {total:,} samples  {shown}  {speed:,.0f} samples/s  {_clock(left)} left")
            if time.monotonic() - saved > 30:
                self.save()
                saved = time.monotonic()


def evaluate(policy: Policy, count: int = 16, seed: int = 1_000_000) -> list[float]:
    """Returns of one episode in each of some worlds, without noise on actions."""
    s = Simulation(policy.make_task(), count, infos=False)
    observation, _ = s.reset(seed)
    total, live = np.zeros(count), np.ones(count, np.bool_)
    for _ in range(s.max_episode_steps or 1000):
        observation, reward, terminated, truncated, _ = s.step(policy(observation))
        total += reward * live
        live &= ~(terminated | truncated)
        if not live.any():
            break
    return [float(x) for x in total]


def train(settings: Settings, folder: str | os.PathLike[str] | None = None, *, resume: bool = False, threads: int = 0,
          out: TextIO | None = sys.stderr) -> dict[str, Any]:
    """Train a policy; returns it with the table of the run, its time, and returns without noise.

    folder: for progress.csv, curve.svg, checkpoint.npz and replay.npz;  resume: go on from the checkpoint there
    threads: that step worlds, 0 for one per processor;  out: for the line of progress
    """
    run = _Run(settings, folder, resume=resume, threads=threads, out=out)
    run.save()      # a folder that cannot be written is found before the work is done
    with one_thread():
        try:
            run.go()
        finally:
            run.save()
        policy = Policy.of(run.method.state())
        returns = evaluate(policy)
        if run.folder is not None:
            record(settings.task, policy, run.folder / "replay.npz", seed=1_000_000, options=settings.options)
    return {"policy": policy, "table": run.table, "columns": COLUMNS, "returns": returns, "samples": run.method.samples, "seconds": run.seconds,
            "cpu_seconds": run.cpu_seconds}
