"""The class of OpenGL contexts that Renderer uses."""
from .._core import GLContext  # noqa: F401
