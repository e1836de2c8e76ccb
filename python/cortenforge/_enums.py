"""Enumerations of the C API, made from the tables when they are first asked for."""
import enum

from . import _core


class Enum(enum.IntEnum):
    """Base of the enumerations: integers with names."""

    def __str__(self):
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec):
        return format(int(self), spec) if spec else str(self)


_made: dict = {}


def get(name):
    """The class of an enumeration; AttributeError if there is none of that name."""
    found = _made.get(name)
    if found is None:
        if name not in _core.enumerations:
            raise AttributeError(f"module 'cortenforge' has no attribute '{name}'")
        doc, values = _core.enumerations[name]
        found = _made[name] = Enum(name, values, module="cortenforge")
        found.__doc__ = doc
    return found


def names():
    return list(_core.enumerations)
