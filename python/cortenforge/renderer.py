"""Pictures of a simulation, without a screen."""
from __future__ import annotations

import types
from typing import Any

import numpy as np

from . import _core
from ._core import MjData, MjModel, MjvCamera, MjvOption, MjvScene

_ENUM = {name: values for name, (_, values) in _core.enumerations.items()}
_CAMERA, _RENDER = _ENUM["mjtCamera"], _ENUM["mjtRndFlag"]


class Renderer:
    """Draws what a camera of the model sees, as arrays.

        with cf.Renderer(model, 480, 640) as renderer:
            renderer.update_scene(data, camera="track")
            image = renderer.render()          # (480, 640, 3), uint8

    The size may not exceed <visual><global offwidth offheight/></visual> of the model.
    """

    def __init__(self, model: MjModel, height: int = 240, width: int = 320, max_geom: int = 10000, font_scale: int = 150) -> None:
        self._context: Any = None
        self._gl: Any = None
        for name, size, limit in (("width", width, model.vis.global_.offwidth), ("height", height, model.vis.global_.offheight)):
            if size > limit:
                raise ValueError(f"Image {name} {size} > framebuffer {name} {limit}. Either reduce the image {name} or specify a larger "
                                 f"offscreen framebuffer in the model XML using the clause:\n<visual>\n  <global off{name}=\"my_{name}\"/>\n"
                                 "</visual>")
            if size < 1:
                raise ValueError(f"Image {name} must be positive, not {size}")
        self._model, self._height, self._width = model, height, width
        self._scene = MjvScene(model, max_geom)
        self._option = MjvOption()
        self._rect = _core.MjrRect(0, 0, width, height)
        self._gl = _core.GLContext(width, height)
        self._gl.make_current()
        self._context = _core.MjrContext(model, font_scale)
        _core.mjr_setBuffer(_ENUM["mjtFramebuffer"]["mjFB_OFFSCREEN"], self._context)
        self._context.readDepthMap = _ENUM["mjtDepthMap"]["mjDEPTH_ZEROFAR"]
        self._depth = self._segmentation = False

    @property
    def model(self) -> MjModel:
        return self._model

    @property
    def scene(self) -> MjvScene:
        """The scene that `render` draws; geoms may be added to it."""
        return self._scene

    @property
    def height(self) -> int:
        return self._height

    @property
    def width(self) -> int:
        return self._width

    def enable_depth_rendering(self) -> None:
        """Let `render` return distances from the camera [m], float32."""
        self._depth, self._segmentation = True, False

    def disable_depth_rendering(self) -> None:
        self._depth = False

    def enable_segmentation_rendering(self) -> None:
        """Let `render` return (object id, mjtObj) of each pixel, int32; -1 for the background."""
        self._depth, self._segmentation = False, True

    def disable_segmentation_rendering(self) -> None:
        self._segmentation = False

    def update_scene(self, data: MjData, camera: int | str | MjvCamera = -1, scene_option: MjvOption | None = None) -> None:
        """Fill the scene from the state; `camera` is a name, an id, -1 for the free camera, or a camera of your own."""
        if not isinstance(camera, MjvCamera):
            camera = self._camera(camera)
        _core.mjv_updateScene(self._model, data, scene_option or self._option, None, camera, _ENUM["mjtCatBit"]["mjCAT_ALL"], self._scene)

    def _camera(self, which: int | str) -> MjvCamera:
        found = which
        if isinstance(which, str):
            found = _core.mj_name2id(self._model, _ENUM["mjtObj"]["mjOBJ_CAMERA"], which)
            if found == -1:
                raise ValueError(f'The camera "{which}" does not exist.')
        if not isinstance(found, (int, np.integer)) or not -1 <= found < self._model.ncam:
            raise ValueError(f"The camera id {found} is out of range [-1, {self._model.ncam}).")
        camera = MjvCamera()
        camera.fixedcamid = int(found)
        if found == -1:
            camera.type = _CAMERA["mjCAMERA_FREE"]
            _core.mjv_defaultFreeCamera(self._model, camera)
        else:
            camera.type = _CAMERA["mjCAMERA_FIXED"]
        return camera

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        """Draw the scene and return the image, first row on top; in `out` if that is given."""
        if self._gl is None:
            raise RuntimeError("render cannot be called after close.")
        shape: tuple[int, ...] = (self._height, self._width)
        shape += () if self._depth else (2,) if self._segmentation else (3,)
        if out is None:
            out = np.empty(shape, np.float32 if self._depth else np.int32 if self._segmentation else np.uint8)
        elif out.shape != shape:
            raise ValueError(f"Expected `out.shape == {shape}`. Got `out.shape={out.shape}` instead.")
        self._gl.make_current()
        flags = self._scene.flags
        before = flags.copy()
        if self._segmentation:
            flags[_RENDER["mjRND_SEGMENT"]] = flags[_RENDER["mjRND_IDCOLOR"]] = 1
        try:
            _core.mjr_render(self._rect, self._scene, self._context)
        finally:
            flags[:] = before
        if self._depth:
            self._read_depth(out)
        else:
            image = np.empty((self._height, self._width, 3), np.uint8)
            _core.mjr_readPixels(image, None, self._rect, self._context)
            out[:] = self._objects(image[::-1]) if self._segmentation else image[::-1]
        return out

    def _read_depth(self, out: np.ndarray) -> None:
        depth = np.empty((self._height, self._width), np.float32)
        _core.mjr_readPixels(None, depth, self._rect, self._context)
        near = self._model.vis.map.znear * self._model.stat.extent
        far = self._model.vis.map.zfar * self._model.stat.extent
        # the map holds 1 at the near plane and 0 at the far one: z = near far / (near + d (far - near))
        out[:] = near * far / (near + depth[::-1].astype(np.float64) * (far - near))

    def _objects(self, image: np.ndarray) -> np.ndarray:
        ids = image[..., 0].astype(np.int32) + (image[..., 1].astype(np.int32) << 8) + (image[..., 2].astype(np.int32) << 16)
        table = np.full((max(self._scene.ngeom, int(ids.max())) + 1, 2), -1, np.int32)
        for geom in self._scene.geoms[:self._scene.ngeom]:
            if geom.segid != -1 and geom.segid + 1 < len(table):
                table[geom.segid + 1] = geom.objid, geom.objtype
        return table[ids]

    def close(self) -> None:
        """Give the context back; again does nothing."""
        gl, self._gl = self._gl, None
        if gl is not None:
            gl.make_current()
            if self._context is not None:
                self._context.free()
            gl.free()
        self._context = None

    def __enter__(self) -> Renderer:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: types.TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        try:
            self.close()
        except Exception:
            pass
