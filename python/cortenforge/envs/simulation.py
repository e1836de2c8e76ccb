"""Episodes of a task in many worlds at once: steps, ends, resets.  NumPy alone; `vector` puts Gymnasium's interface on it."""
from __future__ import annotations

import re
from copy import deepcopy
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._core import MjModel, enumerations, mj_id2name
from ..batch import Batch
from .streams import Streams
from .task import Task, Worlds
from .vary import Variation

AUTORESET = ("NextStep", "SameStep", "Disabled")
_STATE = int(enumerations["mjtState"][1]["mjSTATE_INTEGRATION"])


def each(observation: Any, function: Callable[[Any], Any]) -> Any:
    """Apply a function to an array, or to each array of a dict."""
    return {k: function(v) for k, v in observation.items()} if isinstance(observation, dict) else function(observation)


def blame(model: MjModel, reason: str) -> str:
    """The engine's reason with the body whose degree of freedom it names."""
    found = re.search(r"\bDOF (\d+)|\bQPOS at (?:DOF )?(\d+)", reason)
    if found and found[1] is not None and int(found[1]) < model.nv:
        body = int(model.dof_bodyid[int(found[1])])
        name = mj_id2name(model, enumerations["mjtObj"][1]["mjOBJ_BODY"], body)
        return f"body {name!r}: {reason}" if name else f"body {body}: {reason}"
    return reason


def check_variations(task: Task) -> None:
    given = task.randomize
    if not isinstance(given, (list, tuple)) or any(not isinstance(one, Variation) for one in given):
        raise TypeError(f"{type(task).__name__}: randomize is {given!r}, expected a list of what functions of cortenforge.envs.vary give")


class Simulation:
    """`count` worlds of a task.

    max_episode_steps: steps after which an episode is cut off, None for what the task says
    autoreset: "NextStep", "SameStep" or "Disabled", as in Gymnasium
    first: index of the first world among those of a larger whole; its seed is `seed` + `first`
    """

    def __init__(self, task: Task, count: int, *, autoreset: str = "NextStep", max_episode_steps: int | None = None, threads: int = 0,
                 lanes: int = 0, infos: bool = True, reuse: bool = False, first: int = 0) -> None:
        if int(count) != count or count < 1:
            raise ValueError(f"the number of worlds is {count!r}, expected an integer of at least 1")
        if autoreset not in AUTORESET:
            raise ValueError(f"autoreset is {autoreset!r}, allowed are {', '.join(map(repr, AUTORESET))}")
        if max_episode_steps is not None and max_episode_steps < 1:
            raise ValueError(f"max_episode_steps is {max_episode_steps}, expected at least 1, or None")
        self.task, self.count, self.autoreset, self.infos, self.reuse, self.first = task, int(count), autoreset, infos, reuse, first
        self.model = task.make_model()
        task.setup(self.model)
        self.max_episode_steps = task.max_episode_steps if max_episode_steps is None else max_episode_steps
        self.batch = Batch(self.model, self.count, outputs=task.outputs, threads=threads, lanes=lanes, unstable="freeze",
                           reactions="last")
        self.streams = Streams(self.count, first)
        self.worlds = Worlds(self.batch, task, self.streams, {})
        # declarations look up their model, and tasks share them
        check_variations(task)
        self.variations = [deepcopy(variation) for variation in task.randomize]
        self.draws = [Streams(self.count, first, purpose=k + 1) for k in range(len(self.variations))]
        for k, variation in enumerate(self.variations):
            variation.bind(self.model, self.worlds, f"vary{k}")
            self.worlds.varied.update(variation.parameters)
        self.worlds.varied.update(task.changes)
        self._is_varied = any(type(variation).observed is not Variation.observed for variation in self.variations)
        self._given: Any = None              # the last observations, where declarations change them
        self._kept = [name for name in self.batch.outputs if name != "contact"]
        self.done = np.zeros(self.count, np.bool_)
        self._all = np.arange(self.count)
        self._lost = 0
        self._is_reset = False
        low, high = (np.atleast_1d(np.asarray(bound)) for bound in task.action_bounds(self.model))
        self.action_low, self.action_high = low.astype(task.action_dtype), high.astype(task.action_dtype)
        self._buffer: Any = None

    # ---- actions

    def check_actions(self, actions: ArrayLike) -> NDArray[Any]:
        """The actions as an array, or an error that says which are wrong."""
        if hasattr(actions, "__dlpack__") and not isinstance(actions, np.ndarray):
            actions = np.from_dlpack(actions)  # type: ignore[arg-type]
        try:
            array = np.asarray(actions)
        except ValueError:
            raise ValueError(f"actions are rows of different lengths, expected {self.count} rows of {self.action_low.size} numbers") from None
        shape = (self.count,) + self.action_low.shape
        if array.dtype not in (np.float32, np.float64):
            raise TypeError(f"actions are of type {array.dtype}, expected float32 or float64")
        if array.shape != shape:
            raise ValueError(f"actions have shape {array.shape}, expected {shape}: one row per world")
        if not np.isfinite(array).all():
            world, k = np.argwhere(~np.isfinite(array))[0]
            raise ValueError(f"action {k} of world {world} is {array[world, k]}, expected a finite number")
        return array

    # ---- resets

    def _forward(self, ids: NDArray[np.intp]) -> None:
        """Compute what the state of some worlds implies, and leave the others as they are."""
        mask = np.zeros(self.count, np.bool_)
        mask[ids] = True
        self.batch.forward(mask)

    def restart(self, ids: NDArray[np.intp]) -> None:
        """Begin new episodes in some worlds."""
        mask = np.zeros(self.count, np.bool_)
        mask[ids] = True
        self.batch.reset(mask)
        w = self.worlds
        w.fresh[ids], w.elapsed[ids], self.done[ids] = True, 0, False
        for variation, draw in zip(self.variations, self.draws):
            variation.start(w, ids, draw)
        self.task.reset(w, ids)
        self._check_start(ids)
        self._forward(ids)
        self._lost = self.batch.lost

    def _check_start(self, ids: NDArray[np.intp]) -> None:
        for name in ("qpos", "qvel"):
            rows = getattr(self.worlds, name)[ids]
            if not np.isfinite(rows).all():
                row, k = np.argwhere(~np.isfinite(rows))[0]
                raise ValueError(f"{type(self.task).__name__}.reset gave world {ids[row]} a {name}[{k}] of {rows[row, k]}, expected a finite number")

    def reset(self, seed: int | Sequence[int | None] | None = None, mask: NDArray[np.bool_] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin new episodes in all worlds, or in those of a mask; returns observations and infos."""
        ids = self._all if mask is None else np.flatnonzero(mask)
        if not self._is_reset and mask is not None and not mask.all():
            raise RuntimeError("reset all worlds once before some of them")
        if seed is not None:
            self._check_seed(seed)
            some = ids
            if not isinstance(seed, (int, np.integer)):
                some = np.array([i for i in ids.tolist() if seed[i] is not None], np.intp)
            for streams in (self.streams, *self.draws):
                streams.seed(int(seed) if isinstance(seed, (int, np.integer)) else list(seed), some.tolist())
        self._is_reset = True
        self.restart(ids)
        observation = self._observe() if len(ids) == self.count else self._observe_reset(ids)
        self._keep(observation)
        infos: dict[str, Any] = {}
        if self.infos:
            self._add(infos, self.task.reset_info(self.worlds if mask is None else self.worlds.select(ids)), ids)
        return observation, infos

    def _check_seed(self, seed: Any) -> None:
        is_one = isinstance(seed, (int, np.integer))
        if not is_one and not isinstance(seed, (list, tuple, np.ndarray)):
            raise TypeError(f"the seed is {seed!r}, expected an integer, a list of them or None")
        if not is_one and len(seed) != self.count:
            raise ValueError(f"{len(seed)} seeds are given, expected one number or {self.count}")
        for one in [seed] if is_one else seed:
            if one is not None and (not isinstance(one, (int, np.integer)) or one < 0):
                raise ValueError(f"a seed is {one!r}, expected an integer of at least 0")

    # ---- observations and infos

    def _observe(self) -> Any:
        return self._vary_observed(self._all, self._observe_bare())

    def _observe_reset(self, ids: NDArray[np.intp]) -> Any:
        """Observations after a reset of some worlds: nothing is drawn for the others, which have what they had."""
        observation = self._observe_bare()
        if self._given is None:
            return self._vary_observed(self._all, observation)
        fresh = self._vary_observed(ids, each(observation, lambda a: a[ids]))
        for name, array in observation.items() if isinstance(observation, dict) else [("", observation)]:
            array[:] = self._given[name] if name else self._given
            array[ids] = fresh[name] if name else fresh
        return observation

    def _keep(self, observation: Any) -> None:
        if self._is_varied:
            self._given = each(observation, np.array)

    def _observe_bare(self) -> Any:
        w = self.worlds
        w.buffer = self._buffer
        observation = each(self.task.observe(w), self._check_rows)
        w.buffer = None
        if not self.reuse or isinstance(observation, dict):
            # arrays of the batch change with the next step
            return each(observation, lambda a: a if a.base is None and a.flags.owndata else np.array(a))
        if self._buffer is None:
            self._buffer = np.array(observation)
        elif observation is not self._buffer:
            self._buffer[:] = observation
        return self._buffer

    def _check_rows(self, array: Any) -> Any:
        if np.ndim(array) == 0 or len(array) != self.count:
            raise ValueError(f"{type(self.task).__name__}.observe gave shape {np.shape(array)}, expected one row for each of {self.count} worlds")
        return array

    def _observe_some(self, ids: NDArray[np.intp]) -> Any:
        observation = each(self.task.observe(self.worlds.select(ids)), np.array)
        return self._vary_observed(ids, observation)

    def _vary_observed(self, ids: NDArray[np.intp], observation: Any) -> Any:
        for variation, draw in zip(self.variations, self.draws):
            observation = variation.observed(self.worlds, ids, observation, draw)
        return observation

    def _add(self, infos: dict[str, Any], values: dict[str, Any], ids: NDArray[np.intp]) -> None:
        """Add values of some worlds the way Gymnasium does: an array for all worlds, and a mask of those that have it."""
        for name, value in values.items():
            if isinstance(value, dict):
                self._add(infos.setdefault(name, {}), value, ids)
                infos["_" + name] = infos.get("_" + name, np.zeros(self.count, np.bool_))
                infos["_" + name][ids] = True
                continue
            value = np.asarray(value)
            if value.ndim == 0 or len(value) != len(ids):
                raise ValueError(f"{type(self.task).__name__}: {name!r} for infos has shape {value.shape}, expected one row for each of {len(ids)} worlds")
            full = len(ids) == self.count
            if name not in infos:
                infos[name] = np.array(value) if full else np.zeros((self.count,) + value.shape[1:], value.dtype)
                infos["_" + name] = np.full(self.count, full)
            if not full:
                infos[name][ids] = value
                infos["_" + name][ids] = True

    # ---- steps

    def _advance(self, skipped: NDArray[np.bool_] | None) -> None:
        self.batch.step(self.task.frame_skip, None if skipped is None else ~skipped)

    def _unstable(self, infos: dict[str, Any], skipped: NDArray[np.bool_] | None) -> NDArray[np.intp] | None:
        """Worlds that the engine stopped in this step, and their reasons in `infos`."""
        if self.batch.lost == self._lost:
            return None
        self._lost = self.batch.lost
        status = self.batch.status
        frozen = status["frozen"] if skipped is None else status["frozen"] & ~skipped
        ids = np.flatnonzero(frozen)
        if not len(ids):
            return None
        reasons = np.full(self.count, None, object)
        reasons[ids] = [blame(self.model, str(status["reason"][i])) for i in ids]
        infos["unstable"], infos["_unstable"] = reasons, frozen
        return ids

    def step(self, actions: ArrayLike) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step all worlds; returns observations, rewards, terminations, truncations and infos."""
        if not self._is_reset:
            raise RuntimeError("call reset() before step()")
        array = self.check_actions(actions)
        task, w = self.task, self.worlds
        infos: dict[str, Any] = {}
        if self.autoreset == "Disabled" and self.done.any():
            raise RuntimeError(f"the episode of world {int(np.flatnonzero(self.done)[0])} is over: reset it, for instance by "
                               "reset(options={'reset_mask': terminations | truncations})")
        ended = np.flatnonzero(self.done)
        skipped = self.done.copy() if len(ended) else None
        stepping = self._all if skipped is None else np.flatnonzero(~skipped)

        w.action = array
        task.before(w)
        for variation, draw in zip(self.variations, self.draws):
            array = variation.controls(w, array, stepping)
            variation.before(w, stepping, draw)
        task.act(w, array)
        self._advance(skipped)
        task.after(w)
        w.fresh[stepping] = False
        w.elapsed[stepping] += 1
        lost = self._unstable(infos, skipped)
        if len(ended):
            self.restart(ended)

        observation = self._observe()
        rewards, terms = self._rewards()
        terminated = np.array(task.terminated(w), np.bool_)
        if terminated.shape != (self.count,):
            raise ValueError(f"{type(task).__name__}.terminated gave shape {terminated.shape}, expected ({self.count},)")
        truncated = w.elapsed >= self.max_episode_steps if self.max_episode_steps else np.zeros(self.count, np.bool_)
        if lost is not None:
            rewards[lost], terminated[lost] = 0.0, True
        if len(ended):
            rewards[ended], terminated[ended], truncated[ended] = 0.0, False, False
        if not np.isfinite(rewards).all():
            world = int(np.flatnonzero(~np.isfinite(rewards))[0])
            raise ValueError(f"{type(task).__name__}.reward gave {rewards[world]} for world {world}, expected a finite number")
        if self.infos:
            self._add_infos(infos, terms, stepping, ended)
        self.done = terminated | truncated
        if self.autoreset == "SameStep" and self.done.any():
            observation, infos = self._restart_done(observation, infos)
        self._keep(observation)
        return observation, rewards, terminated, truncated, infos

    def _rewards(self) -> tuple[NDArray[np.float64], dict[str, Any]]:
        given = self.task.reward(self.worlds)
        value, terms = given if isinstance(given, tuple) else (given, {})
        rewards = np.array(value, np.float64)
        if rewards.shape != (self.count,):
            raise ValueError(f"{type(self.task).__name__}.reward gave shape {rewards.shape}, expected ({self.count},)")
        return rewards, terms

    def _add_infos(self, infos: dict[str, Any], terms: dict[str, Any], stepping: NDArray[np.intp], ended: NDArray[np.intp]) -> None:
        values = {**self.task.info(self.worlds), **terms}
        if len(ended):
            values = {name: np.asarray(value)[stepping] if np.ndim(value) else value for name, value in values.items()}
        if len(stepping):
            self._add(infos, values, stepping)
        if len(ended):
            self._add(infos, self.task.reset_info(self.worlds.select(ended)), ended)

    def _restart_done(self, observation: Any, infos: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Reset worlds in the step in which their episodes ended; what they ended with goes to `infos`."""
        ids = np.flatnonzero(self.done)
        kept = np.flatnonzero(~self.done)
        finals = np.full(self.count, None, object)
        for i in ids:
            finals[i] = each(observation, lambda a: a[i].copy())
        all_infos, infos = infos, {"final_obs": finals, "_final_obs": self.done.copy()}
        final_info: dict[str, Any] = {}
        for name in [n for n in all_infos if not n.startswith("_")]:
            mask = all_infos["_" + name]
            for target, rows in ((final_info, ids), (infos, kept)):
                rows = rows[mask[rows]]
                if len(rows):
                    self._add(target, {name: all_infos[name][rows]}, rows)
        infos["final_info"], infos["_final_info"] = final_info, self.done.copy()
        self.restart(ids)
        fresh = self._observe_some(ids)
        if isinstance(observation, dict):
            for name in observation:
                observation[name][ids] = fresh[name]
        else:
            observation[ids] = fresh
        if self.infos:
            self._add(infos, self.task.reset_info(self.worlds.select(ids)), ids)
        return observation, infos

    # ---- exact restart

    def get_state(self) -> dict[str, Any]:
        """Everything that the next steps depend on, as arrays and numbers."""
        w = self.worlds
        return {"physics": self.batch.get_state(_STATE), "outputs": {name: getattr(self.batch, name).copy() for name in self._kept},
                "parameters": {name: self.batch.get(name) for name in sorted(w.varied)},
                "memory": {name: array.copy() for name, array in w.memory.items()}, "fresh": w.fresh.copy(), "elapsed": w.elapsed.copy(),
                "done": self.done.copy(), "streams": self.streams.state(), "draws": [s.state() for s in self.draws],
                "is_reset": self._is_reset, "given": each(self._given, np.array) if self._given is not None else None}

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from `get_state`, with the same bits."""
        missing = [name for name in ("physics", "outputs", "parameters", "memory", "streams", "draws") if name not in state]
        if missing:
            raise ValueError(f"the state has no {missing[0]!r}: expected what get_state gave")
        if state["physics"].shape != (self.count, self.batch.get_state(_STATE, [0]).shape[1]):
            raise ValueError(f"the state is of {state['physics'].shape[0]} worlds of another or the same model, expected {self.count}")
        self.batch.reset()
        self._lost = self.batch.lost
        for name, values in state["parameters"].items():
            self.batch.set(name, values)
        self.batch.set_state(state["physics"], _STATE)
        for name, values in state["outputs"].items():
            getattr(self.batch, name)[...] = values
        w = self.worlds
        w.memory.clear()
        w.memory.update({name: array.copy() for name, array in state["memory"].items()})
        w.fresh[:], w.elapsed[:], self.done = state["fresh"], state["elapsed"], state["done"].copy()
        self.streams.restore(state["streams"])
        for draw, kept in zip(self.draws, state["draws"]):
            draw.restore(kept)
        self._is_reset = state["is_reset"]
        self._given = each(state["given"], np.array) if state.get("given") is not None else None
