"""Convert MuJoCo's binary meshes (MSH) to OBJ: `python -m cortenforge.mujoco.msh2obj IN.msh OUT.obj`."""
from __future__ import annotations

import dataclasses
import pathlib
import sys

import numpy as np


@dataclasses.dataclass(frozen=True)
class Msh:
    """Content of an MSH file."""
    vertex_positions: np.ndarray
    vertex_normals: np.ndarray
    vertex_texcoords: np.ndarray
    face_vertex_indices: np.ndarray

    @staticmethod
    def create(file: pathlib.Path) -> Msh:
        """Read a file: four counts, then floats of vertices, normals and texture coordinates, and indices of faces."""
        data = pathlib.Path(file).read_bytes()
        if len(data) < 16:
            raise ValueError(f"{file}: too short for a mesh")
        counts = [int(n) for n in np.frombuffer(data, np.int32, 4)]
        sizes = [n * k for n, k in zip(counts, (3, 3, 2, 3))]
        if min(counts) < 0 or len(data) != 16 + 4 * sum(sizes):
            raise ValueError(f"{file}: its length does not fit its counts {counts}")
        begins = np.cumsum([16] + [4 * s for s in sizes])
        arrays = [np.frombuffer(data, np.float32 if i < 3 else np.int32, sizes[i], int(begins[i])) for i in range(4)]
        return Msh(arrays[0].reshape(-1, 3), arrays[1].reshape(-1, 3), arrays[2].reshape(-1, 2), arrays[3].reshape(-1, 3))


def msh_to_obj(msh_file: pathlib.Path) -> str:
    """Text of an OBJ file with the content of an MSH file."""
    msh = Msh.create(msh_file)
    lines = [f"v {x} {y} {z}" for x, y, z in msh.vertex_positions]
    # OBJ counts the second coordinate from below
    lines += [f"vt {u} {1 - v}" for u, v in msh.vertex_texcoords]
    lines += [f"vn {x} {y} {z}" for x, y, z in msh.vertex_normals]
    middle, last = len(msh.vertex_texcoords) > 0, len(msh.vertex_normals) > 0

    def corner(i: int) -> str:
        return f"{i}" + (f"/{i if middle else ''}" if middle or last else "") + (f"/{i}" if last else "")

    lines += ["f " + " ".join(corner(int(i) + 1) for i in face) for face in msh.face_vertex_indices]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[2]).write_text(msh_to_obj(pathlib.Path(sys.argv[1])), encoding="ascii")
