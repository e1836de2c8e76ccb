"""The viewer's window, on a display of its own (Xvfb), with keys that XTest presses."""
import ctypes
import os
import shutil
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import cortenforge as cf
from cortenforge import viewer

BACKSPACE, BACKSPACE_GLFW, SPACE, RIGHT_ARROW, CONTROL, Q = 22, 259, 65, 114, 37, 24  # keycodes of X, the number of GLFW
PLAIN = {k: v for k, v in os.environ.items() if k != "LD_PRELOAD"}  # without the sanitizer
SCENE = """<mujoco><option timestep='.01'/><asset><texture name='t' type='2d' builtin='flat' width='8' height='8'/></asset>
<worldbody><body><joint type='slide' axis='1 0 0'/><geom size='.1'/></body></worldbody></mujoco>"""


@pytest.fixture(scope="module")
def display():
    """Name of a display without a screen."""
    if not shutil.which("Xvfb"):
        pytest.skip("there is no Xvfb")
    for library in ("libglfw.so.3", "libX11.so.6", "libXtst.so.6"):
        try:
            ctypes.CDLL(library)
        except OSError:
            pytest.skip(f"there is no {library}")
    name = f":{1000 + os.getpid() % 30000}"
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", name, "-displayfd", str(write), "-screen", "0", "640x480x24"], pass_fds=[write], env=PLAIN,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as ready:
        line = ready.readline()  # empty if the server ended
    if not line:
        pytest.skip("Xvfb does not start")
    yield name
    server.kill()
    server.wait()


PRESS = """
import ctypes, sys
x, xtest = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
x.XOpenDisplay.restype = ctypes.c_void_p
connection = ctypes.c_void_p(x.XOpenDisplay(sys.argv[1].encode()))
for line in sys.stdin:
    codes = [int(word) for word in line.split()]
    for code, is_down in [(c, 1) for c in codes] + [(c, 0) for c in reversed(codes)]:
        xtest.XTestFakeKeyEvent(connection, code, is_down, ctypes.c_ulong(0))
    x.XSync(connection, 0)
"""


@pytest.fixture
def press(display, monkeypatch):
    """A function that presses keys of the display together, which windows use meanwhile; a process of its own talks to X."""
    monkeypatch.setenv("DISPLAY", display)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with subprocess.Popen([sys.executable, "-c", PRESS, display], stdin=subprocess.PIPE, text=True, env=PLAIN) as process:
        yield lambda *codes: print(*codes, file=process.stdin, flush=True)
        process.stdin.close()


def until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def small(m, d, key_callback=None):
    return viewer.Handle(m, d, key_callback, (False, False), (320, 240))._start()


def test_without_a_display(monkeypatch):
    monkeypatch.setenv("DISPLAY", "")
    monkeypatch.setenv("WAYLAND_DISPLAY", "")
    m = cf.Model.from_xml_string(SCENE)
    with pytest.raises(RuntimeError, match="no display"):
        viewer.launch_passive(m, cf.Data(m))
    with pytest.raises(RuntimeError, match="no display"):
        viewer.launch(m)
    with pytest.raises(ValueError, match="not a mujoco.MjModel"):
        viewer.launch_passive("m", cf.Data(m))
    with pytest.raises(ValueError, match="loader"):
        viewer.launch(lambda: (m, cf.Data(m)), cf.Data(m))


def test_keys_reach_the_program(press):
    m, keys = cf.Model.from_xml_string(SCENE), []
    d = cf.Data(m)
    with small(m, d, keys.append) as handle:
        d.qvel[:] = 1
        cf.mj_step(m, d, 10)
        handle.sync()
        assert d.time == pytest.approx(0.1) and handle.is_running()
        press(BACKSPACE)
        assert until(lambda: keys) and keys[0] == BACKSPACE_GLFW
        handle.sync()  # the window was reset, and so is the program's data
        assert d.time == 0 and d.qvel[0] == 0
        cf.mj_step(m, d, 3)
        handle.sync()
        press(SPACE)  # pause, then one step
        press(RIGHT_ARROW)
        assert until(lambda: len(keys) > 2)
        handle.sync()
        assert d.time == pytest.approx(0.04)
    assert not handle.is_running()
    handle.sync()
    handle.close()


def test_a_window_shows_what_a_program_adds(press):
    m = cf.Model.from_xml_string(SCENE)
    d = cf.Data(m)
    with small(m, d) as handle:
        with handle.lock():
            handle.cam.distance = 7
            cf.mjv_initGeom(handle.user_scn.geoms[0], 2, np.full(3, 0.1), np.zeros(3), np.eye(3).ravel(), np.ones(4, np.float32))
            handle.user_scn.ngeom = 1
        handle.set_texts([(None, None, "a", None), (None, None, None, "b")])
        handle.set_figures((cf.MjrRect(0, 0, 50, 50), cf.MjvFigure()))
        handle.set_images((cf.MjrRect(0, 0, 20, 10), np.zeros((10, 20, 3), np.uint8)))
        frame = handle._frames
        assert until(lambda: handle._frames > frame + 1)
        assert handle.cam.distance == 7 and handle.viewport.width == 320
        m.tex_data[:] = 255
        handle.update_texture(0)
        with pytest.raises(IndexError):
            handle.update_hfield(0)
        with pytest.raises(ValueError, match="target shape"):
            handle.set_images((cf.MjrRect(0, 0, 5, 5), np.zeros((10, 20, 3), np.uint8)))
        handle.clear_texts(), handle.clear_figures(), handle.clear_images()
        handle.sync(state_only=True)
    assert handle.viewport is None and "closed" in repr(handle)


def test_windows_follow_each_other(press):
    for _ in range(3):
        m = cf.Model.from_xml_string(SCENE)
        with small(m, cf.Data(m)) as handle:
            handle.sync()


def test_launch_steps_until_the_window_is_closed(press):
    m = cf.Model.from_xml_string(SCENE)
    d, is_done = cf.Data(m), threading.Event()
    d.qvel[:] = 1

    def leave():
        while not is_done.is_set():
            if d.time > 0.05:
                press(CONTROL, Q)
            time.sleep(0.05)

    threading.Thread(target=leave, daemon=True).start()
    try:
        viewer.launch(m, d, show_left_ui=False, show_right_ui=False)
    finally:
        is_done.set()
    assert d.time > 0.05 and d.qpos[0] == pytest.approx(d.time)
