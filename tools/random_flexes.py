#!/usr/bin/env python3
"""Random scenes of soft bodies, as MJCF files.

  tools/random_flexes.py FOLDER [COUNT] [SEED]

Flexes of dimension 1, 2 and 3 on bodies or interpolated, with every kind of force and constraint, above geoms of every type, above
each other, self-collision in all ways. No height fields: MuJoCo does not set the margin of their columns where these meet an element,
and what it finds depends on what was in memory. CG and PGS make five iterations: what rounding does to a hundred of them is not
specified, and MuJoCo itself differs after a change of the state by 1e-14. Meant for comparisons with the reference, step by step from
its state, without allowance for noise:

  build/cortenforge compare FOLDER --strict --steps 60
"""
import os, random, sys

GEOMS = {
    'sphere': 'size="{0:.3f}"', 'capsule': 'size="{0:.3f} {1:.3f}"', 'ellipsoid': 'size="{0:.3f} {1:.3f} {2:.3f}"',
    'cylinder': 'size="{0:.3f} {1:.3f}"', 'box': 'size="{0:.3f} {1:.3f} {2:.3f}"', 'mesh': 'mesh="wedge"',
}
ASSETS = '''  <asset>
    <mesh name="wedge" vertex="0 0 0  .12 0 0  0 .12 0  0 0 .12  .06 .06 .08"/>
  </asset>
'''


def numbers(r, low, high, n):
    return ' '.join(f'{r.uniform(low, high):.4f}' for _ in range(n))


def margins(r):
    return f'margin="{r.choice([0, .004])}" gap="{r.choice([0, .001])}"'


def geom(r, place):
    kind = r.choice(list(GEOMS))
    size = GEOMS[kind].format(r.uniform(.03, .09), r.uniform(.03, .09), r.uniform(.03, .09))
    return f'<geom type="{kind}" {size} {place} condim="{r.choice([1, 3])}" priority="{r.choice([0, 0, 1])}" ' \
           f'friction="{numbers(r, .1, 1, 1)}" {margins(r)}/>'


def flex(r, index, height):
    dim = r.choice([1, 2, 2, 3, 3])
    count = {1: f'{r.randint(4, 12)} 1 1', 2: f'{r.randint(3, 6)} {r.randint(3, 6)} 1', 3: '3 3 {}'.format(r.randint(2, 4))}[dim]
    dof = r.choice(['', '', '', ' dof="trilinear"']) if dim == 3 and count == '3 3 4' else ''
    young, held = r.choice([200, 1000, 5000]), r.random() < .3 and not dof
    # what the compiler refuses: interpolated flexes that meet themselves, turned surfaces with strain constraints
    own = 'none' if dof else r.choice(['none', 'narrow', 'bvh', 'sap', 'auto'])
    strains, turn = held and dim == 2 and r.random() < .5, numbers(r, -20, 20, 3)
    inner = f'<contact selfcollide="{own}" internal="{r.choice(["true", "false"])}" ' \
            f'activelayers="{r.randint(1, 3)}" {margins(r)} ' \
            f'condim="{r.choice([1, 3])}" solmix="{r.uniform(.5, 2):.2f}" passive="{r.choice(["false", "false", "false", "true"])}"/>'
    if dim == 1:
        inner += f'<edge stiffness="{r.choice([50, 200])}" damping="{r.choice([0, .1])}"/>' if not held else '<edge equality="true"/>'
    elif held:
        inner += f'<edge equality="{"vert" if strains else "true"}" damping="{r.choice([0, .01])}"/>'
    if dim == 2:
        kind = 'bend' if held else r.choice(['bend', 'stretch', 'both'])
        inner += f'<elasticity young="{young}" poisson="{r.uniform(0, .3):.2f}" thickness=".01" elastic2d="{kind}" ' \
                 f'damping="{r.choice([0, .0005])}"/>'
    elif dim == 3 and not held:
        inner += f'<elasticity young="{young}" poisson="{r.uniform(0, .3):.2f}" damping="{r.choice([0, .0005])}"/>'
    return f'<flexcomp name="f{index}" type="grid" count="{count}" spacing=".06 .06 .06" dim="{dim}" radius="{r.uniform(.004, .015):.4f}" ' \
           f'mass="{r.uniform(.2, 1):.2f}" pos="{numbers(r, -.05, .05, 2)} {height:.3f}" euler="{"0 0 0" if strains else turn}"{dof}>{inner}</flexcomp>'


def scene(seed):
    r = random.Random(seed)
    solver = r.choice(['Newton', 'Newton', 'CG', 'PGS'])
    ground = '<geom type="plane" size="2 2 .1"/>'
    rows = [f'<mujoco model="soft {seed}">', f'  <option timestep="0.001" integrator="{r.choice(["Euler", "implicitfast", "implicit"])}" '
            f'solver="{solver}" iterations="{100 if solver == "Newton" else 5}" cone="{r.choice(["pyramidal", "elliptic"])}" '
            f'jacobian="{r.choice(["auto", "dense", "sparse"])}"><flag midphase="{r.choice(["enable", "enable", "disable"])}"/></option>', '  <size memory="200M"/>', ASSETS.rstrip(), '  <worldbody>', '    ' + ground]
    for _ in range(r.randint(2, 5)):
        rows.append('    ' + geom(r, f'pos="{numbers(r, -.15, .15, 2)} {r.uniform(.02, .1):.3f}" euler="{numbers(r, 0, 90, 3)}"'))
    for k in range(r.randint(1, 2)):
        rows.append('    ' + flex(r, k, .15 + .12 * k))
    rows.append(f'    <body pos="{numbers(r, -.05, .05, 2)} .36"><freejoint/>{geom(r, "")}</body>')
    return '\n'.join(rows + ['  </worldbody>', '</mujoco>', ''])


def main():
    folder = sys.argv[1]
    count, seed = int(sys.argv[2]) if len(sys.argv) > 2 else 20, int(sys.argv[3]) if len(sys.argv) > 3 else 0
    os.makedirs(folder, exist_ok=True)
    for k in range(seed, seed + count):
        with open(os.path.join(folder, f'soft{k:05d}.xml'), 'w') as out:
            out.write(scene(k))


if __name__ == '__main__':
    main()
