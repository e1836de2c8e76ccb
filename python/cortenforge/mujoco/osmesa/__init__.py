"""OpenGL without a screen. The library looks for EGL, then OSMesa; MUJOCO_GL=egl or osmesa allows one of them alone."""
from ..._core import GLContext  # noqa: F401
