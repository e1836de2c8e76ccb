"""The viewer's names. The window itself is in the command line: `cortenforge view MODEL`."""


def _missing(name):
    raise NotImplementedError(f"mujoco.viewer.{name} is not in CortenForge's Python package yet; use `cortenforge view MODEL`, or "
                              "mujoco.Renderer for pictures")


class Handle:
    """What launch_passive returns in the official package."""

    def __init__(self, *_, **__):
        _missing("Handle")


def launch(*_, **__):
    _missing("launch")


def launch_from_path(*_, **__):
    _missing("launch_from_path")


def launch_passive(*_, **__):
    _missing("launch_passive")
