"""Threads of NumPy's matrix products: for small matrices they cost more than they take, 20 times here on a loaded machine."""
from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import Any, Iterator

import numpy as np  # noqa: F401  (loads its library)


def _libraries() -> list[tuple[Any, Any]]:
    """Functions (get, set) of the number of threads, of each OpenBLAS in this process; none where there is no /proc."""
    try:
        with open("/proc/self/maps") as file:
            paths = sorted({line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line})
    except OSError:
        return []
    found = []
    for path in paths:
        library = ctypes.CDLL(path)
        for prefix in ("scipy_openblas", "openblas"):
            for suffix in ("64_", ""):
                pair = tuple(getattr(library, f"{prefix}_{word}_num_threads{suffix}", None) for word in ("get", "set"))
                if all(pair):
                    found.append((pair[0], pair[1]))
    return found


@contextmanager
def one_thread() -> Iterator[None]:
    """One thread for matrix products meanwhile."""
    kept = [(setter, int(getter())) for getter, setter in _libraries()]
    for setter, _ in kept:
        setter(1)
    try:
        yield
    finally:
        for setter, count in kept:
            setter(count)
