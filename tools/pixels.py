#!/usr/bin/env python3
"""Pictures of Gymnasium and dm_control on our library and on MuJoCo's own: the same.

  PYTHON tools/pixels.py build/libmujoco.so.3.5.0

PYTHON is an interpreter with mujoco==3.5.0, gymnasium and dm_control; what it lacks is left out and said.  Draws after some
random steps: every v5 environment of Gymnasium with render_mode rgb_array and depth_array, one task of each domain of
dm_control's suite with its pixels wrapper, and its depth and segments.  Colors may differ by 1 of 255 on average and by 4 in
one of 100 pixels, segments in 0.5 % of the pixels, depth by 1e-4.  Exit status 1 if anything differs, 77 if nothing was drawn.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

STEPS = 10


def draw_gymnasium(pictures):
    import gymnasium
    names = sorted(n for n, s in gymnasium.registry.items() if n.endswith('-v5') and 'mujoco' in str(s.entry_point))
    for name in names:
        for mode in ('rgb_array', 'depth_array'):
            env = gymnasium.make(name, render_mode=mode, width=240, height=180)
            env.reset(seed=1)
            env.action_space.seed(1)
            for _ in range(STEPS):
                env.step(env.action_space.sample())
            pictures[f'gymnasium {name} {mode.split("_")[0]}'] = env.render()
            env.close()


def draw_dm_control(pictures):
    import numpy as np
    from dm_control import suite
    from dm_control.suite.wrappers import pixels
    seen = set()
    for domain, task in suite.ALL_TASKS:
        if domain in seen:
            continue
        seen.add(domain)
        env = suite.load(domain, task, task_kwargs={'random': 1})
        env = pixels.Wrapper(env, render_kwargs={'width': 160, 'height': 120, 'camera_id': 0})
        env.reset()
        spec, random = env.action_spec(), np.random.RandomState(1)
        for _ in range(STEPS):
            time_step = env.step(random.uniform(np.maximum(spec.minimum, -1), np.minimum(spec.maximum, 1), spec.shape))
        name = f'dm_control {domain}.{task}'
        pictures[f'{name} rgb'] = time_step.observation['pixels']
        pictures[f'{name} depth'] = env.physics.render(120, 160, camera_id=-1, depth=True)
        pictures[f'{name} segments'] = env.physics.render(120, 160, camera_id=-1, segmentation=True)


def draw(out):
    import numpy as np
    pictures = {}
    for package, function in (('gymnasium', draw_gymnasium), ('dm_control', draw_dm_control)):
        if importlib.util.find_spec(package):
            function(pictures)
        else:
            print(f'left out: {package} is not installed', file=sys.stderr)
    np.savez(out, **pictures)


def judge(a, b, kind):
    """(is good, text) of two pictures"""
    import numpy as np
    if a.shape != b.shape or a.min() == a.max():
        return False, 'shape, or nothing is drawn'
    off = np.abs(a.astype(float) - b.astype(float))
    if kind == 'depth':
        part = (off > 1e-4 * np.abs(a)).mean()
        return part <= 0.005, f'depth off in {part:.3%} of the pixels'
    if kind == 'segments':
        return (off > 0).mean() <= 0.005, f'{(off > 0).mean():.3%} of the ids differ'
    return off.mean() <= 1 and (off > 4).mean() <= 0.01, f'mean {off.mean():.4f} of 255, beyond 4 {(off > 4).mean():.3%}'


def collect(library, work, package):
    """file with the pictures of one library"""
    files = {}
    shutil.copytree(package, os.path.join(work, 'mujoco'))
    shutil.copy(library, os.path.join(work, 'mujoco', 'libmujoco.so.3.5.0'))
    for name in ('theirs', 'ours'):
        files[name] = os.path.join(work, name + '.npz')
        environment = dict(os.environ, MUJOCO_GL=os.environ.get('MUJOCO_GL', 'egl'))
        if name == 'ours':
            environment['PYTHONPATH'] = work
        subprocess.run([sys.executable, os.path.abspath(__file__), '--draw', files[name]], env=environment, check=True)
    return files


def main():
    if len(sys.argv) < 2 or sys.argv[1] in ('-h', '--help'):
        print(__doc__)
        return 2
    if sys.argv[1] == '--draw':
        return draw(sys.argv[2])
    import numpy as np
    spec = importlib.util.find_spec('mujoco')
    with tempfile.TemporaryDirectory() as work:
        files = collect(os.path.abspath(sys.argv[1]), work, spec.submodule_search_locations[0])
        theirs, ours = np.load(files['theirs']), np.load(files['ours'])
        bad = equal = 0
        for name in theirs.files:
            is_good, text = judge(theirs[name], ours[name], name.split()[-1])
            equal += np.array_equal(theirs[name], ours[name])
            bad += not is_good
            print(f'{"good   " if is_good else "DIFFERS"} {name}: {text}')
    print(f'{len(theirs.files)} pictures, {bad} differ, {equal} equal in every number')
    return 1 if bad else (0 if theirs.files else 77)


if __name__ == '__main__':
    sys.exit(main())
