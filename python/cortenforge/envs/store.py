"""Trees of dicts, lists, numbers, texts and arrays in NumPy's files: no pickles, so a file of another's cannot run code."""
from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray


def _pack(tree: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(tree, np.ndarray):
        if tree.dtype == object:
            raise TypeError("arrays of objects cannot be stored")
        arrays.append(tree)
        return {"array": len(arrays) - 1}
    if isinstance(tree, dict):
        return {"dict": {str(name): _pack(value, arrays) for name, value in tree.items()}}
    if isinstance(tree, (list, tuple)):
        return [_pack(value, arrays) for value in tree]
    return tree.item() if isinstance(tree, np.generic) else tree


def _unpack(tree: Any, arrays: Any) -> Any:
    if isinstance(tree, dict):
        return arrays[f"array{tree['array']}"] if "array" in tree else {name: _unpack(value, arrays) for name, value in tree["dict"].items()}
    return [_unpack(value, arrays) for value in tree] if isinstance(tree, list) else tree


def save(path: str | os.PathLike[str], kind: str, tree: Any) -> None:
    """Write a tree; the file is complete or not there."""
    path, arrays = Path(path), []  # type: ignore[var-annotated]
    text = json.dumps({"kind": kind, "version": 1, "tree": _pack(tree, arrays)})
    part = path.with_name(path.name + ".part")
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(part, "wb") as file:
        np.savez_compressed(file, text=np.frombuffer(text.encode(), np.uint8), **{f"array{k}": a for k, a in enumerate(arrays)})  # type: ignore[arg-type]
    os.replace(part, path)


def is_storable(tree: Any) -> bool:
    """True if `save` can write a tree."""
    try:
        json.dumps(_pack(tree, []))
    except (TypeError, ValueError):
        return False
    return True


def load(path: str | os.PathLike[str], kind: str, names: Sequence[str] = ()) -> Any:
    """Read a tree; an error says why a file is not one of this kind.  names: what the tree must have"""
    if os.path.exists(path) and not zipfile.is_zipfile(path):
        raise ValueError(f"{path}: this is no {kind}: the file is empty, cut off or of another format")
    try:
        with np.load(path, allow_pickle=False) as file:
            given = json.loads(bytes(file["text"]).decode())
            found = given.get("kind"), given.get("version")
            tree = _unpack(given["tree"], file) if found == (kind, 1) else None
    except Exception as error:  # what damaged files raise is of many types: zlib.error, NotImplementedError, MemoryError, ...
        if isinstance(error, OSError) and error.filename is not None:
            raise                # the file cannot be opened
        raise ValueError(f"{path}: this is no {kind}: {error}") from None
    if found != (kind, 1):
        raise ValueError(f"{path}: this is a {found[0]} of version {found[1]}, expected a {kind} of version 1")
    missing = [name for name in names if not isinstance(tree, dict) or name not in tree]
    if missing:
        raise ValueError(f"{path}: this {kind} has no {missing[0]!r}")
    return tree
