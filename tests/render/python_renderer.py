#!/usr/bin/env python3
"""mujoco.Renderer of the official Python package on our library and on its own: the same pictures.

  python_renderer.py LIBRARY MODEL...

Run by an interpreter that has mujoco 3.5.0.  Colors, depth and segments of the free camera and the first fixed one, after
some steps; exit status 77 where there is no package or no OpenGL.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile


def draw(out, models):
    """all pictures of the models into one file"""
    import mujoco
    import numpy as np
    pictures = {}
    for path in models:
        m = mujoco.MjModel.from_xml_path(path)
        d = mujoco.MjData(m)
        for _ in range(20):
            mujoco.mj_step(m, d)
        with mujoco.Renderer(m, 120, 160) as r:
            for camera in [-1] + ([0] if m.ncam else []):
                name = f'{os.path.basename(path)} camera {camera}'
                r.update_scene(d, camera)
                pictures[f'{name} rgb'] = r.render()
                r.enable_depth_rendering()
                pictures[f'{name} depth'] = r.render()
                r.disable_depth_rendering()
                r.enable_segmentation_rendering()
                pictures[f'{name} segments'] = r.render()
                r.disable_segmentation_rendering()
    np.savez(out, **pictures)


def differs(a, b, kind):
    """why two pictures are not the same, or None"""
    import numpy as np
    if a.shape != b.shape or a.min() == a.max():
        return 'shape, or nothing is drawn'
    off = np.abs(a.astype(float) - b.astype(float))
    if kind == 'depth':
        return None if (off > 1e-4 * np.abs(a)).mean() <= 0.005 else f'depth off by {off.max():g}'
    if kind == 'segments':
        return None if (off > 0).mean() <= 0.005 else f'{(off > 0).mean():.2%} of the ids differ'
    return None if off.mean() <= 1 and (off > 4).mean() <= 0.01 else f'mean {off.mean():.3f} of 255'


def main():
    if sys.argv[1] == '--draw':
        return draw(sys.argv[2], sys.argv[3:])
    library, models = os.path.abspath(sys.argv[1]), [os.path.abspath(m) for m in sys.argv[2:]]
    spec = importlib.util.find_spec('mujoco')
    if not spec or not os.path.exists(os.path.join(spec.submodule_search_locations[0], 'libmujoco.so.3.5.0')):
        print('skipped: no mujoco 3.5.0 package')
        return 77
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(spec.submodule_search_locations[0], os.path.join(work, 'mujoco'))
        shutil.copy(library, os.path.join(work, 'mujoco', 'libmujoco.so.3.5.0'))
        files = []
        for name, folder in (('theirs', None), ('ours', work)):
            files.append(os.path.join(work, name + '.npz'))
            environment = dict(os.environ, MUJOCO_GL=os.environ.get('MUJOCO_GL', 'egl'))
            if folder:
                environment['PYTHONPATH'] = folder
            run = subprocess.run([sys.executable, os.path.abspath(__file__), '--draw', files[-1], *models],
                                 env=environment, cwd=work if folder else None, capture_output=True, text=True)
            if run.returncode:
                print(run.stderr[-2000:])
                print(f'{name}: no pictures')
                return 1 if folder else 77
        import numpy as np
        theirs, ours = np.load(files[0]), np.load(files[1])
        bad = [f'{name}: {why}' for name in theirs.files
               for why in [differs(theirs[name], ours[name], name.split()[-1])] if why]
        print('\n'.join(bad))
        print(f'{len(theirs.files)} pictures of mujoco.Renderer, {len(bad)} differ')
        return 1 if bad or not theirs.files else 0


if __name__ == '__main__':
    sys.exit(main())
