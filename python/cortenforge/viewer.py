"""A window on a simulation, with the names of mujoco.viewer. GLFW (libglfw.so.3) is looked for at run time.

    with viewer.launch_passive(model, data) as handle:
        while handle.is_running():
            cf.mj_step(model, data)
            handle.sync()

Keys and mouse are those of `cortenforge view`; F1 lists them.
"""
from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import Any, Callable, Sequence

import numpy as np

from . import _core
from ._core import MjData, MjModel, MjrRect, MjvCamera, MjvFigure, MjvOption, MjvPerturb, MjvScene

_FIGURE, _TEXT, _IMAGE = range(3)
_HFIELD, _MESH, _TEXTURE = range(3)
_MAX_GEOM = 10000
_FONT, _GRID = (_core.enumerations[e][1] for e in ("mjtFontScale", "mjtGridPos"))


class Handle:
    """A window that a program keeps up to date: what launch_passive returns.

    cam, opt, perturb: what the window shows; changes of them count from the next frame on
    user_scn: geoms of the program that are drawn besides those of the model
    """

    def __init__(self, model: MjModel, data: MjData, key_callback: Callable[[int], None] | None = None,
                 panels: tuple[bool, bool] = (True, True), size: tuple[int, int] = (1280, 800)) -> None:
        self._model, self._data, self._key_callback, self._panels, self._size = model, data, key_callback, panels, size
        self._cam, self._opt, self._pert = MjvCamera(), MjvOption(), MjvPerturb()
        self._scene = MjvScene(model, _MAX_GEOM)
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._window: Any = None
        self._error: BaseException | None = None
        self._is_open, self._wants_close, self._frames = True, False, 0
        self._thread = threading.Thread(target=self._run, name="viewer", daemon=True)

    def _start(self) -> Handle:
        with self._changed:
            self._thread.start()
            self._changed.wait_for(lambda: self._frames or not self._is_open)
        if self._error is not None:
            raise self._error
        return self

    def _run(self) -> None:
        try:
            self._window = _core.Window(self._model, self._data, self._cam, self._opt, self._pert, self._scene, self._size,
                                        self._panels, True, "")
            self._loop()
        except BaseException as error:  # shown to the program by _start or by the next call
            self._error = error
        with self._changed:
            self._is_open = False
            window, self._window = self._window, None
            if window is not None:
                window.close()
            self._changed.notify_all()

    def _loop(self) -> None:
        going = True
        while going and not self._wants_close:
            with self._changed:
                going = self._window.frame()
                self._frames += 1
                keys = self._window.keys()
                self._changed.notify_all()
            for key in keys if self._key_callback else ():
                self._key_callback(key)  # type: ignore[misc]
            time.sleep(0.001)  # others want the lock, too

    @property
    def cam(self) -> MjvCamera:
        return self._cam

    @property
    def opt(self) -> MjvOption:
        return self._opt

    @property
    def perturb(self) -> MjvPerturb:
        return self._pert

    @property
    def user_scn(self) -> MjvScene:
        return self._scene

    @property
    def m(self) -> MjModel:
        return self._model

    @property
    def d(self) -> MjData:
        return self._data

    @property
    def viewport(self) -> MjrRect | None:
        """Rectangle of the scene in the window; None once it is closed."""
        with self._lock:
            return MjrRect(*self._window.viewport()) if self._window is not None else None

    def is_running(self) -> bool:
        """False once the window is closed."""
        return self._is_open and not self._wants_close

    def lock(self) -> contextlib.AbstractContextManager[Any]:
        """While it is held, the window does not look at what the program may change (cam, opt, user_scn, ...)."""
        return self._lock

    def sync(self, state_only: bool = False) -> None:
        """Show the state of the program, and give it what was changed in the window: controls, options, forces of the mouse.

        With `state_only` the state alone is taken over and the rest computed from it.
        """
        with self._lock:
            if self._window is not None:
                self._window.sync(state_only)

    def close(self) -> None:
        """Close the window; again does nothing."""
        self._wants_close = True
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _overlay(self, kind: int, items: list[tuple[Any, ...]]) -> None:
        with self._lock:
            if self._window is not None:
                self._window.overlays(kind, items)

    def set_figures(self, viewports_figures: tuple[MjrRect, MjvFigure] | Sequence[tuple[MjrRect, MjvFigure]]) -> None:
        """Draw figures over the scene, each in a rectangle: one pair, or several."""
        self._overlay(_FIGURE, _listed(viewports_figures))

    def clear_figures(self) -> None:
        self._overlay(_FIGURE, [])

    def set_texts(self, texts: Any) -> None:
        """Write texts over the scene: (font, place, left column, right column), or several; None for a default."""
        self._overlay(_TEXT, [(int(_FONT["mjFONTSCALE_150"] if font is None else font),
                               int(_GRID["mjGRID_TOPLEFT"] if place is None else place), left or "", right or "")
                              for font, place, left, right in _listed(texts)])

    def clear_texts(self) -> None:
        self._overlay(_TEXT, [])

    def set_images(self, viewports_images: Any) -> None:
        """Draw images, (height, width, 3) of uint8, over the scene, each in a rectangle of its size."""
        items = []
        for rect, image in _listed(viewports_images):
            if image.shape[:2] != (rect.height, rect.width):
                raise ValueError(f"Image shape {image.shape[:2]} does not match target shape {(rect.height, rect.width)}")
            items.append((rect, np.ascontiguousarray(image[::-1], np.uint8).tobytes()))
        self._overlay(_IMAGE, items)

    def clear_images(self) -> None:
        self._overlay(_IMAGE, [])

    def _upload(self, kind: int, index: int) -> None:
        with self._changed:
            if self._window is None:
                return
            self._window.upload(kind, index)
            frame = self._frames
            if threading.current_thread() is not self._thread:
                self._changed.wait_for(lambda: self._frames > frame or not self._is_open)

    def update_hfield(self, hfieldid: int) -> None:
        """Show the changed heights of a field; returns when they are drawn."""
        self._upload(_HFIELD, hfieldid)

    def update_mesh(self, meshid: int) -> None:
        """Show the changed vertices of a mesh; returns when they are drawn."""
        self._upload(_MESH, meshid)

    def update_texture(self, texid: int) -> None:
        """Show the changed pixels of a texture; returns when they are drawn."""
        self._upload(_TEXTURE, texid)

    def __enter__(self) -> Handle:
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<viewer of {self._model!r}, {'open' if self.is_running() else 'closed'}>"


def _listed(items: Any) -> list[Any]:
    return [items] if isinstance(items, tuple) else list(items)


def launch_passive(model: MjModel, data: MjData, *, key_callback: Callable[[int], None] | None = None,
                   show_left_ui: bool = True, show_right_ui: bool = True) -> Handle:
    """Open a window on a simulation that the program steps; returns at once.

    key_callback(key): called in the window's thread when a key goes down, with GLFW's number of the key
    """
    if not isinstance(model, MjModel):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, MjData):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")
    return Handle(model, data, key_callback, (show_left_ui, show_right_ui))._start()


def launch(model: MjModel | Callable[[], tuple[MjModel, MjData]] | None = None, data: MjData | None = None, *,
           loader: Callable[[], tuple[MjModel, MjData]] | None = None, show_left_ui: bool = True,
           show_right_ui: bool = True) -> None:
    """Open a window that steps the simulation; returns when it is closed.

    model: a model, or a function that returns (model, data);  data: its state, changed by the window
    """
    if model is None and data is not None:
        raise ValueError("mjData is specified but mjModel is not")
    if callable(model):
        if data is not None:
            raise ValueError("mjData should not be specified when an mjModel loader is used")
        model, loader = None, model
    if loader is not None:
        if model is not None:
            raise ValueError("model and loader are both specified")
        model, data = loader()[:2]
    if model is None:
        model = MjModel.from_xml_string("<mujoco model='drop a file on the window'/>")
    _block(model, data if data is not None else MjData(model), "", (show_left_ui, show_right_ui))


def launch_from_path(path: str | os.PathLike[str], *, show_left_ui: bool = True, show_right_ui: bool = True) -> None:
    """Open a window on a model file; Ctrl-L loads it again. Returns when the window is closed."""
    model = MjModel.load(path)
    _block(model, MjData(model), os.fspath(path), (show_left_ui, show_right_ui))


def _block(model: MjModel, data: MjData, path: str, panels: tuple[bool, bool]) -> None:
    window = _core.Window(model, data, MjvCamera(), MjvOption(), MjvPerturb(), None, (1280, 800), panels, False, path)
    try:
        while window.frame():
            pass
    finally:
        window.close()


def main(arguments: Sequence[str] | None = None) -> None:
    """`python -m mujoco.viewer [--mjcf=FILE]`."""
    import argparse
    parser = argparse.ArgumentParser(description="Show a model in a window.")
    parser.add_argument("--mjcf", help="MJCF, URDF or MJB file")
    parser.add_argument("file", nargs="?")
    options = parser.parse_args(arguments)
    path = options.mjcf or options.file
    launch_from_path(path) if path else launch()


if __name__ == "__main__":
    main()
