#!/usr/bin/env python3
"""Broken inputs and what the command line says about them, word for word: what is wrong, where, what is allowed, and
what to do.  tests/data/messages.txt holds the messages as they were reviewed.

  messages.py CORTENFORGE GOLDEN [--update]
"""
import difflib
import os
import subprocess
import sys
import tempfile

HAND = """<mujoco model="hand">
  <worldbody>
    <body name="palm" pos="0 0 1">
      <joint name="wrist" axis="0 1 0"/>
      <geom name="palm" type="box" size=".1 .1 .02"/>
      <site name="grip"/>
    </body>
  </worldbody>
  <actuator>
    <motor name="twist" joint="wrist" ctrlrange="-1 1"/>
  </actuator>
</mujoco>
"""
ROBOT = """<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><mesh filename="package://arm_description/meshes/upper.stl"/></geometry></collision>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-1" upper="1"/>
  </joint>
</robot>
"""
SQUARE = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n"


def edit(before, after, text=HAND):
    assert text.count(before) == 1, before
    return text.replace(before, after)


def hand(inside="", rest=""):
    """The hand with more elements in its palm, and after the actuators."""
    return edit("</actuator>", "</actuator>" + rest, edit("<site name=\"grip\"/>", "<site name=\"grip\"/>" + inside))


def mesh(attributes):
    return f"<mujoco>\n  <asset>\n    <mesh name=\"part\" {attributes}/>\n  </asset>\n  <worldbody>\n    <geom type=\"mesh\" mesh=\"part\"/>\n  </worldbody>\n</mujoco>\n"


# a model that cannot be read or compiled
MODELS = {
    "a tag that is not closed": edit("</body>", ""),
    "a quote that is not closed": edit('pos="0 0 1"', 'pos="0 0 1'),
    "an empty file": "",
    "another kind of XML": "<svg width='10'/>",
    "an unknown element": hand("<gemo size='1'/>"),
    "an element in the wrong place": hand("<motor joint='wrist'/>"),
    "an unknown attribute": edit('axis="0 1 0"', 'axsi="0 1 0"'),
    "an attribute of a later MuJoCo": hand("<geom size='.1' surfacevel='1 0 0'/>"),
    "an unknown word": edit('type="box"', 'type="cube"'),
    "a word for a number": edit('pos="0 0 1"', 'pos="0 0 high"'),
    "too few numbers": edit('axis="0 1 0"', 'axis="0 1"'),
    "too many numbers": edit('axis="0 1 0"', 'axis="0 1 0 0"'),
    "a number that is too large": edit('size=".1 .1 .02"', 'size=".1 .1 1e400"'),
    "a missing attribute": hand("<inertial mass='1'/>"),
    "an axis of no length": edit('axis="0 1 0"', 'axis="0 0 0"'),
    "a quaternion of no length": edit('pos="0 0 1"', 'quat="0 0 0 0"'),
    "two orientations": edit('pos="0 0 1"', 'quat="1 0 0 0" euler="0 0 1"'),
    "a size of no extent": edit('size=".1 .1 .02"', 'size=".1 .1 0"'),
    "a range turned around": edit('ctrlrange="-1 1"', 'ctrlrange="1 -1" ctrllimited="true"'),
    "a joint that is not there": edit('joint="wrist"', 'joint="wirst"'),
    "a class that is not there": edit('name="wrist"', 'name="wrist" class="stiff"'),
    "a material that is not there": edit('type="box"', 'type="box" material="steel"'),
    "a sensor of a site that is not there": hand(rest="<sensor><touch site='grib'/></sensor>"),
    "an exclusion of a body that is not there": hand(rest="<contact><exclude body1='palm' body2='plam'/></contact>"),
    "a name that is repeated": hand("<geom name='palm' size='.1'/>"),
    "a moving body without mass": edit('<geom name="palm" type="box" size=".1 .1 .02"/>', ""),
    "a free joint below another body": hand("<body><freejoint/><geom size='.1'/></body>"),
    "inertia of no body": edit('<site name="grip"/>', '<inertial pos="0 0 0" mass="1" diaginertia="1 1 9"/>'),
    "a keyframe of another model": hand(rest="<keyframe><key qpos='0 1 2'/></keyframe>"),
    "a tendon without a path": hand(rest="<tendon><spatial name='cord'/></tendon>"),
    "several errors at once": edit('axis="0 1 0"', 'axsi="0 1 0"', edit('type="box"', 'type="cube"', edit('joint="wrist"', 'jiont="wrist"'))),
    "an include that is not there": hand(rest="<include file='fingers.xml'/>"),
    "an include of itself": hand(rest="<include file='model.xml'/>"),
    "a mesh file that is not there": mesh('file="part.stl"'),
    "a mesh of an unknown format": mesh('file="part.ply"'),
    "a mesh that is flat": mesh('file="flat.obj"'),
    "a mesh whose folder is not there": edit("<asset>", "<compiler meshdir=\"meshes\"/>\n  <asset>", mesh('file="part.stl"')),
    "a mesh file in other letters": mesh('file="flat.OBJ"'),
    "a mesh file that is cut": mesh('file="cut.stl"'),
    "a texture that is no PNG": '<mujoco>\n  <asset>\n    <texture name="skin" type="2d" file="skin.png"/>\n  </asset>\n</mujoco>\n',
    "a height field without data": '<mujoco>\n  <asset>\n    <hfield name="hill" size="1 1 1 1"/>\n  </asset>\n</mujoco>\n',
    "a plugin that is not there": '<mujoco>\n  <extension>\n    <plugin plugin="acme.spring"/>\n  </extension>\n</mujoco>\n',
    "a gain model that is not there": edit('<motor name="twist" joint="wrist" ctrlrange="-1 1"/>', '<general joint="wrist" gaintype="custom" cortenforge:gain_model="dc_moter"/>'),
    "a contact solver that is not there": hand(rest='<option cortenforge:solver="xpdb"/>'),
    "far too many copies": hand('<replicate count="100000000"><geom size=".1"/></replicate>'),
    "a joint in a URDF of no kind": edit('type="revolute"', 'type="hinge"', ROBOT),
    "a URDF with a parent that is not there": edit('parent link="base"', 'parent link="torso"', ROBOT),
}
# what a command is asked for: words after `cortenforge`, files beside model.xml
COMMANDS = {
    "no model of that name": (["info", "modle.xml"], {}),
    "a folder": (["info", "folder"], {}),
    "a URDF whose mesh is nowhere": (["info", "urdf/robot.urdf"], {"urdf/robot.urdf": ROBOT}),
    "an MJB that is none": (["info", "model.mjb"], {"model.mjb": "no model"}),
    "an unknown command": (["rnu", "model.xml"], {}),
    "an unknown option": (["run", "model.xml", "--tmie", "1"], {}),
    "an option without its value": (["run", "model.xml", "--time"], {}),
    "a duration that is no number": (["run", "model.xml", "--time", "1s"], {}),
    "a keyframe that is not there": (["run", "model.xml", "--key", "home"], {}),
    "a signal that is not there": (["run", "model.xml", "--plot", "qpos:wirst"], {}),
    "a kind of signal that is not there": (["run", "model.xml", "--plot", "qqos"], {}),
    "controls of no kind": (["run", "model.xml", "--ctrl", "nosie"], {}),
    "controls of a keyframe that is not there": (["run", "keys.xml", "--ctrl", "keyframe:hoem"], {"keys.xml": "<mujoco><keyframe><key name='home'/></keyframe></mujoco>"}),
    "a table of controls of another model": (["run", "model.xml", "--ctrl", "csv:ctrl.csv"], {"ctrl.csv": "0,1,2\n"}),
    "a preset that is not there": (["run", "model.xml", "--preset", "animaton"], {}),
    "a contact solver that is not there, chosen": (["run", "model.xml", "--contact-solver", "xpdb"], {}),
    "a gain model that is not there, chosen": (["run", "model.xml", "--gain", "twist=dc_moter"], {}),
    "a gain of an actuator that is not there": (["run", "model.xml", "--gain", "twits=fixed"], {}),
    "an integrator that is not there": (["run", "model.xml", "--integrator", "rk4"], {}),
    "a plugin file that is not there": (["run", "model.xml", "--plugin", "acme.so"], {}),
    "a plugin file that is no library": (["run", "model.xml", "--plugin", "model.xml"], {}),
    "a camera that is not there": (["render", "model.xml", "--camera", "front"], {}),
    "a picture of another format": (["render", "model.xml", "--out", "picture.jpg"], {}),
    "a size that is none": (["render", "model.xml", "--size", "640"], {}),
    "a parameter of worlds that is not there": (["batch", "model.xml", "--worlds", "2", "--steps", "1", "--randomize", "draw.txt"], {"draw.txt": "body_mas scale 1 2\n"}),
    "a rule of worlds that is none": (["batch", "model.xml", "--worlds", "2", "--steps", "1", "--randomize", "draw.txt"], {"draw.txt": "body_mass times 1 2\n"}),
    "worlds to a file of no kind": (["batch", "model.xml", "--worlds", "2", "--steps", "1", "--out", "worlds.dat"], {}),
    "lanes that do not exist": (["batch", "model.xml", "--lanes", "3"], {}),
    "MJCF of a binary": (["compile", "model.mjb", "copy.xml"], {"model.mjb": ""}),
    "a file of no kind to compile to": (["compile", "model.xml", "model.json"], {}),
    "an element of no schema": (["schema", "joitn"], {}),
    "a shell that is none": (["completion", "csh"], {}),
}


def run(program, words, files):
    with tempfile.TemporaryDirectory() as here:
        os.makedirs(os.path.join(here, "folder"))
        os.makedirs(os.path.join(here, "urdf"))
        beside = {"model.xml": HAND, "flat.obj": SQUARE, "cut.stl": "\0" * 80 + "\5\0\0\0", "skin.png": "no picture", "part.ply": "ply\n", **files}
        for name, text in beside.items():
            with open(os.path.join(here, name), "w", encoding="utf-8") as f:
                f.write(text)
        p = subprocess.run([program, *words], cwd=here, capture_output=True, text=True, errors="replace", timeout=120, check=False, env={**os.environ, "LC_ALL": "C"})
        return p.returncode, p.stderr.replace(here, "HERE")


def main():
    program, golden = os.path.abspath(sys.argv[1]), sys.argv[2]
    cases = [(name, ["info", "model.xml"], {"model.xml": text}) for name, text in MODELS.items()]
    cases += [(name, words, files) for name, (words, files) in COMMANDS.items()]
    text, silent = "", 0
    for name, words, files in cases:
        status, said = run(program, words, files)
        said = "\n".join(line.rstrip() for line in said.rstrip().splitlines())
        silent += status not in (1, 2, 3) or not said
        text += f"# {name}\n$ cortenforge {' '.join(words)}\nexit status {status}\n{said}\n\n"
    if "--update" in sys.argv:
        with open(golden, "w", encoding="utf-8") as f:
            f.write(text)
    with open(golden, encoding="utf-8") as f:
        reviewed = f.read()
    for line in difflib.unified_diff(reviewed.splitlines(), text.splitlines(), "reviewed", "said", lineterm=""):
        print(line)
    print(f"{len(cases)} broken inputs, {silent} without a message, {'as' if text == reviewed else 'NOT as'} reviewed")
    return 1 if silent or text != reviewed else 0


if __name__ == "__main__":
    sys.exit(main())
