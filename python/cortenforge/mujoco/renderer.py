"""The module mujoco.renderer."""
from ..renderer import Renderer  # noqa: F401
