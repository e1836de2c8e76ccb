"""Trees of dicts, lists, numbers, texts and arrays in NumPy's files: no pickles, so a file of another's cannot run code."""
from __future__ import annotations

import json
import os
import zipfile
from pathlib import Path
from typing import Any

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


def load(path: str | os.PathLike[str], kind: str) -> Any:
    """Read a tree; an error says why a file is not one of this kind."""
    if os.path.exists(path) and not zipfile.is_zipfile(path):
        raise ValueError(f"{path}: this is no {kind}: the file is empty, cut off or of another format")
    try:
        with np.load(path, allow_pickle=False) as file:
            given = json.loads(bytes(file["text"]).decode())
            if given.get("kind") != kind or given.get("version") != 1:
                raise ValueError(f"{path}: this is a {given.get('kind')} of version {given.get('version')}, expected a {kind} of version 1")
            return _unpack(given["tree"], file)
    except (zipfile.BadZipFile, KeyError, EOFError, UnicodeDecodeError, json.JSONDecodeError, zipfile.error) as error:
        raise ValueError(f"{path}: this is no {kind}: {error}") from None
