"""Simulations put together in one place: model, exchangeable parts, integrator."""
from __future__ import annotations

import os
from typing import Any

from . import _core
from ._core import MjData, MjModel


def build(source: MjModel | str | os.PathLike[str], *, preset: str | None = None, bending: Any = None, elasticity: Any = None,
          gain: Any = None, contact_solver: Any = None, integrator: str | int | None = None,
          timestep: float | None = None) -> tuple[MjModel, MjData]:
    """Build a simulation and return (model, data).

        m, d = cf.build("cloth.xml", bending="bridson", integrator="implicitfast")

    source: a model, a path, or MJCF text
    preset: "mujoco", "animation" or "softbody"; what is said besides wins over it
    bending, elasticity: name of a model for all flexes, or a dict by flex name (None: all that are not named)
    gain: name of a gain model, or a dict by actuator name; values may be (name, parameters)
    contact_solver: name, or (name, parameters)
    integrator: "euler", "rk4", "implicit", "implicitfast" or of mjtIntegrator;  timestep: seconds

    Raises ModelError with every complaint, one a line.
    """
    model: MjModel | None = None
    items: list[Any] = []
    if isinstance(source, MjModel):
        model = source
    elif isinstance(source, str) and source.lstrip().startswith("<"):
        items.append(("text", None, source, None, 0.0))
    else:
        items.append(("file", None, os.fspath(source), None, 0.0))
    if preset is not None:
        items.append(("preset", None, preset, None, 0.0))
    for verb, choice in (("bending", bending), ("elasticity", elasticity), ("gain", gain)):
        for element, name in (choice.items() if isinstance(choice, dict) else [(None, choice)] if choice else []):
            name, parameters = name if isinstance(name, tuple) else (name, None)
            items.append((verb, element, name, parameters, 0.0))
    if contact_solver is not None:
        name, parameters = contact_solver if isinstance(contact_solver, tuple) else (contact_solver, None)
        items.append(("contact_solver", None, name, parameters, 0.0))
    if integrator is not None:
        if isinstance(integrator, str):
            values = _core.enumerations["mjtIntegrator"][1]
            known = {key[6:].lower(): value for key, value in values.items()}
            if integrator.lower() not in known:
                raise ValueError(f"integrator is {integrator!r}, allowed are {', '.join(map(repr, known))}")
            integrator = known[integrator.lower()]
        items.append(("integrator", None, None, None, float(integrator)))
    if timestep is not None:
        items.append(("timestep", None, None, None, float(timestep)))
    return _core.build(model, items)


def compare(model: MjModel, *others: MjModel | MjData) -> list[tuple[str, str, float, bool]]:
    """Fields in which two models, or two Data of one model, differ.

    compare(model, model2) or compare(model, data, data2); returns (part, field, error, is_exact) for each field, where the
    error is the largest difference relative to max(1, magnitude) and 0 means that nothing differs.
    """
    return [d for d in _core.compare(model, *others) if d[2] != 0]
