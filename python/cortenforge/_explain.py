"""What a simulation does and what is wrong with it, in words."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._core import MjData, MjModel

_OBJ, _WARNING = _core.enumerations["mjtObj"][1], _core.enumerations["mjtWarning"][1]
_DEEP, _FAST, _STRONG = 0.01, 1e3, 1e5  # penetration [m], velocity and acceleration [SI] that are worth a line


class Explanation(list[str]):
    """Lines of text, the most serious first; `str` joins them."""

    def __str__(self) -> str:
        return "\n".join(self) if self else "nothing remarkable"

    def _repr_html_(self) -> str:
        import html
        return "<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in self or [str(self)]) + "</ul>"


def _name(m: MjModel, kind: str, i: int) -> str:
    name = _core.mj_id2name(m, _OBJ[kind], i)
    return f"'{name}'" if name else f"number {i}"


def _joint(m: MjModel, dof: int) -> str:
    joint, body = int(m.dof_jntid[dof]), int(m.dof_bodyid[dof])
    return f"joint {_name(m, 'mjOBJ_JOINT', joint)} of body {_name(m, 'mjOBJ_BODY', body)}"


def _warnings(d: MjData) -> list[str]:
    lines = []
    for i in range(_WARNING["mjNWARNING"]):
        warning = d.warning[i]
        if warning.number:
            lines.append(f"{warning.number} x {_core.mju_warningText(i, max(0, int(warning.lastinfo)))}")
    return lines


def _numbers(m: MjModel, d: MjData) -> list[str]:
    lines = []
    for field, limit, unit in (("qvel", _FAST, "m/s or rad/s"), ("qacc", _STRONG, "m/s^2 or rad/s^2")):
        values: Any = getattr(d, field)
        bad = np.flatnonzero(~np.isfinite(values))
        if len(bad):
            lines.append(f"{field} is not finite in {len(bad)} of {len(values)} elements, first at {_joint(m, int(bad[0]))}")
        elif len(values) and np.abs(values).max() > limit:
            worst = int(np.abs(values).argmax())
            lines.append(f"{field} is {values[worst]:.3g} {unit} at {_joint(m, worst)}")
    return lines


def _contacts(m: MjModel, d: MjData) -> list[str]:
    if not d.ncon:
        return []
    distances = d.contact.dist
    worst = int(np.argmin(distances))
    if distances[worst] > -_DEEP:
        return []
    contact = d.contact[worst]
    one, other = (_name(m, "mjOBJ_GEOM", int(g)) if g >= 0 else "a flex" for g in contact.geom)
    return [f"geoms {one} and {other} overlap by {-distances[worst]:.3g} m; a smaller timestep or stiffer solref helps, or they "
            "overlap from the start"]


def _settings(m: MjModel) -> list[str]:
    lines = []
    steep = 2 * m.opt.timestep
    stiff = [i for i in range(m.ngeom) if 0 < m.geom_solref[i, 0] < steep]
    if stiff:
        lines.append(f"solref of {len(stiff)} geoms has a time constant below two timesteps ({steep:g} s), first geom "
                     f"{_name(m, 'mjOBJ_GEOM', stiff[0])}; the solver lengthens it")
    moving = np.flatnonzero((m.body_mass > 0) & (m.body_dofnum > 0))
    if len(moving) and m.body_mass[moving].max() > 1e4 * m.body_mass[moving].min():
        light, heavy = (int(moving[i(m.body_mass[moving])]) for i in (np.argmin, np.argmax))
        lines.append(f"masses differ by a factor of {m.body_mass[heavy] / m.body_mass[light]:.0f}: body {_name(m, 'mjOBJ_BODY', light)} "
                     f"and body {_name(m, 'mjOBJ_BODY', heavy)}")
    return lines


def explain(model: MjModel, data: MjData | None = None) -> Explanation:
    """What is remarkable about a model and, with `data`, its state: warnings, numbers that are not finite or very large with
    the joint they belong to, deep contacts, settings that make a simulation unstable.

        print(cf.explain(m, d))
    """
    if data is None:
        return Explanation(_settings(model))
    return Explanation([*_warnings(data), *_numbers(model, data), *_contacts(model, data), *_settings(model)])
