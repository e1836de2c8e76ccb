#!/usr/bin/env python3
"""Random editing scripts through the official Python package, on MuJoCo's library and on ours: what the package
lists, every compiled field and every saved text has to agree.

  pyscripts.py LIBRARY [SCRIPTS [FIRST]]

LIBRARY is ours under MuJoCo's file name.  The package is the one beside MUJOCO_REFERENCE_LIB; it is mirrored into a
temporary folder with our library in it.  Each script runs in a process of its own: what MuJoCo does not survive is
counted, not judged.
"""
import difflib
import os
import pickle
import random
import subprocess
import sys
import tempfile
import traceback

CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1)) + "f 1 3 4\nf 1 4 2\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 7 8\nf 3 8 4\nf 1 5 7\nf 1 7 3\nf 2 4 8\nf 2 8 6\n"
MODELS = [
    """<mujoco model="arm"><default><geom size=".1"/><default class="big"><geom size=".2" rgba="1 0 0 1"/><joint damping=".3"/></default></default>
<asset><mesh name="m" file="cube.obj"/><texture name="t" type="2d" builtin="checker" width="4" height="4"/><material name="mat" texture="t"/></asset>
<worldbody><geom name="floor" type="plane" size="1 1 1"/><body name="a" childclass="big" pos="0 0 1"><freejoint name="free"/><geom name="ga" material="mat"/><site name="sa"/>
<frame name="fa" pos=".1 0 0" euler="0 30 0"><body name="b"><joint name="jb" range="-30 40"/><geom name="gb" type="mesh" mesh="m"/><camera name="cb"/></body></frame></body></worldbody>
<actuator><motor name="mb" joint="jb"/></actuator><sensor><gyro name="gy" site="sa"/></sensor></mujoco>""",
    """<mujoco model="legs"><compiler angle="radian" autolimits="false"/><size nkey="2"/><asset><material name="mat" rgba="0 1 0 1"/><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset>
<worldbody><frame name="fw" pos="0 1 0"><geom name="gw" size=".1" material="mat"/><body name="c" euler=".2 0 0"><joint name="jc" range="0 1" limited="true"/><geom name="gc" type="box" size=".1 .2 .3"/>
<body name="d"><joint name="jd" type="slide" axis="1 0 0"/><geom name="gd" size=".1"/><site name="sd"/></body></body></frame><body name="e"><geom name="ge" size=".3"/><light name="le"/></body></worldbody>
<tendon><fixed name="tf"><joint joint="jc" coef="1"/><joint joint="jd" coef="2"/></fixed></tendon><sensor><jointpos name="pos" joint="jc"/><framepos name="fp" objtype="site" objname="sd"/></sensor>
<contact><exclude name="ex" body1="c" body2="e"/><pair name="pa" geom1="gc" geom2="ge"/></contact><equality><weld name="w" body1="d" body2="e"/></equality>
<keyframe><key name="home" qpos=".5 .25"/></keyframe></mujoco>""",
    """<mujoco model="ball"><option timestep=".001"><flag contact="disable"/></option><worldbody><body name="m" mocap="true" pos="1 2 3"><geom name="gm" size=".1"/></body>
<body name="n"><joint name="jn" type="ball"/><geom name="gn" type="cylinder" size=".1 .2"/><site name="s1" pos=".3 0 0"/><inertial pos="0 0 .1" mass="2" diaginertia="1 2 2.5"/></body>
<body name="o" pos="1 0 0"><joint name="jo"/><geom name="go" size=".1"/><site name="s2"/></body></worldbody>
<tendon><spatial name="ts"><site site="s1"/><geom geom="gn"/><site site="s2"/></spatial></tendon><actuator><position name="pt" tendon="ts" kp="3"/><velocity name="vo" joint="jo"/></actuator>
<custom><numeric name="num" data="1 2"/><text name="txt" data="x"/><tuple name="tup"><element objtype="body" objname="n"/></tuple></custom>
<keyframe><key name="k" qpos="1 0 0 0 .3" ctrl=".1 .2" mpos="4 5 6"/></keyframe></mujoco>""",
]
LISTS = ("bodies frames joints geoms sites cameras lights meshes materials textures hfields excludes pairs tendons equalities actuators sensors numerics texts tuples keys").split()
REFUSED = "refused"
# numbers that are edited, by list; those that change what is allowed, or that MuJoCo 3.5.0 forgets, are left out
NUMBERS = {
    "bodies": "pos gravcomp".split(), "joints": "pos stiffness ref springref armature damping frictionloss margin solref_limit".split(), "geoms": "solmix friction density margin gap rgba solref".split(),
    "sites": "pos size rgba".split(), "cameras": "pos fovy ipd".split(), "lights": "pos dir cutoff diffuse".split(), "materials": "rgba shininess emission texrepeat".split(), "textures": "rgb1 rgb2".split(),
    "pairs": "friction margin gap".split(), "tendons": "width stiffness damping springlength rgba armature".split(), "equalities": "solref".split(),
    "actuators": "gear gainprm ctrlrange".split(), "sensors": "noise cutoff".split(), "keys": ["time"], "hfields": ["size"],
}


def worker(seed, mujoco, np):
    """One script; a list of (what was done, text, fields)."""
    rng, log, serial = random.Random(seed), [], [0]

    def say(what, text="", fields=None):
        log.append((what, text, fields))

    def parse():
        k = rng.randrange(len(MODELS))
        return MODELS[k], mujoco.MjSpec.from_string(MODELS[k], assets={"cube.obj": CUBE.encode()})

    def listing(spec):
        return " | ".join(f"{k}: " + " ".join(e.name or "-" for e in getattr(spec, k)) for k in LISTS)

    def named(spec, kind, with_world=False):
        return [e for e in getattr(spec, kind) if e.name and (with_world or e.name != "world")]

    def pick(spec, kind, with_world=False):
        found = named(spec, kind, with_world)
        return rng.choice(found) if found else None

    def fresh():
        serial[0] += 1
        return f"x{serial[0]}"

    def edit(spec, what="edit"):
        kind = rng.choice(sorted(NUMBERS))
        e, field, x = pick(spec, kind), rng.choice(NUMBERS[kind]), rng.randrange(1, 40) / 40
        if e is None:
            return
        value = getattr(e, field)
        try:
            if isinstance(value, float):
                setattr(e, field, x)
            else:
                value[min(1, len(value) - 1)] = x
            answer = ""
        except (TypeError, ValueError) as trouble:
            answer = type(trouble).__name__
        say(f"{what} {kind} {e.name}.{field} = {x}", answer + str(np.round(np.array(getattr(e, field), float), 9).tolist()))

    def add(spec):
        kind, body = rng.randrange(6), pick(spec, "bodies", True)
        name, x = fresh(), rng.randrange(1, 40) / 40
        say(f"add {kind} {name} to {body.name}")
        if kind == 0:
            body.add_geom(name=name, size=[x, x, x], type=mujoco.mjtGeom.mjGEOM_BOX, pos=[x, 0, 0])
        elif kind == 1:
            child = body.add_body(name=name, pos=[0, x, 0])
            child.add_geom(size=[x, 0, 0])
            child.add_joint(name=fresh(), axis=[0, x, 1])
        elif kind == 2:
            body.add_site(name=name, pos=[x, x, 0])
        elif kind == 3:
            body.add_frame(name=name, pos=[0, 0, x])
        elif kind == 4:
            body.add_camera(name=name, fovy=10 + x)
        else:
            target = pick(spec, "joints")
            if target is not None and not spec.keys and target.type not in (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL):
                spec.add_actuator(name=name, target=target.name, trntype=mujoco.mjtTrn.mjTRN_JOINT, gear=[x, 0, 0, 0, 0, 0])
            spec.add_sensor(name=fresh(), type=mujoco.mjtSensor.mjSENS_FRAMEPOS, objtype=mujoco.mjtObj.mjOBJ_BODY, objname=body.name)

    def remove(spec):
        kind = rng.choice("joints sites cameras lights excludes pairs tendons equalities actuators sensors numerics texts keys bodies".split())
        e = pick(spec, kind)
        if e is not None:
            name = e.name
            spec.delete(e)
            # the package says nothing where the library refuses; MuJoCo 3.5.0 has lost its keyframes by then
            if name in [other.name for other in getattr(spec, kind)]:
                say(f"delete {kind} {name}", REFUSED)
                return False
            say(f"delete {kind} {name}")
        return True

    def attach(spec, children):
        text, child = parse()
        children.append(child)
        is_copy = rng.random() < 0.3
        spec.copy_during_attach = is_copy
        prefix, how = fresh() + "/", rng.randrange(4)
        # frames that were compiled once keep their place in MuJoCo 3.5.0
        if how == 2 and rng.random() < 0.3:
            child.compile()
        try:
            if how == 0:
                spec.attach(child, prefix=prefix, frame=spec.worldbody.add_frame(name=fresh(), pos=[0, 0, 1]))
            elif how == 1:
                site = pick(spec, "sites") or spec.worldbody.add_site(name=fresh())
                spec.attach(child, prefix=prefix, site=site)
            elif how == 2:
                spec.worldbody.add_frame(name=fresh()).attach_body(pick(child, "bodies"), prefix, "")
            else:
                spec.worldbody.attach_frame(pick(child, "frames") or child.worldbody.add_frame(name=fresh()), prefix, "")
            answer = ""
        except (ValueError, RuntimeError) as trouble:
            answer = type(trouble).__name__
        # a frame that is attached renames all of its model in MuJoCo 3.5.0
        say(f"attach {how} {text[:25]} copied {is_copy}", answer + (listing(child) if how < 3 else "") + str(sorted(spec.assets)))
        if not answer and not is_copy and how < 3:
            edit(child, "edit through the child")
        spec.copy_during_attach = False

    def compiled(spec):
        # elements that were attached by a body alone name files that the parent does not know
        try:
            if rng.random() < 0.7:
                spec.assets["cube.obj"] = CUBE.encode()
            m = spec.compile()
        except (ValueError, RuntimeError) as trouble:
            say("compile", type(trouble).__name__)
            return None
        fields = {n: np.array(getattr(m, n)) for n in dir(m) if not n.startswith("_") and isinstance(getattr(m, n), (int, float, np.ndarray))}
        # inner nodes of trees carry the geom of an earlier leaf when MuJoCo compiles again
        fields["bvh_nodeid"][(fields["bvh_child"] >= 0).any(axis=1) if m.nbvh else []] = -1
        say("compile", listing(spec), fields)
        return m

    def saved(spec):
        try:
            # written by MuJoCo only for meshes that its cache does not have
            say("to_xml", spec.to_xml().replace(' content_type="model/obj"', ""))
        except (ValueError, RuntimeError, mujoco.FatalError) as trouble:
            say("to_xml", type(trouble).__name__)

    spec, children = parse()[1], []
    for _ in range(rng.randrange(3, 10)):
        what = rng.randrange(10)
        if what < 3:
            attach(spec, children)
        elif what < 5:
            edit(spec)
        elif what < 7:
            add(spec)
        elif what == 7 and not remove(spec):
            return log
        elif what == 8 and pick(spec, rng.choice("bodies joints geoms sites".split())) is not None:
            e, name = pick(spec, "sensors"), fresh()
            if e is not None:
                e.name = name
        say("list", listing(spec))
        if rng.random() < 0.3:
            if compiled(spec) is None:
                return log
            saved(spec)
            if rng.random() < 0.3:
                spec = spec.copy()
                say("copy", listing(spec))
                compiled(spec)
                return log
    if compiled(spec) is not None:
        saved(spec)
    return log


def run_all(first, count, out):
    """Scripts in processes of their own; None for one that was not survived."""
    import mujoco
    import numpy as np
    results = {}
    for seed in range(first, first + count):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            with os.fdopen(write, "wb") as f:
                try:
                    log = worker(seed, mujoco, np)
                except Exception as trouble:  # pylint: disable=broad-except
                    traceback.print_exc(file=sys.stdout)
                    log = [("this test", type(trouble).__name__, {})]
                pickle.dump(log, f)
            sys.stdout.flush()
            os._exit(0)
        os.close(write)
        with os.fdopen(read, "rb") as f:
            data = f.read()
        status = os.waitpid(child, 0)[1]
        results[seed] = pickle.loads(data) if status == 0 else None
    with open(out, "wb") as f:
        pickle.dump(results, f)


def differing(np, a, b):
    """Fields of two compiled models that are not the same numbers."""
    bad = []
    for name in sorted(set(a) | set(b)):
        x, y = a.get(name), b.get(name)
        if name == "signature":
            continue
        if x is None or y is None or x.shape != y.shape or not np.allclose(x.astype(float), y.astype(float), rtol=1e-8, atol=1e-8, equal_nan=True):
            bad.append(name)
    return bad


def judge(np, theirs, ours):
    """What differs first, or None."""
    for k, (what, text, fields) in enumerate(theirs):
        if k >= len(ours):
            return f"{what}: ours ended"
        mine = ours[k]
        if text == REFUSED and mine[0] == what:
            return None
        if mine[0] != what or mine[1] != text:
            lines = list(difflib.unified_diff(text.replace(" | ", "\n").splitlines(), mine[1].replace(" | ", "\n").splitlines(), "theirs", "ours", n=0, lineterm=""))
            return f"{what} / {mine[0]}:\n    " + "\n    ".join(lines[:12])
        if fields is not None:
            bad = differing(np, fields, mine[2])
            if bad:
                return f"{what}: fields {' '.join(bad)}; " + f"{fields.get(bad[0])} and {mine[2].get(bad[0])}"[:300]
    return None if len(ours) == len(theirs) else "ours did more"


def main():
    if sys.argv[1] == "--worker":
        run_all(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
        return 0
    reference = os.environ.get("MUJOCO_REFERENCE_LIB", "")
    package = os.path.dirname(reference)
    python = os.path.join(package, "../../../../bin/python")
    if not os.path.isfile(os.path.join(package, "__init__.py")) or not os.path.exists(python):
        print("skipped: MUJOCO_REFERENCE_LIB is not inside a Python environment")
        return 1 if os.environ.get("CI") == "true" else 77
    ours = os.path.abspath(sys.argv[1])
    count, first = int(sys.argv[2]) if len(sys.argv) > 2 else 60, int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as work:
        mirror = os.path.join(work, "ours", "mujoco")
        os.makedirs(mirror)
        for name in os.listdir(package):
            is_library = name == os.path.basename(reference)
            os.symlink(ours if is_library else os.path.join(package, name), os.path.join(mirror, name))
        files = []
        for path in ("", os.path.dirname(mirror)):
            files.append(os.path.join(work, f"{len(files)}.pickle"))
            env = {**os.environ, "PYTHONPATH": path}
            subprocess.run([python, os.path.abspath(__file__), "--worker", str(first), str(count), files[-1]], env=env, check=True, cwd=work)
        code = ("import pickle, sys, numpy as np; sys.path.insert(0, sys.argv[1]); import pyscripts as p; sys.argv = sys.argv[2:]; p.report(np, *sys.argv)")
        return subprocess.run([python, "-c", code, os.path.dirname(os.path.abspath(__file__)), *files], check=False).returncode


def report(np, their_file, our_file):
    with open(their_file, "rb") as f:
        theirs = pickle.load(f)
    with open(our_file, "rb") as f:
        ours = pickle.load(f)
    ended = failed = models = texts = steps = 0
    for seed, log in theirs.items():
        if log is None:
            ended += 1
            continue
        trouble = "the script cannot be run" if log[0][0] == "this test" else "not survived here" if ours[seed] is None else judge(np, log, ours[seed])
        models += sum(entry[2] is not None for entry in log)
        texts += sum(entry[0] == "to_xml" for entry in log)
        steps += len(log)
        if trouble:
            failed += 1
            if failed <= int(os.environ.get("SHOW", "10")):
                done = "\n".join("  " + entry[0] for entry in log if entry[0] != "list")
                print(f"script {seed}:\n{done}\n  {trouble}")
    print(f"{len(theirs)} scripts, {steps} answers, {models} models and {texts} texts compared; the reference ended {ended}; {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    sys.exit(main())
