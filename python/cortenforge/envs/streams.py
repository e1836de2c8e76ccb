"""Random numbers: one stream per world, so that a world's numbers depend on its seed alone."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10


def mix(x: Any) -> Any:
    """Finalizer of splitmix64 (Steele, Lea, Flood 2014): a bijection whose bits look independent."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def log(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Natural logarithm of positive numbers by the four operations alone: the same bits on every machine."""
    fraction, exponent = np.frexp(x)
    low = fraction < 0.7071067811865476
    fraction = np.where(low, 2 * fraction, fraction)
    exponent = exponent - low
    # log f = 2 atanh s with s = (f - 1)/(f + 1), |s| < 0.172
    s = (fraction - 1) / (fraction + 1)
    z = s * s
    series = np.zeros_like(z)
    for k in range(23, 1, -2):
        series = z * (1 / k + series)
    return exponent * _LN2_HIGH + (2 * s + (2 * s * series + exponent * _LN2_LOW))


def _ratio(x: NDArray[np.float64], top: Sequence[float], bottom: Sequence[float]) -> NDArray[np.float64]:
    p, q = np.full_like(x, top[0]), np.full_like(x, bottom[0])
    for a, b in zip(top[1:], bottom[1:]):
        p, q = p * x + a, q * x + b
    return p / q


def normal_quantile(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quantile of the normal distribution, 0 < p < 1; M. J. Wichura (1988), algorithm AS 241."""
    q = p - 0.5
    r = 0.180625 - q * q
    center = q * _ratio(r, (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457,
                            13731.693765509461125, 1971.5909503065514427, 133.14166789178437745, 3.387132872796366608),
                        (5226.495278852854561, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
                         5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1.0))
    t = np.sqrt(-log(np.minimum(p, 1 - p)))
    near = _ratio(t - 1.6, (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258,
                            3.64784832476320460504, 5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734),
                  (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459,
                   0.68976733498510000455, 1.6763848301838038494, 2.05319162663775882187, 1.0))
    far = _ratio(t - 5, (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
                         0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772),
                 (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
                  0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0))
    tail = np.copysign(np.where(t <= 5, near, far), q)
    return np.where(np.abs(q) <= 0.425, center, tail)


class Streams:
    """Random numbers of many worlds.

    `uniform`, `normal` and `integers` hash (seed of the world, purpose, count of numbers drawn), for all worlds of a call
    at once; their bits are the same on every machine.  `generators` are NumPy's, one per world, for tasks that have to
    draw what an environment with a Generator of its own draws.
    """

    def __init__(self, count: int, first: int = 0, purpose: int = 0) -> None:
        self._first, self._purpose = first, purpose
        self._seeds: list[int] = [0] * count
        self._keys = np.zeros(count, np.uint64)
        self._drawn = np.zeros(count, np.uint64)
        self._generators: list[Any] = [None] * count
        self._new: set[int] = set()
        self.seed(None)

    def __len__(self) -> int:
        return len(self._seeds)

    def seed(self, seed: int | Sequence[int | None] | None, worlds: Sequence[int] | None = None) -> None:
        """Seed worlds: `seed` + index of the world, or one seed each; None: unpredictable."""
        ids = range(len(self._seeds)) if worlds is None else worlds
        for i in ids:
            given = seed + self._first + i if isinstance(seed, (int, np.integer)) else None if seed is None else seed[i]
            self._seeds[i] = int(np.random.SeedSequence().entropy & (2**63 - 1)) if given is None else int(given)  # type: ignore[operator]
            self._generators[i] = None
        rows = np.fromiter(ids, np.intp)
        low = np.array([self._seeds[i] & (2**64 - 1) for i in rows], np.uint64)
        high = np.array([self._seeds[i] >> 64 & (2**64 - 1) for i in rows], np.uint64)
        with np.errstate(over="ignore"):
            start = np.uint64(self._purpose) * _GOLDEN
            self._keys[rows] = mix(mix(mix(start + _GOLDEN) + low) + high)
        self._drawn[rows] = 0

    @property
    def seeds(self) -> list[int]:
        """The seed of each world."""
        return list(self._seeds)

    def _bits(self, worlds: ArrayLike, size: int) -> NDArray[np.uint64]:
        ids = np.asarray(worlds, np.intp)
        with np.errstate(over="ignore"):
            count: Any = self._drawn[ids][:, None] + np.arange(1, size + 1, dtype=np.uint64)
            self._drawn[ids] += np.uint64(size)
            bits: NDArray[np.uint64] = mix(self._keys[ids][:, None] + count * _GOLDEN)
            return bits

    def uniform(self, worlds: ArrayLike, size: int, low: ArrayLike = 0.0, high: ArrayLike = 1.0) -> NDArray[np.float64]:
        """Numbers from [low, high), shape (worlds, size); bounds broadcast over that."""
        unit = (self._bits(worlds, size) >> np.uint64(11)) * 2.0**-53
        low = np.asarray(low, np.float64)
        return low + (np.asarray(high, np.float64) - low) * unit

    def normal(self, worlds: ArrayLike, size: int, scale: ArrayLike = 1.0) -> NDArray[np.float64]:
        """Normal numbers of mean 0, shape (worlds, size)."""
        unit = ((self._bits(worlds, size) >> np.uint64(11)) + 0.5) * 2.0**-53
        return np.asarray(scale, np.float64) * normal_quantile(np.minimum(unit, 1 - 2.0**-53))

    def integers(self, worlds: ArrayLike, size: int, low: int, high: int) -> NDArray[np.int64]:
        """Integers from [low, high), shape (worlds, size)."""
        return (low + np.floor(self.uniform(worlds, size) * (high - low))).astype(np.int64)

    def generator(self, world: int) -> np.random.Generator:
        """NumPy's generator of a world, seeded as `gymnasium.utils.seeding.np_random` seeds it."""
        generator = self._generators[world]
        if generator is None:
            generator = self._generators[world] = np.random.Generator(np.random.PCG64(np.random.SeedSequence(self._seeds[world])))
        return generator

    def is_new(self, world: int) -> bool:
        """True if the world was seeded and `random_state` was asked for once since then."""
        return world in self._new

    def random_state(self, world: int) -> np.random.RandomState:
        """NumPy's older generator of a world, RandomState(seed)."""
        state = self._generators[world]
        if state is None:
            state = self._generators[world] = np.random.RandomState(self._seeds[world] & (2**32 - 1))
            self._new.add(world)
        else:
            self._new.discard(world)
        return state

    def draw(self, worlds: ArrayLike, *parts: tuple[str, int]) -> list[NDArray[np.float64]]:
        """Numbers of the worlds' generators: for each part ("random" or "standard_normal", size) an array (worlds, size)."""
        ids = np.asarray(worlds, np.intp)
        arrays = [np.empty((len(ids), size)) for _, size in parts]
        for row, i in enumerate(ids.tolist()):
            generator = self.generator(i)
            for (kind, size), array in zip(parts, arrays):
                array[row] = getattr(generator, kind)(size)
        return arrays

    def state(self) -> dict[str, Any]:
        """Everything that `restore` needs to go on with the same numbers."""
        return {"seeds": list(self._seeds), "drawn": self._drawn.copy(),
                "generators": [g and (g.get_state(legacy=False) if isinstance(g, np.random.RandomState) else g.bit_generator.state)
                               for g in self._generators]}

    def restore(self, state: dict[str, Any]) -> None:
        self.seed(state["seeds"])
        self._drawn[:] = state["drawn"]
        for i, kept in enumerate(state["generators"]):
            if kept is not None and kept["bit_generator"] == "MT19937":
                self.random_state(i).set_state(kept)
                self._new.discard(i)
            elif kept is not None:
                self.generator(i).bit_generator.state = kept
