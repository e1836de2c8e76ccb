"""Exceptions and warnings of the engine."""
import re

_PLACE = re.compile(r"line (\d+)(?:, column (\d+))?|^:(\d+):(\d+):", re.M)
_FILE = re.compile(r" ?\((\S.*?):(\d+):(\d+)\)")
_ELEMENT = re.compile(r"[Ee]lement '([^']*)'")
_NAME = re.compile(r"Element name '([^']*)'")
_HINT = re.compile(r"did you mean '([^']*)'\??")
_STRING = "from_string.xml"  # name under which the engine sees models given as text


class FatalError(RuntimeError):
    """The engine cannot go on with a call; the data stays usable."""


class UnexpectedError(RuntimeError):
    """Something that should never happen, kept for programs written for MuJoCo."""


class ModelError(ValueError):
    """A model cannot be read or compiled.

    Attributes, None where the message does not say: `file`, `line`, `column`, `element` (tag), `name` of the element and
    `hint` (what was probably meant).
    """

    def __init__(self, text="", file=None):
        text = text.rstrip()
        place, where = _PLACE.search(text), _FILE.search(text)
        numbers = [int(g) for g in place.groups() if g] if place else []
        self.line = numbers[0] if numbers else None
        self.column = numbers[1] if len(numbers) > 1 else None
        self.file = file
        if where:
            self.file = None if where.group(1).endswith(_STRING) else where.group(1)
            self.line, self.column = int(where.group(2)), int(where.group(3))
            if self.file is None:
                text = text.replace(where.group(0), "")
        element, name, hint = _ELEMENT.search(text), _NAME.search(text), _HINT.search(text)
        self.element = element.group(1) if element else None
        self.name = name.group(1) if name and name.group(1) else None
        self.hint = hint.group(1) if hint else None
        super().__init__(text)

    def __reduce__(self):
        return ModelError, (str(self), self.file)


class EngineWarning(UserWarning):
    """A warning of the engine; those of a step are also counted in `data.warning`."""
