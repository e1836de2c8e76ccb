#!/usr/bin/env python3
"""Viewers in a window on a virtual display (Xvfb), driven by synthetic keys and mouse.

  windows.py view DRIVER CORTENFORGE MODEL       our viewer: its pictures are those of `cortenforge render`
  windows.py official DRIVER LIBRARY MODEL       mujoco.viewer.launch_passive on our library and on its own: the same pictures

DRIVER is the program windowdriver.  Exit status 77 where Xvfb, GLFW, the driver or (official) the mujoco package is missing,
1 with CI=true.
"""
import ctypes.util
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zlib

WIDTH, HEIGHT = 320, 240
PLAIN = slice(50, 200)  # rows of the picture without labels
CLOSINGS = 4            # the official viewer dies in 1 of 12 closings, on its own library too: so often in a row is ours


def skip(why):
    print(f'skipped: {why}')
    sys.exit(1 if os.environ.get('CI') == 'true' else 77)


def read_whole(path, end):
    """a file that somebody is still writing: what is in it once it ends so"""
    for _ in range(600):
        data = open(path, 'rb').read()
        if data.endswith(end):
            return data
        time.sleep(0.1)
    raise RuntimeError(f'{path} does not end')


class Blank(Exception):
    """a picture of so few colors that it was written with a palette: nothing has been drawn yet"""


def read_png(path):
    """rows of bytes of an 8 bit RGB picture"""
    data, at, packed = read_whole(path, b'IEND\xaeB`\x82'), 8, b''
    while at < len(data):
        size, kind = struct.unpack('>I4s', data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b'IHDR':
            width, height, bits, color = struct.unpack('>IIBB', body[:10])
            if (bits, color) != (8, 2):
                raise Blank(path)
        elif kind == b'IDAT':
            packed += body
        at += size + 12
    raw, stride, rows, above = zlib.decompress(packed), 3 * width, [], bytes(3 * width)
    for y in range(height):
        filter_kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for x in range(stride if filter_kind else 0):
            a = line[x - 3] if x >= 3 else 0
            b, c = above[x], above[x - 3] if x >= 3 else 0
            if filter_kind == 4:
                pa, pb, pc = abs(b - c), abs(a - c), abs(a + b - 2 * c)
                guess = a if pa <= pb and pa <= pc else b if pb <= pc else c
            else:
                guess = (0, a, b, (a + b) // 2)[filter_kind]
            line[x] = (line[x] + guess) & 255
        above = bytes(line)
        rows.append(above)
    return rows


def difference(a, b, rows=slice(0, HEIGHT)):
    """mean difference of colors, and the part of the pixels with one of more than 4"""
    a, b = b''.join(a[rows]), b''.join(b[rows])
    assert len(a) == len(b), f'sizes differ: {len(a)}, {len(b)}'
    off = [abs(p - q) for p, q in zip(a, b)]
    far = sum(max(off[k:k + 3]) > 4 for k in range(0, len(off), 3))
    return sum(off) / len(off), 3 * far / len(off)


class Screen:
    """a virtual display"""

    def __init__(self, driver, width, height):
        if not shutil.which('Xvfb'):
            skip('no Xvfb')
        if not os.path.exists(driver):
            skip('windowdriver was not built (libx11-dev, libxtst-dev)')
        self.driver = driver
        reader, writer = os.pipe()
        self.process = subprocess.Popen(
            ['Xvfb', '-displayfd', str(writer), '-screen', '0', f'{width}x{height}x24', '-nolisten', 'tcp'],
            pass_fds=[writer], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(writer)
        number = os.read(reader, 20).decode().strip()
        if not number:
            skip('Xvfb does not start')
        self.environment = dict(os.environ, DISPLAY=f':{number}')
        self.environment.pop('WAYLAND_DISPLAY', None)

    def drive(self, *actions):
        subprocess.run([self.driver, *actions], env=self.environment, check=True, timeout=200)

    def close(self):
        self.process.terminate()
        self.process.wait()


def finish(process):
    """exit status of a viewer that was told to go"""
    try:
        return process.wait(60)
    except subprocess.TimeoutExpired:
        process.kill()
        return 'does not end'


class Verdict:
    def __init__(self):
        self.bad = 0

    def say(self, is_good, text):
        self.bad += not is_good
        print(('good   ' if is_good else 'BAD    ') + text)

    def same(self, name, a, b, rows=slice(0, HEIGHT)):
        mean, far = difference(a, b, rows)
        self.say(mean <= 1 and far <= 0.01, f'{name}: mean difference {mean:.4f} of 255, beyond 4: {far:.3%}')

    def other(self, name, a, b):
        mean, _ = difference(a, b, PLAIN)
        self.say(mean > 0.2, f'{name}: mean difference {mean:.4f} of 255')


# ---- our viewer

def render(cli, model, out, camera, time):
    subprocess.run([cli, 'render', model, '--camera', camera, '--size', f'{WIDTH}x{HEIGHT}', '--time', str(time), '--out', out,
                    '--quiet'], check=True)
    return read_png(out)


def view(driver, cli, model):
    if not ctypes.util.find_library('glfw'):
        skip('no GLFW (libglfw3)')
    cli, model, verdict = os.path.abspath(cli), os.path.abspath(model), Verdict()
    step = 0.005  # of models/humanoid.xml
    screen = Screen(os.path.abspath(driver), 640, 480)
    with tempfile.TemporaryDirectory() as work:
        # a window on a virtual display has one sample per pixel
        plain = os.path.join(work, 'plain.xml')
        with open(plain, 'w') as out:
            out.write(f'<mujoco><include file="{model}"/><visual><quality offsamples="0"/></visual></mujoco>')
        model = plain
        viewer = subprocess.Popen([cli, 'view', model, '--paused', '--bare', '--size', f'{WIDTH}x{HEIGHT}', '--camera',
                                   '90,-20,4,0,0,1'], cwd=work, env=screen.environment)
        shot = lambda k: os.path.join(work, 'screenshot.png' if k == 1 else f'screenshot-{k}.png')
        try:
            # five steps by key, mirrors on by key and shadows from the start, the pointer over the picture
            screen.drive('wait:CortenForge', 'move:150,200', *['key:Right'] * 5, 'key:r', 'key:ctrl+p', 'file:' + shot(1))
            verdict.same('five steps', read_png(shot(1)), render(cli, model, work + '/a.png', '90,-20,4,0,0,1', 5 * step), PLAIN)

            # two steps back, and a drag of a fifth of the height: 36 degrees
            screen.drive('wait:CortenForge', 'key:Left', 'key:Left', 'move:150,200', 'down:1', 'move:198,200',
                         'up:1', 'key:ctrl+p', 'file:' + shot(2))
            turned = render(cli, model, work + '/b.png', '54,-20,4,0,0,1', 3 * step)
            verdict.same('two back, turned by 36 degrees', read_png(shot(2)), turned, PLAIN)
            verdict.other('it did turn', read_png(shot(1)), turned)

            # a camera of the model, wireframe
            screen.drive('wait:CortenForge', 'key:bracketright', 'key:w', 'key:ctrl+p', 'file:' + shot(3))
            verdict.other('wireframe', read_png(shot(3)), render(cli, model, work + '/c.png', '0', 3 * step))

            # run for a while, pause, write the state; pictures show that there were frames in between
            screen.drive('wait:CortenForge', 'key:space', 'key:ctrl+p', 'file:' + shot(4), 'pause:300', 'key:ctrl+p', 'file:' + shot(5),
                         'key:space', 'key:ctrl+k', 'file:' + work + '/keyframe.xml')
            state = read_whole(work + '/keyframe.xml', b'</mujoco>\n').decode()
            end = float(re.search(r'time="([^"]*)"', state).group(1))
            verdict.say(3 * step < end < 10, f'ran to {end:.3f} s')

            # panels and plots
            screen.drive('wait:CortenForge', 'key:Tab', 'key:F2', 'key:F3', 'key:F4', 'key:F8', 'pause:300', 'key:ctrl+p', 'file:' + shot(6))
            verdict.other('panel and plots', read_png(shot(6)), read_png(shot(3)))
            screen.drive('wait:CortenForge', 'key:ctrl+q')
            status = finish(viewer)
            verdict.say(status == 0, f'ended with {status}')
        finally:
            viewer.kill()
            screen.close()
    return verdict.bad


# ---- the official one

def passive(model):
    """run by the interpreter of the package"""
    import mujoco
    import mujoco.viewer
    m = mujoco.MjModel.from_xml_path(model)
    d = mujoco.MjData(m)
    for _ in range(20):
        mujoco.mj_step(m, d)
    mujoco.mj_forward(m, d)
    with mujoco.viewer.launch_passive(m, d, show_left_ui=False, show_right_ui=False) as viewer:
        while viewer.is_running():
            viewer.sync()
            time.sleep(0.05)


def take_picture(screen, shot):
    """a picture that the official viewer writes on Ctrl+P; on a busy machine its window opens before its first frame"""
    for _ in range(40):
        screen.drive('wait:MuJoCo', 'key:ctrl+p', 'file:' + shot)
        try:
            return read_png(shot)
        except Blank:
            time.sleep(0.25)
        finally:
            os.remove(shot)
    raise RuntimeError('the viewer draws nothing')


def photograph(screen, python, model, work, package):
    """pictures of the official viewer: as it opens, turned and zoomed, with flags, with a panel"""
    environment = dict(screen.environment, MUJOCO_GL='glfw')
    if package:
        environment['PYTHONPATH'] = package
    viewer = subprocess.Popen([python, os.path.abspath(__file__), 'passive', model], cwd=work, env=environment)
    shot, pictures = os.path.join(work, 'screenshot.png'), []
    # parts of a script end with a picture, so that each was seen before the next; the last picture counts
    scripts = ([['move:150,120']],
               [['move:150,120', 'down:1'], ['move:190,130'], ['up:1', 'down:5', 'up:5']],
               [['key:s', 'key:r', 'key:c', 'key:f', 'key:F6']],
               [['key:Escape', 'key:Tab']])
    try:
        for script in scripts:
            for part in script + [[]]:
                screen.drive('wait:MuJoCo', *part)
                picture = take_picture(screen, shot)
            pictures.append(picture)
        screen.drive('wait:MuJoCo', 'key:ctrl+q')
        status = finish(viewer)
    finally:
        viewer.kill()
    return pictures, status


def official(driver, library, model):
    reference = os.environ.get('MUJOCO_REFERENCE_LIB', '')
    package = os.path.dirname(reference)
    python = os.path.normpath(os.path.join(package, '../../../../bin/python'))
    if not reference or not os.path.exists(python) or subprocess.run([python, '-c', 'import mujoco.viewer, glfw'],
                                                                     capture_output=True).returncode:
        skip('no mujoco package with its viewer beside MUJOCO_REFERENCE_LIB')
    model, verdict = os.path.abspath(model), Verdict()
    screen = Screen(os.path.abspath(driver), WIDTH * 3 // 2, HEIGHT * 3 // 2)
    with tempfile.TemporaryDirectory() as work:
        for name in ('theirs', 'ours'):
            os.mkdir(os.path.join(work, name))
        shutil.copytree(package, os.path.join(work, 'site', 'mujoco'))
        shutil.copy(library, os.path.join(work, 'site', 'mujoco', 'libmujoco.so.3.5.0'))
        try:
            theirs, _ = photograph(screen, python, model, os.path.join(work, 'theirs'), None)
            for crashes in range(CLOSINGS):
                ours, status = photograph(screen, python, model, os.path.join(work, 'ours'), os.path.join(work, 'site'))
                if status != -signal.SIGSEGV:
                    break
        finally:
            screen.close()
    verdict.say(status == 0, f'ended with {status}, after {crashes} crashes while closing')
    for name, a, b in zip(('as it opens', 'turned and zoomed', 'shadows, mirrors, contacts, frames'), theirs, ours):
        verdict.same(name, a, b)
    verdict.other('it did turn', theirs[0], theirs[1])
    verdict.other('flags changed it', theirs[1], theirs[2])

    # letters are our own: the panel is the same where there are none
    mean, far = difference(theirs[3], ours[3])
    verdict.say(far < 0.15, f'with a panel: mean difference {mean:.4f} of 255, beyond 4: {far:.3%}')
    return verdict.bad


def main():
    if sys.argv[1] == 'passive':
        return passive(sys.argv[2])
    bad = (view if sys.argv[1] == 'view' else official)(*sys.argv[2:])
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
