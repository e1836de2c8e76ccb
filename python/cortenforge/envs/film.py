"""Films: pictures go to ffmpeg through a pipe, or to numbered PNG files."""
from __future__ import annotations

import os
import shutil
import struct
import subprocess
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def png(picture: NDArray[np.uint8]) -> bytes:
    """A picture (height, width, 3) as a PNG file."""
    height, width, _ = picture.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), picture.reshape(height, -1)], 1)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows.tobytes(), 6)) + chunk(b"IEND", b""))


class Film:
    """`add` pictures, `close` tells what was written.  A name that ends in .png makes numbered files; others need ffmpeg."""

    def __init__(self, path: str | os.PathLike[str], width: int, height: int, rate: float) -> None:
        self.path, self.count = Path(path), 0
        self._process: Any = None
        if self.path.suffix == ".png":
            return
        if shutil.which("ffmpeg") is None:
            raise FileNotFoundError(f"{path}: films need ffmpeg; a name that ends in .png makes numbered pictures")
        self._process = subprocess.Popen(["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{width}x{height}", "-r",
                                               f"{rate:g}", "-i", "-", "-an", "-pix_fmt", "yuv420p", str(path)], stdin=subprocess.PIPE)

    def add(self, picture: NDArray[np.uint8]) -> None:
        if self._process is not None:
            self._process.stdin.write(np.ascontiguousarray(picture).tobytes())
        else:
            self.path.with_name(f"{self.path.stem}_{self.count:05d}.png").write_bytes(png(picture))
        self.count += 1

    def close(self) -> str:
        if self._process is None:
            return f"{self.path.stem}_00000.png to {self.path.stem}_{self.count - 1:05d}.png, {self.count} frames"
        self._process.stdin.close()
        if self._process.wait():
            raise OSError(f"{self.path}: ffmpeg failed with status {self._process.returncode}")
        return f"{self.path}, {self.count} frames"
