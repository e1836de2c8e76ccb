#!/usr/bin/env python3
"""Write random rigid MJCF models, to be run through the conformance comparison.

  random_models.py FOLDER [--count N] [--seed S]       writes FOLDER/r<seed>.xml, one per seed from S on

Every model is a few random trees (all joint types, all primitive geoms, meshes and height fields) with sites, tendons,
equalities, actuators and sensors of all kinds, and options drawn at random. The same seed gives the same model.
Seeds from 1000 on add rarer parts of the grammar: delays of every drive and sensor, limit sensors, regions, tactile and user
sensors, muscle parameters, solver and collision settings, controls and mocap poses in keyframes.
"""
import argparse
import os
import random


class Writer:
    """one model; names are kept by kind so that later sections can refer to them"""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.x = random.Random(seed + 1000000)  # draws of the rarer parts, so that the others stay as they are
        self.rich = seed >= 1000
        self.limited = {'joint': [], 'tendon': []}
        self.names = {k: [] for k in ('body', 'hinge', 'slide', 'ball', 'free', 'site', 'geom', 'mocap', 'fixed',
                                      'spatial', 'actuator', 'cam', 'wrap', 'mesh', 'hfield', 'root')}
        self.count = 0
        self.scale = self.r.choice([1, 1, 1, 0.3, 3])
        self.qpos, self.qvel = [], []  # of the keyframe, in the order of the joints
        self.classes = ['soft', 'heavy'] if self.maybe(0.4) else []

    # ---- numbers
    def num(self, low, high):
        return '%.4g' % self.r.uniform(low, high)

    def vec(self, n, low, high):
        return ' '.join(self.num(low, high) for _ in range(n))

    def maybe(self, p):
        return self.r.random() < p

    def name(self, kind):
        self.count += 1
        label = f'{kind}{self.count}'
        self.names[kind].append(label)
        return label

    def pick(self, *kinds):
        pool = [(k, n) for k in kinds for n in self.names[k]]
        return self.r.choice(pool) if pool else None

    def orient(self, p=0.6):
        if not self.maybe(p):
            return ''
        how = self.r.randrange(4)
        if how == 0:
            return f' euler="{self.vec(3, -180, 180)}"'
        if how == 1:
            return f' quat="{self.vec(4, -1, 1)}"'
        if how == 2:
            return f' axisangle="{self.vec(3, -1, 1)} {self.num(-180, 180)}"'
        return f' zaxis="{self.vec(3, -1, 1)}"'

    # ---- contact and constraint parameters
    def solver(self, prefix=''):
        text = ''
        if self.maybe(0.2):
            text += f' solref{prefix}="' + self.r.choice([f'{self.num(0.004, 0.1)} {self.num(0.2, 2)}',
                                                       f'-{self.num(50, 5000)} -{self.num(1, 200)}']) + '"'
        if self.maybe(0.2):
            low = self.r.uniform(0.1, 0.9)
            text += (f' solimp{prefix}="{low:.3g} {self.r.uniform(low, 0.99):.3g} {self.num(0.0005, 0.05)} '
                     f'{self.num(0.1, 0.9)} {self.r.choice([1, 2, 2, 3, 4.5])}"')
        return text

    def contact(self):
        text = self.solver()
        if self.maybe(0.3):
            text += f' condim="{self.r.choice([1, 3, 4, 6])}"'
        if self.maybe(0.3):
            text += f' friction="{self.num(0.1, 1.5)} {self.num(0.001, 0.1)} {self.num(0.0001, 0.01)}"'
        if self.maybe(0.2):
            text += f' margin="{self.num(0, 0.05)}"'
        if self.maybe(0.1):
            text += f' gap="{self.num(0, 0.02)}"'
        if self.maybe(0.1):
            text += f' priority="{self.r.randrange(3)}"'
        if self.maybe(0.1):
            text += f' solmix="{self.num(0.1, 3)}"'
        if self.maybe(0.1):
            text += f' contype="{self.r.randrange(4)}" conaffinity="{self.r.randrange(4)}"'
        return text

    # ---- bodies
    def size(self, kind):
        s = self.scale
        n = {'sphere': 1, 'capsule': 2, 'cylinder': 2, 'ellipsoid': 3, 'box': 3}[kind]
        return self.vec(n, 0.04 * s, 0.2 * s)

    def geom(self):
        kinds = ['sphere', 'capsule', 'cylinder', 'ellipsoid', 'box'] + (['mesh'] if self.names['mesh'] else [])
        kind = self.r.choice(kinds)
        text = f'<geom name="{self.name("geom")}" type="{kind}"'
        if self.classes and self.maybe(0.2):
            text += f' class="{self.r.choice(self.classes)}"'
        if self.maybe(0.1):
            text += f' group="{self.r.randrange(6)}"' + (' rgba=".2 .5 .7 .4"' if self.maybe(0.5) else ' material="paint"')
        if self.names['mesh'] and kind in ('capsule', 'cylinder', 'ellipsoid', 'box') and self.maybe(0.15):
            return text + f' mesh="{self.r.choice(self.names["mesh"])}"' + self.contact() + '/>'
        if kind == 'mesh':
            text += f' mesh="{self.r.choice(self.names["mesh"])}"'
        elif kind in ('capsule', 'cylinder', 'box', 'ellipsoid') and self.maybe(0.3):
            text += f' fromto="0 0 0 {self.vec(3, -0.3, 0.3)}" size="{self.num(0.03, 0.1)}"'
            if self.maybe(0.3):
                text += f' mass="{self.num(0.05, 3)}"'
            return text + self.contact() + '/>'
        else:
            text += f' size="{self.size(kind)}"'
        if self.maybe(0.5):
            text += f' pos="{self.vec(3, -0.15, 0.15)}"' + self.orient(0.4)
        if self.maybe(0.3):
            text += self.r.choice([f' mass="{self.num(0.05, 3)}"', f' density="{self.num(100, 3000)}"'])
        if self.maybe(0.15) and kind != 'mesh':
            text += ' fluidshape="ellipsoid"' + (f' fluidcoef="{self.vec(5, 0.1, 2)}"' if self.maybe(0.5) else '')
        return text + self.contact() + '/>'

    def joint(self, taken):
        """one joint; `taken` lists the axes of this body, none is used twice: the inertia would be singular"""
        kind = self.r.choice(['hinge', 'hinge', 'hinge', 'slide', 'ball'])
        if kind == 'ball' and taken:
            kind = 'hinge'
        text = f'<joint name="{self.name(kind)}" type="{kind}"'
        self.qpos.append(self.vec(4, -1, 1) if kind == 'ball' else self.num(-0.3, 0.3))
        self.qvel.append(self.vec(3 if kind == 'ball' else 1, -2, 2))
        if self.classes and self.maybe(0.2):
            text += f' class="{self.r.choice(self.classes)}"'
        if kind != 'ball':
            axis = self.r.choice([a for a in ('1 0 0', '0 1 0', '0 0 1', self.vec(3, -1, 1)) if a not in taken])
            taken.append(axis)
            text += f' axis="{axis}"'
        if self.maybe(0.3):
            text += f' pos="{self.vec(3, -0.1, 0.1)}"'
        if self.maybe(0.3):
            if kind == 'ball':
                text += f' range="0 {self.num(10, 120)}"'
            elif kind == 'hinge':
                text += f' range="{self.num(-90, 10)} {self.num(15, 90)}"'
            else:
                text += f' range="{self.num(-0.3, 0.05)} {self.num(0.06, 0.3)}"'
            self.limited['joint'].append(text.split('"')[1])
            text += self.solver('limit') + (f' margin="{self.num(0, 0.1)}"' if self.maybe(0.2) else '')
        if self.maybe(0.4):
            text += f' damping="{self.num(0, 2)}"'
        if self.maybe(0.3):
            text += f' stiffness="{self.num(0, 50)}"'
            if kind != 'ball' and self.maybe(0.5):
                text += f' springref="{self.num(-0.5, 0.5)}"'
        if self.maybe(0.1):
            text += f' springdamper="{self.num(0.05, 0.5)} {self.num(0.2, 1.5)}"'
        if self.maybe(0.3):
            text += f' armature="{self.num(0, 0.2)}"'
        if self.maybe(0.2):
            text += f' frictionloss="{self.num(0, 0.5)}"' + self.solver('friction')
        if kind != 'ball' and self.maybe(0.1):
            text += f' ref="{self.num(-0.3, 0.3)}"'
        if kind != 'ball' and self.maybe(0.1):
            text += f' actuatorfrcrange="-{self.num(0.5, 5)} {self.num(0.5, 5)}"'
        if self.maybe(0.1):
            text += ' actuatorgravcomp="true"'
        return text + '/>'

    def body(self, depth, pos, out):
        root = depth == 0
        kind = self.name('body')
        attributes = f'name="{kind}" pos="{pos}"' + self.orient(0.4)
        if self.maybe(0.15):
            attributes += f' gravcomp="{self.num(0, 1.5)}"'
        if root and self.r.random() < self.sleepy:
            attributes += f' sleep="{self.r.choice(["auto", "never", "allowed"])}"'
        if self.classes and self.maybe(0.2):
            attributes += f' childclass="{self.r.choice(self.classes)}"'
        framed = self.maybe(0.1)
        if framed:
            out.append(f'<frame pos="{self.vec(3, -0.1, 0.1)}"{self.orient(0.7)}>')
        out.append('  ' * depth + f'<body {attributes}>')
        if root and self.maybe(0.5):
            self.qpos.append(self.vec(3, -0.5, 0.5) + ' ' + self.vec(4, -1, 1))
            self.qvel.append(self.vec(6, -1, 1))
            out.append(f'<freejoint name="{self.name("free")}"' + (' align="true"' if self.maybe(0.2) else '') + '/>')
        elif not self.maybe(0.08):
            taken = []
            for _ in range(self.r.choice([1, 1, 1, 2, 2, 3])):
                out.append(self.joint(taken))
                if 'type="ball"' in out[-1]:
                    break
        if self.maybe(0.15):
            i = sorted(self.r.uniform(0.01, 0.2) for _ in range(3))
            i[2] = min(i[2], 0.95 * (i[0] + i[1]))
            full = f'fullinertia="{i[2]:.4g} {i[2]:.4g} {i[2]:.4g} {self.vec(3, -0.003, 0.003)}"'
            plain = f'diaginertia="{i[0]:.4g} {i[1]:.4g} {i[2]:.4g}"{self.orient(0.5)}'
            out.append(f'<inertial pos="{self.vec(3, -0.05, 0.05)}" mass="{self.num(0.2, 3)}" {self.r.choice([full, plain])}/>')
        for _ in range(self.r.choice([1, 1, 1, 2, 3])):
            out.append(self.geom())
        for _ in range(self.r.choice([0, 1, 1, 2])):
            kind = self.r.choice(['sphere', 'box', 'capsule', 'ellipsoid', 'cylinder'])
            out.append(f'<site name="{self.name("site")}" type="{kind}" size="{self.vec(3, 0.05, 0.2)}" '
                       f'pos="{self.vec(3, -0.2, 0.2)}"{self.orient(0.4)}/>')
        if self.maybe(0.1):
            mode = self.r.choice(['fixed', 'track', 'trackcom', 'targetbody', 'targetbodycom'])
            target = f' target="{self.r.choice(self.names["body"])}"' if 'target' in mode else ''
            if not target or target != f' target="{self.names["body"][-1]}"':
                out.append(f'<camera name="{self.name("cam")}" pos="{self.vec(3, -1, 1)}" mode="{mode}"{target}/>')
        if depth < 4:
            for _ in range(self.r.choice([0, 0, 1, 1, 2] if depth else [0, 1, 1, 2])):
                self.body(depth + 1, self.vec(3, -0.3, 0.3), out)
        if self.maybe(0.05):
            out.append(f'<replicate count="{self.r.randrange(2, 4)}" offset="{self.vec(3, -0.1, 0.1)}" euler="0 0 {self.num(0, 90)}">'
                       f'<geom type="sphere" size="0.03" pos="0.1 0 0"/></replicate>')
        if self.maybe(0.05):
            out.append(f'<light pos="{self.vec(3, -1, 1)}" dir="{self.vec(3, -1, 1)}" mode="{self.r.choice(["fixed", "track", "trackcom"])}"/>')
        out.append('  ' * depth + '</body>')
        if framed:
            out.append('</frame>')

    def world(self):
        out = []
        if self.maybe(0.8):
            out.append(f'<geom name="{self.name("geom")}" type="plane" size="5 5 .1"'
                       + (f' euler="{self.num(-10, 10)} {self.num(-10, 10)} 0"' if self.maybe(0.2) else '')
                       + self.contact() + '/>')
        if self.names['hfield'] and self.maybe(0.8):
            out.append(f'<geom name="{self.name("geom")}" type="hfield" hfield="{self.names["hfield"][0]}" pos="0 0 -0.3"'
                       + self.contact() + '/>')
        out.append(f'<site name="{self.name("site")}" pos="{self.vec(3, -1, 1)}"/>')
        if self.maybe(0.3):
            shape = self.r.choice(['sphere', 'cylinder'])
            label = self.name('wrap')
            out.append(f'<geom name="{label}" type="{shape}" size="{self.num(0.05, 0.2)} 0.3" '
                       f'pos="{self.vec(3, -0.3, 0.3)}"{self.orient(0.5)} contype="0" conaffinity="0"/>')
        if self.maybe(0.3):
            out.append(f'<body name="{self.name("mocap")}" mocap="true" pos="{self.vec(3, -0.5, 0.5)}">'
                       f'<geom type="box" size="0.1 0.1 0.1"/></body>')
        for k in range(self.r.choice([1, 1, 2, 2, 3, 4])):
            self.names['root'].append(f'body{self.count + 1}')
            s = self.r.choice([0.15, 0.4, 0.8])
            self.body(0, f'{self.num(-s, s)} {self.num(-s, s)} {self.num(0.05, 0.8)}', out)
        return out

    # ---- what refers to bodies
    def tendons(self):
        out = []
        scalar = self.names['hinge'] + self.names['slide']
        for _ in range(self.r.choice([0, 0, 1, 2])):
            common = ''
            if self.maybe(0.3):
                common += f' stiffness="{self.num(0, 100)}"'
                if self.maybe(0.5):
                    common += f' springlength="{self.num(0, 0.2)} {self.num(0.3, 0.6)}"'
            if self.maybe(0.3):
                common += f' damping="{self.num(0, 3)}"'
            if self.maybe(0.2):
                common += f' frictionloss="{self.num(0, 0.5)}"' + self.solver('friction')
            if self.maybe(0.3):
                common += f' range="{self.num(-0.5, 0.1)} {self.num(0.2, 0.6)}"' + self.solver('limit')
            if self.maybe(0.15):
                common += f' armature="{self.num(0, 0.2)}"'
            if self.maybe(0.1):
                common += f' actuatorfrcrange="-{self.num(0.5, 5)} {self.num(0.5, 5)}"'
            if scalar and self.maybe(0.5):
                joints = self.r.sample(scalar, min(len(scalar), self.r.choice([1, 2, 3])))
                if 'range=' in common.replace('frcrange=', ''):
                    self.limited['tendon'].append(f'fixed{self.count + 1}')
                out.append(f'<fixed name="{self.name("fixed")}"{common}>'
                           + ''.join(f'<joint joint="{j}" coef="{self.num(-2, 2)}"/>' for j in joints) + '</fixed>')
            elif len(self.names['site']) > 2:
                sites = self.r.sample(self.names['site'], self.r.choice([2, 3]))
                parts = [f'<site site="{s}"/>' for s in sites]
                if self.names['wrap'] and self.maybe(0.6):
                    side = f' sidesite="{self.r.choice(self.names["site"])}"' if self.maybe(0.3) else ''
                    parts.insert(1, f'<geom geom="{self.r.choice(self.names["wrap"])}"{side}/>')
                elif len(self.names['site']) > 4 and self.maybe(0.2):
                    other = self.r.sample(self.names['site'], 2)
                    parts.append(f'<pulley divisor="{self.r.choice([1, 2, 4])}"/>')
                    parts += [f'<site site="{s}"/>' for s in other]
                if 'range=' in common.replace('frcrange=', ''):
                    self.limited['tendon'].append(f'spatial{self.count + 1}')
                out.append(f'<spatial name="{self.name("spatial")}"{common}>' + ''.join(parts) + '</spatial>')
        return out

    def equalities(self):
        out = []
        for _ in range(self.r.choice([0, 0, 0, 1, 2])):
            active = ' active="false"' if self.maybe(0.1) else ''
            kind = self.r.choice(['connect', 'weld', 'joint', 'tendon'])
            bodies = self.names['body']
            if kind in ('connect', 'weld') and len(bodies) > 1:
                a, b = self.r.sample(bodies, 2)
                if self.maybe(0.3) and len(self.names['site']) > 1:
                    s, t = self.r.sample(self.names['site'], 2)
                    out.append(f'<{kind} site1="{s}" site2="{t}"{active}{self.solver()}/>')
                elif kind == 'connect':
                    second = f' body2="{b}"' if self.maybe(0.7) else ''
                    out.append(f'<connect body1="{a}"{second} anchor="{self.vec(3, -0.1, 0.1)}"{active}{self.solver()}/>')
                else:
                    second = f' body2="{b}"' if self.maybe(0.7) else ''
                    more = f' torquescale="{self.num(0.1, 3)}"' if self.maybe(0.4) else ''
                    more += f' anchor="{self.vec(3, -0.1, 0.1)}"' if self.maybe(0.3) else ''
                    more += f' relpose="{self.vec(3, -0.2, 0.2)} {self.vec(4, -1, 1)}"' if self.maybe(0.3) else ''
                    out.append(f'<weld body1="{a}"{second}{more}{active}{self.solver()}/>')
            elif kind == 'joint':
                pool = self.names['hinge'] + self.names['slide']
                if pool:
                    a = self.r.choice(pool)
                    others = [j for j in pool if j != a]
                    second = f' joint2="{self.r.choice(others)}"' if others and self.maybe(0.7) else ''
                    out.append(f'<joint joint1="{a}"{second} polycoef="{self.vec(5, -0.5, 0.5)}"{active}{self.solver()}/>')
            elif kind == 'tendon' and not self.sleepy:
                pool = self.names['fixed'] + self.names['spatial']
                if pool:
                    a = self.r.choice(pool)
                    others = [t for t in pool if t != a]
                    second = f' tendon2="{self.r.choice(others)}"' if others and self.maybe(0.5) else ''
                    out.append(f'<tendon tendon1="{a}"{second} polycoef="{self.vec(5, -0.3, 0.3)}"{active}{self.solver()}/>')
        return out

    def transmission(self):
        how = self.r.randrange(8)
        scalar = self.names['hinge'] + self.names['slide']
        tendons = self.names['fixed'] + self.names['spatial']
        turning = self.names['ball'] + self.names['free']
        if how == 0 and tendons:
            return f'tendon="{self.r.choice(tendons)}"', 'tendon'
        if how == 1 and turning:
            return f'joint="{self.r.choice(turning)}" gear="{self.vec(6, -1, 1)}"', 'ball'
        if how == 2 and self.names['site']:
            ref = f' refsite="{self.r.choice(self.names["site"])}"' if self.maybe(0.5) else ''
            return f'site="{self.r.choice(self.names["site"])}"{ref} gear="{self.vec(6, -1, 1)}"', 'site'
        if how == 3 and len(self.names['site']) > 1:
            a, b = self.r.sample(self.names['site'], 2)
            return f'cranksite="{a}" slidersite="{b}" cranklength="{self.num(0.5, 2)}"', 'crank'
        if how == 4 and self.names['body']:
            return f'body="{self.r.choice(self.names["body"])}"', 'body'
        if how == 5 and scalar:
            return f'jointinparent="{self.r.choice(scalar)}"', 'joint'
        if scalar:
            return f'joint="{self.r.choice(scalar)}"', 'joint'
        return None, None

    def actuators(self):
        out = []
        for _ in range(self.r.choice([0, 1, 2, 3, 4])):
            where, kind = self.transmission()
            if not where:
                continue
            if kind == 'body':
                out.append(f'<adhesion name="{self.name("actuator")}" {where} ctrlrange="0 1" gain="{self.num(1, 20)}"/>')
                continue
            text = where
            if 'gear' not in text and self.maybe(0.4):
                text += f' gear="{self.num(-5, 5)}"'
            if self.maybe(0.4):
                text += f' ctrlrange="{self.num(-2, 0)} {self.num(0.1, 2)}"'
            if self.maybe(0.3):
                text += f' forcerange="{self.num(-5, 0)} {self.num(0.1, 5)}"'
            text += f' group="{self.r.randrange(4)}"' if self.maybe(0.2) else ''
            label = f'name="{self.name("actuator")}"'
            shape = self.r.choice(['motor', 'position', 'velocity', 'intvelocity', 'damper', 'cylinder', 'muscle', 'general'])
            if shape == 'motor':
                out.append(f'<motor {label} {text}/>')
            elif shape == 'position':
                more = self.r.choice([f' kv="{self.num(0, 3)}"', f' dampratio="{self.num(0.2, 2)}"', ''])
                more += f' timeconst="{self.num(0.01, 0.5)}"' if self.maybe(0.3) else ''
                out.append(f'<position {label} {text} kp="{self.num(0.5, 30)}"{more}/>')
            elif shape == 'velocity':
                out.append(f'<velocity {label} {text} kv="{self.num(0.1, 5)}"/>')
            elif shape == 'intvelocity':
                out.append(f'<intvelocity {label} {text} kp="{self.num(0.5, 20)}" actrange="{self.num(-1, 0)} {self.num(0.1, 1)}"/>')
            elif shape == 'damper':
                if 'ctrlrange' in text:
                    text = text.replace(text[text.index('ctrlrange'):].split('"')[1], '0 1')
                else:
                    text += ' ctrlrange="0 1"'
                out.append(f'<damper {label} {text} kv="{self.num(0.1, 3)}"/>')
            elif shape == 'cylinder':
                out.append(f'<cylinder {label} {text} timeconst="{self.num(0.1, 1)}" area="{self.num(0.5, 2)}" bias="{self.vec(3, -1, 1)}"/>')
            elif shape == 'muscle' and kind in ('joint', 'tendon'):
                out.append(f'<muscle {label} {text.split(" forcerange")[0]} lengthrange="{self.num(-0.5, 0.1)} {self.num(0.3, 1)}" force="{self.num(1, 50)}"'
                           + (f' tausmooth="{self.num(0.01, 0.3)}"' if self.maybe(0.3) else '') + '/>')
            else:
                dyn = self.r.choice(['none', 'integrator', 'filter', 'filterexact'])
                more = f' dyntype="{dyn}"'
                if dyn != 'none':
                    more += f' dynprm="{self.num(0.02, 0.5)}"'
                    if self.maybe(0.4):
                        more += f' actlimited="true" actrange="{self.num(-1, 0)} {self.num(0.1, 1)}"'
                    if self.maybe(0.3):
                        more += ' actearly="true"'
                more += f' gaintype="{self.r.choice(["fixed", "affine"])}" gainprm="{self.vec(3, -5, 5)}"'
                if self.maybe(0.6):
                    more += f' biastype="affine" biasprm="{self.vec(3, -3, 1)}"'
                if self.maybe(0.15):
                    more += f' delay="{self.r.choice([0.004, 0.01, 0.02])}" nsample="{self.r.choice([3, 12])}"'
                out.append(f'<general {label} {text}{more}/>')
        return out

    def sensors(self):
        out = []
        singles = {'accelerometer': 'site', 'velocimeter': 'site', 'gyro': 'site', 'force': 'site', 'torque': 'site',
                   'magnetometer': 'site', 'rangefinder': 'site', 'touch': 'site'}
        groups = {'jointpos': ('hinge', 'slide'), 'jointvel': ('hinge', 'slide'), 'jointactuatorfrc': ('hinge', 'slide'),
                  'jointlimitpos': ('hinge', 'slide', 'ball'), 'jointlimitvel': ('hinge', 'slide', 'ball'),
                  'jointlimitfrc': ('hinge', 'slide', 'ball'),
                  'ballquat': ('ball',), 'ballangvel': ('ball',), 'tendonpos': ('fixed', 'spatial'),
                  'tendonvel': ('fixed', 'spatial'), 'tendonactuatorfrc': ('fixed', 'spatial'),
                  'tendonlimitpos': ('fixed', 'spatial'), 'tendonlimitvel': ('fixed', 'spatial'),
                  'tendonlimitfrc': ('fixed', 'spatial'),
                  'actuatorpos': ('actuator',), 'actuatorvel': ('actuator',), 'actuatorfrc': ('actuator',),
                  'subtreecom': ('body',), 'subtreelinvel': ('body',), 'subtreeangmom': ('body',)}
        frames = ['framepos', 'framequat', 'framexaxis', 'frameyaxis', 'framezaxis', 'framelinvel', 'frameangvel',
                  'framelinacc', 'frameangacc']
        for _ in range(self.r.choice([0, 2, 5, 8])):
            more = f' cutoff="{self.num(0.1, 10)}"' if self.maybe(0.1) else ''
            more += f' noise="{self.num(0, 0.1)}"' if self.maybe(0.1) else ''
            if self.maybe(0.08):
                more += f' delay="{self.r.choice([0.004, 0.01])}" nsample="8" interp="{self.r.choice(["zoh", "linear", "cubic"])}"'
            how = self.r.randrange(7)
            if how < 2 and self.names['site']:
                out.append(f'<{self.r.choice(list(singles))} site="{self.r.choice(self.names["site"])}"{more}/>')
            elif how < 4:
                kind = self.r.choice(list(groups))
                found = self.pick(*groups[kind])
                if found:
                    key = {'hinge': 'joint', 'slide': 'joint', 'ball': 'joint', 'fixed': 'tendon', 'spatial': 'tendon'}.get(found[0], found[0])
                    if 'limit' in kind:
                        continue
                    out.append(f'<{kind} {key}="{found[1]}"{more}/>')
            elif how == 4:
                kind, found = self.r.choice(frames), self.pick('body', 'site', 'geom')
                ref = self.pick('body', 'site', 'geom')
                tail = f' reftype="{ref[0]}" refname="{ref[1]}"' if self.maybe(0.4) and 'acc' not in kind else ''
                xbody = {'body': self.r.choice(['body', 'xbody'])}.get(found[0], found[0])
                out.append(f'<{kind} objtype="{xbody}" objname="{found[1]}"{tail}{more}/>')
            elif how == 5 and len(self.names['geom']) > 1:
                a, b = self.r.sample(self.names['geom'], 2)
                kind = self.r.choice(['distance', 'normal', 'fromto'])
                out.append(f'<{kind} geom1="{a}" geom2="{b}" cutoff="{self.num(0.1, 2)}"/>')
            else:
                kind = self.r.choice(['e_potential', 'e_kinetic', 'clock', 'contact', 'contact'])
                if kind != 'contact':
                    out.append(f'<{kind}/>')
                elif self.names['geom']:
                    data = ' '.join(w for w in ['found', 'force', 'torque', 'dist', 'pos', 'normal', 'tangent'] if self.maybe(0.6)) or 'found'
                    what = self.r.choice([f'geom1="{self.r.choice(self.names["geom"])}"', f'body1="{self.r.choice(self.names["body"])}"',
                                          f'subtree1="{self.r.choice(self.names["root"])}"', ''])
                    out.append(f'<contact {what} num="{self.r.choice([1, 2, 5])}" data="{data}" '
                               f'reduce="{self.r.choice(["none", "mindist", "maxforce", "netforce"])}"/>')
        return out

    def contacts(self):
        out = []
        geoms, bodies = self.names['geom'], self.names['body']
        for _ in range(self.r.choice([0, 0, 1])):
            if len(geoms) > 1:
                a, b = self.r.sample(geoms, 2)
                more = f' condim="{self.r.choice([1, 3, 4, 6])}"' if self.maybe(0.5) else ''
                more += f' friction="{self.vec(2, 0.2, 1)} {self.num(0.001, 0.02)} {self.vec(2, 0.0001, 0.001)}"' if self.maybe(0.5) else ''
                more += f' solreffriction="{self.num(0.01, 0.05)} 1"' if self.maybe(0.2) else ''
                more += f' margin="{self.num(0, 0.05)}"' if self.maybe(0.3) else ''
                out.append(f'<pair geom1="{a}" geom2="{b}"{more}/>')
        if len(bodies) > 1 and self.maybe(0.2):
            a, b = self.r.sample(bodies, 2)
            out.append(f'<exclude body1="{a}" body2="{b}"/>')
        return out

    def options(self):
        r, text = self.r, ''
        text += f' timestep="{r.choice([0.001, 0.002, 0.002, 0.005, 0.01])}"'
        text += f' solver="{r.choice(["Newton", "Newton", "CG", "PGS"])}"'
        text += f' cone="{r.choice(["pyramidal", "elliptic"])}"'
        text += f' integrator="{r.choice(["Euler", "RK4", "implicit", "implicitfast"])}"'
        text += f' jacobian="{r.choice(["auto", "dense", "sparse"])}"'
        if self.maybe(0.2):
            text += f' impratio="{self.num(0.5, 10)}"'
        if self.maybe(0.2):
            text += f' noslip_iterations="{r.choice([1, 3, 10])}"'
        if self.maybe(0.2):
            text += f' iterations="{r.choice([3, 10, 50])}"'
        if self.maybe(0.1):
            text += f' tolerance="{r.choice(["1e-6", "1e-10", "0"])}"'
        if self.maybe(0.2):
            text += f' density="{self.num(0, 500)}" viscosity="{self.num(0, 0.5)}" wind="{self.vec(3, -2, 2)}"'
        if self.maybe(0.1):
            text += f' gravity="{self.vec(3, -10, 10)}"'
        if self.maybe(0.05):
            text += f' o_margin="{self.num(0, 0.02)}" o_solref="{self.num(0.01, 0.05)} 1"'
        flags = ''
        for flag in ('equality', 'frictionloss', 'limit', 'contact', 'spring', 'damper', 'gravity', 'clampctrl', 'warmstart',
                     'filterparent', 'actuation', 'refsafe', 'sensor', 'midphase', 'eulerdamp', 'nativeccd', 'island'):
            if self.maybe(0.04):
                flags += f' {flag}="disable"'
        for flag in ('override', 'energy', 'fwdinv', 'invdiscrete', 'multiccd'):
            if self.maybe(0.06):
                flags += f' {flag}="enable"'
        if self.sleepy:
            flags += ' sleep="enable"'
            flags = flags.replace(' island="disable"', '')
        return f'<option{text}>' + (f'<flag{flags}/>' if flags else '') + '</option>'

    def assets(self):
        out = []
        for _ in range(self.r.choice([0, 0, 0, 1, 2])):
            points = [[self.r.uniform(-0.15, 0.15) for _ in range(3)] for _ in range(self.r.randrange(5, 20))]
            out.append(f'<mesh name="{self.name("mesh")}" vertex="' + '  '.join(' '.join('%.4f' % x for x in p) for p in points) + '"'
                       + (f' inertia="{self.r.choice(["convex", "legacy", "exact", "shell"])}"' if self.maybe(0.2) else '')
                       + (f' scale="{self.vec(3, 0.5, 1.5)}"' if self.maybe(0.2) else '')
                       + (f' refpos="{self.vec(3, -0.05, 0.05)}" refquat="{self.vec(4, -1, 1)}"' if self.maybe(0.2) else '')
                       + (f' maxhullvert="{self.r.randrange(4, 9)}"' if self.maybe(0.1) else '') + '/>')
        if self.maybe(0.1):
            shape = self.r.choice(['sphere" params="1', 'hemisphere" params="2', 'wedge" params="6 5 60 30 0.2', 'cone" params="8 0.3'])
            out.append(f'<mesh name="{self.name("mesh")}" builtin="{shape}" scale="0.1 0.1 0.1"/>')
        out.append('<texture name="checks" type="2d" builtin="checker" width="16" height="16" rgb1=".1 .2 .3" rgb2=".2 .3 .4"/>')
        out.append('<material name="paint" texture="checks" texrepeat="2 2" reflectance=".2"/>')
        if self.maybe(0.1):
            n = self.r.randrange(4, 9)
            out.append(f'<hfield name="{self.name("hfield")}" nrow="{n}" ncol="{n}" size="1.5 1.5 0.3 0.1" elevation="'
                       + ' '.join(self.num(0, 1) for _ in range(n * n)) + '"/>')
        return out

    def compiler(self):
        text = '' if self.maybe(0.9) else f' eulerseq="{self.r.choice(["xyz", "ZYX", "zxz"])}"'
        for attribute, p in (('fusestatic="true"', 0.08), ('discardvisual="true"', 0.05), ('balanceinertia="true"', 0.05),
                             ('boundmass="0.1"', 0.05), ('boundinertia="0.01"', 0.05), (f'settotalmass="{self.num(1, 20)}"', 0.05),
                             ('inertiafromgeom="true"', 0.1), ('inertiagrouprange="0 2"', 0.05), ('alignfree="true"', 0.05)):
            text += f' {attribute}' if self.maybe(p) else ''
        return f'<compiler{text}/>'

    def defaults(self):
        if not self.classes:
            return []
        return ['<geom condim="4"/>' if self.maybe(0.5) else '<joint damping="0.1"/>',
                f'<default class="soft"><geom solref="{self.num(0.02, 0.1)} 1" friction="0.4"/><joint stiffness="{self.num(0, 5)}"/></default>',
                f'<default class="heavy"><geom density="3000" margin="0.01"/><joint armature="0.1" frictionloss="0.05"/>'
                f'<site size="0.02"/></default>']

    def keyframes(self):
        if not self.maybe(0.5) or not self.qpos:
            return []
        text = f' qpos="{" ".join(self.qpos)}"' if self.maybe(0.6) else ''
        return [f'<key{text} qvel="{" ".join(self.qvel)}"/>']

    def custom(self):
        return [f'<numeric name="number" data="{self.vec(3, -1, 1)}"/>', '<text name="note" data="random"/>'] if self.maybe(0.1) else []

    # ---- rarer parts
    def late(self, p=0.4):
        """delay and sampling of a drive or sensor"""
        if self.x.random() >= p:
            return ''
        return (f' nsample="{self.x.choice([4, 8, 12])}" delay="{self.x.choice([0.002, 0.005, 0.01])}" '
                f'interp="{self.x.choice(["zoh", "linear", "cubic"])}"')

    def rare_actuators(self, actuators):
        """every drive may be late; muscles may have parameters of their own"""
        out = []
        for line in actuators:
            more = '' if 'delay=' in line else self.late()
            if line.startswith('<muscle') and self.x.random() < 0.6:
                u = self.x.uniform
                more += (f' range="{u(0.6, 0.8):.3g} {u(1, 1.2):.3g}" timeconst="{u(0.01, 0.03):.3g} {u(0.04, 0.1):.3g}" scale="{u(100, 300):.4g}" '
                         f'lmin="{u(0.3, 0.6):.3g}" lmax="{u(1.4, 1.8):.3g}" vmax="{u(1, 2):.3g}" fpmax="{u(1, 1.5):.3g}" fvmax="{u(1.1, 1.5):.3g}"')
            out.append(line[:-2] + more + '/>')
        return out

    def rare_sensors(self, world):
        x, out = self.x, []
        # MuJoCo 3.5.0 wants a collision geom at the geom that has the number of the mesh
        everything_collides = not any('contype="0"' in line or 'conaffinity="0"' in line for line in world)
        for what in ('joint', 'tendon'):
            for name in self.limited[what][:3]:
                out.append(f'<{what}limit{x.choice(["pos", "vel", "frc"])} {what}="{name}"{self.late()}/>')
        sites, bodies, geoms = self.names['site'], self.names['body'], self.names['geom']
        if sites:
            site = x.choice(sites)
            out.append(f'<insidesite site="{site}" objtype="body" objname="{x.choice(bodies)}"{self.late()}/>')
            words = [w for w in ('dist', 'dir', 'origin', 'point', 'normal', 'depth') if x.random() < 0.5] or ['dist']
            out.append(f'<rangefinder site="{site}" data="{" ".join(words)}"{self.late()}/>')
            out.append(f'<contact site="{site}" num="2" data="found force"{self.late()}/>')
        if len(bodies) > 1:
            a, b = x.sample(bodies, 2)
            out.append(f'<{x.choice(["distance", "normal", "fromto"])} body1="{a}" body2="{b}" cutoff="{x.uniform(0.2, 2):.3g}"{self.late()}/>')
            out.append(f'<contact body1="{a}" body2="{b}" num="2" data="found dist normal"{self.late()}/>')
            out.append(f'<contact subtree1="{a}" subtree2="world" num="3" data="found pos" reduce="mindist"/>')
        if self.names['mesh'] and geoms and everything_collides:
            out.append(f'<tactile geom="{x.choice(geoms)}" mesh="{x.choice(self.names["mesh"])}"{self.late()}/>')
        out.append(f'<user dim="{x.randrange(1, 5)}" datatype="{x.choice(["real", "positive"])}" needstage="{x.choice(["pos", "vel", "acc"])}"/>')
        out.append(f'<{x.choice(["clock", "e_kinetic", "e_potential"])}{self.late()} interval="{x.choice([0.002, 0.01])}"/>')
        return out

    def rare_options(self, option):
        x, text = self.x, ''
        for name, values in (('magnetic', ['0.1 -0.4 0.2']), ('ls_iterations', [5, 20]), ('ls_tolerance', [0.1, 0.001]), ('ccd_iterations', [20, 60]),
                             ('ccd_tolerance', ['1e-5', '1e-8']), ('noslip_tolerance', ['1e-5', '0']), ('actuatorgroupdisable', [1, '0 2']),
                             ('sleep_tolerance', [0.001, 0.01]), ('o_solimp', ['0.8 0.95 0.01']), ('o_friction', ['0.5 0.4 0.01 0.001 0.001'])):
            if x.random() < 0.25:
                text += f' {name}="{x.choice(values)}"'
        return option.replace('<option', '<option' + text, 1)

    def rare_keys(self, actuators):
        """controls and mocap poses; MuJoCo counts keyframes before it replicates, so such models go without"""
        ctrl = ' '.join('%.3g' % self.x.uniform(0, 1) for _ in actuators)
        text = f' ctrl="{ctrl}"' if actuators else ''
        poses = [' '.join('%.3g' % self.x.uniform(-1, 1) for _ in range(7)).split() for _ in self.names['mocap']]
        if poses:
            text += f' mpos="{" ".join(" ".join(p[:3]) for p in poses)}" mquat="{" ".join(" ".join(p[3:]) for p in poses)}"'
        return [f'<key time="{self.x.uniform(0, 2):.3g}"{text} qvel="{" ".join(self.qvel)}"/>'] if text and self.qvel else []

    def rare_pairs(self, contacts):
        return [line[:-2] + ' solref="0.03 1" solimp="0.8 0.95 0.005" gap="0.001"/>' if line.startswith('<pair') and self.x.random() < 0.5 else line
                for line in contacts]

    def add_rare(self, sections):
        """the sections with the rarer parts added"""
        text = dict(sections)
        text['actuator'] = self.rare_actuators(text['actuator'])
        text['sensor'] = text['sensor'] + self.rare_sensors(text['worldbody'])
        text['contact'] = self.rare_pairs(text['contact'])
        replicated = any('<replicate' in line for line in text['worldbody'])
        text['keyframe'] = [] if replicated else self.rare_keys(text['actuator']) + text['keyframe']
        return list(text.items())

    def text(self):
        self.sleepy = 0.5 if self.maybe(0.12) else 0
        assets = self.assets()
        world = self.world()
        option = self.options()
        sections = [('default', self.defaults()), ('custom', self.custom()), ('asset', assets), ('worldbody', world), ('contact', self.contacts()), ('tendon', self.tendons()),
                    ('equality', self.equalities()), ('actuator', self.actuators()), ('sensor', self.sensors()), ('keyframe', self.keyframes())]
        if self.rich:
            option, sections = self.rare_options(option), self.add_rare(sections)
        compiler = self.compiler()
        if self.rich:  # one such model ends MuJoCo 3.5.0 with a segmentation fault; why was not found out
            compiler = compiler.replace(' fusestatic="true"', '')
        lines = ['<mujoco>', compiler, option, '<size memory="100M"/>']
        for tag, content in sections:
            if content:
                lines += [f'<{tag}>'] + content + [f'</{tag}>']
        return '\n'.join(lines + ['</mujoco>', ''])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('folder')
    p.add_argument('--count', type=int, default=100)
    p.add_argument('--seed', type=int, default=1)
    a = p.parse_args()
    os.makedirs(a.folder, exist_ok=True)
    for seed in range(a.seed, a.seed + a.count):
        with open(os.path.join(a.folder, f'r{seed}.xml'), 'w') as f:
            f.write(Writer(seed).text())


if __name__ == '__main__':
    main()
