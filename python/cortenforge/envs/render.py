"""Pictures of chosen worlds."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np

from .._core import MjvCamera, enumerations, mj_name2id, mjv_defaultFreeCamera
from ..renderer import Renderer
from .simulation import Simulation

MODES = ("rgb_array", "depth_array")


class Painter:
    """Draws worlds one after the other, from the camera `camera` or, without one, "track" or what the task says."""

    def __init__(self, simulation: Simulation, mode: str, width: int, height: int, camera: str | int | None) -> None:
        self._simulation, self._mode = simulation, mode
        model = simulation.model
        view = model.vis.global_
        view.offwidth, view.offheight = max(view.offwidth, width), max(view.offheight, height)
        self._renderer = Renderer(model, height, width)
        if mode == "depth_array":
            self._renderer.enable_depth_rendering()
        self._camera: Any = camera
        if camera is None and mj_name2id(model, enumerations["mjtObj"][1]["mjOBJ_CAMERA"], "track") >= 0:
            self._camera = "track"
        elif camera is None:
            self._camera = self._free_camera()

    def _free_camera(self) -> MjvCamera:
        camera = MjvCamera()
        mjv_defaultFreeCamera(self._simulation.model, camera)
        for name, value in self._simulation.task.camera.items():
            if name == "trackbodyid":
                if value >= 0:
                    camera.type = enumerations["mjtCamera"][1]["mjCAMERA_TRACKING"]
                    camera.trackbodyid = value
            elif name == "lookat":
                camera.lookat[:] = value
            else:
                setattr(camera, name, value)
        return camera

    def draw(self, worlds: Sequence[int]) -> tuple[np.ndarray, ...]:
        pictures = []
        for world in worlds:
            self._renderer.update_scene(self._simulation.batch.data(int(world)), self._camera)
            pictures.append(self._renderer.render().copy())
        return tuple(pictures)

    def close(self) -> None:
        self._renderer.close()
