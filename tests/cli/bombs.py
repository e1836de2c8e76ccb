#!/usr/bin/env python3
"""A few characters may not ask for all of the machine: models that do are refused, with little memory, by a message
that names what is too large.

  bombs.py CORTENFORGE
"""
import os
import resource
import sys
import tempfile

CPU_SECONDS, MEMORY_BYTES = 20, 1 << 30


def world(inside, rest=""):
    return f"<mujoco><worldbody>{inside}</worldbody>{rest}</mujoco>"


def nested(count, depth, inside):
    return f'<replicate count="{count}" offset="1 0 0">' * depth + inside + "</replicate>" * depth


def replicate(count, inside):
    return nested(count, 1, inside)


CABLE = ('<composite type="cable" prefix="c" curve="s" count="{} 1 1" size="1">'
         '<geom type="capsule" size=".005"/></composite>')
GRID = '<flexcomp name="f" type="grid" count="{}" spacing="1 1 1" mass="1" dim="{}"/>'
JOINT = '<body><joint name="j"/><geom size="1"/></body>'
TEXTURE = '<mujoco><asset><texture name="t" type="{}" builtin="flat" width="{}" height="{}"/></asset></mujoco>'
# model, and words of the message
BOMBS = [
    (world(replicate(100000000, '<geom size="1"/>')), "replicate count is too large"),
    (world(replicate(2000000000, "<site/>")), "replicate count is too large"),
    (world(replicate(200000, '<body><freejoint/><geom size="1"/></body>')), "200000 bodies"),
    (world(nested(1000, 3, "<site/>")), "replicate count is too large"),
    (world(nested(1000, 2, '<body><geom size="1"/></body>')), "1000000 bodies"),
    (world(nested(10, 9, "<site/>")), "replicate count is too large"),
    (world(nested(200, 2, "<body>" + nested(200, 2, "<site/>") + "</body>")), "replicate count is too large"),
    (world(replicate(1000, "<frame>" + "<site/>" * 1001 + "</frame>")), "replicate count is too large"),
    (world(replicate(100000, GRID.format("7 7 7", 3))), "replicate count is too large"),
    (world(GRID.format("3000 3000 3000", 3)), "at most 150000 points"),
    (world(GRID.format("30000 30000 1", 2)), "at most 150000 points"),
    (world('<flexcomp name="f" type="grid" dim="3" count="79 79 79" spacing="1 1 1" mass="1" rigid="true"/>'), "at most 150000 points"),
    (world(GRID.format("2000000000 1 1", 1)), "at most 150000 points"),
    (world('<geom type="hfield" hfield="h"/>', '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'), "100000 x 100000 is too large"),
    ('<mujoco><size memory="1000T"/></mujoco>', "1099511627776000 of arena"),
    ('<mujoco><size nuserdata="2000000000"/></mujoco>', "user data"),
    (world(JOINT, '<size nuser_body="2000000000"/>'), "nuser_body"),
    ('<mujoco><size nkey="2000000000"/></mujoco>', "nkey"),
    (world(JOINT, '<size nkey="100000000"/>'), "nkey"),
    (TEXTURE.format("2d", 100000, 100000), "100000 x 100000 is too large"),
    (TEXTURE.format("skybox", 60000, 360000), "60000 x 360000 is too large"),
    (TEXTURE.format("2d", 2000000000, 2000000000), "is too large"),
    (world(JOINT, '<actuator><motor joint="j" delay="1" nsample="2147483647"/></actuator>'), "samples"),
    (world(JOINT, "<actuator>" + '<motor joint="j" delay="1" nsample="16000000"/>' * 50 + "</actuator>"), "histories of delays"),
    (world(JOINT, '<sensor><jointpos joint="j" delay="1" nsample="2147483647"/></sensor>'), "samples"),
    (world("", "<sensor>" + '<user dim="100000000"/>' * 20 + "</sensor>"), "readings of sensors"),
    (world('<camera name="c" resolution="100000 100000"/>', '<sensor><rangefinder camera="c"/></sensor>'), "too many values"),
    (world("", '<asset><mesh name="m" builtin="plate" params="4096 4096"/></asset>'), "mesh resolution"),
    (world("", '<custom><numeric name="n" size="2000000000"/></custom>'), "custom field size"),
    (world("<body>" * 20000 + "</body>" * 20000), "deep"),
    (world('<body><joint name="j" type="slide" range="-1 1"/><geom size=".1"/></body>',
           '<compiler><lengthrange mode="all" interval="1e9" timestep="1e-9" inttotal="1e9"/></compiler>'
           '<actuator><muscle joint="j"/></actuator>'), "1e+18 steps"),
    # many parts that are small enough one by one
    (world("", "<asset>" + '<hfield nrow="5000" ncol="5000" size="1 1 1 1"/>' * 30 + "</asset>"), "5000 x 5000 is too large: all together"),
    ("<mujoco><asset>" + "".join(f'<texture name="t{i}" type="2d" builtin="flat" width="5000" height="5000"/>' for i in range(30))
     + "</asset></mujoco>", "5000 x 5000 is too large: builtin textures"),
    (world(JOINT + "<site/>", '<size nuser_geom="30000000" nuser_site="30000000"/>'), "nuser_site would take"),
    (world(replicate(100000, f'<site name="{"n" * 100000}"/>')), "characters of names"),
    (world(replicate(1000, f'<body><geom size="1" user="{"1 " * 200000}"/></body>')), "characters of names"),
    (world(CABLE.format(1000000)), "count of composite is too large"),
    (world(CABLE.format(10000)), "inertia matrix of a long chain"),
    (world(replicate(1000, CABLE.format(400))), "400000 bodies"),
    (world("<geom " + " ".join(f'a{i}="1"' for i in range(300000)) + "/>"), "more than the 1000"),
    (world('<geom type="mesh" mesh="m"/>', '<asset><mesh name="m" file="polygon.obj"/></asset>'), "more than 4096 corners"),
    (world('<flexcomp name="f" type="mesh" file="polygon.obj" dim="2" mass="1"/>'), "more than 4096 corners"),
]
# what is large and good
GOOD = [world(nested(10, 3, "<site/>")), world(replicate(8000, '<body><geom size="1"/></body>')), world(replicate(0, "<site/>")),
        world(nested(300, 2, '<site/>')), world(replicate(200000, "<camera/>")), world(CABLE.format(300)),
        world("", '<asset><hfield name="h" nrow="2000" ncol="2000" size="1 1 1 1"/></asset>')]


def run(program, text, folder):
    path, out = os.path.join(folder, "model.xml"), os.path.join(folder, "out")
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
        file = os.open(out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.execv(program, [program, "run", path, "--time", "0", "--quiet"])
    _, status, usage = os.wait4(child, 0)
    with open(out, encoding="utf-8", errors="replace") as f:
        return os.waitstatus_to_exitcode(status), usage.ru_maxrss * 1024, f.read()


def main():
    program, failures = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "polygon.obj"), "w", encoding="utf-8") as f:
            f.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf " + "1 2 3 " * 1000000 + "\n")
        for text, phrase in BOMBS + [(text, None) for text in GOOD]:
            status, memory, said = run(program, text, folder)
            wanted = 1 if phrase else 0
            if status != wanted or (phrase and (phrase not in said or memory > MEMORY_BYTES)):
                failures += 1
                print(f"FAILED {text[:150]}: exit status {status}, {memory / 1e6:.0f} MB, '{phrase}' expected in\n  {said[:300]}")
    print(f"{len(BOMBS) + len(GOOD)} models, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
