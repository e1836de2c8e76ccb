"""A progress bar on standard error."""
from __future__ import annotations

import sys
import time
from typing import Iterator, TextIO


class Progress:
    """Shows how much of `total` is done; nothing if `is_shown` is false. Used with `with`."""

    def __init__(self, total: int, label: str, is_shown: bool = True, out: TextIO | None = None) -> None:
        self._total, self._label, self._is_shown, self._out = max(total, 1), label, is_shown, out or sys.stderr
        self._begin = self._drawn = time.monotonic()

    def update(self, done: int) -> None:
        now = time.monotonic()
        if not self._is_shown or (done < self._total and now - self._drawn < 0.1):
            return
        self._drawn = now
        left = (now - self._begin) * (self._total - done) / done if done else 0.0
        filled = 30 * done // self._total
        print(f"\r{self._label} [{'#' * filled}{'.' * (30 - filled)}] {100 * done // self._total:3d} %  {left:.0f} s left ",
              end="", file=self._out, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._is_shown:
            print(file=self._out)


def chunks(total: int, size: int) -> Iterator[tuple[int, int]]:
    """Begin and end of parts of at most `size`."""
    for begin in range(0, total, size):
        yield begin, min(begin + size, total)
