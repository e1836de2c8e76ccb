"""Libraries that adapters need."""
from __future__ import annotations

import importlib
from typing import Any


def needs(name: str, package: str) -> Any:
    """A module of a library, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ImportError(f"this adapter needs {package}: pip install {package}") from None
