"""Elements of a spec that was attached: edits reach the parent, whatever the kind, the way and the moment."""
import pytest

from cortenforge import mujoco

CHILD = """<mujoco><asset><mesh name='me' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/><hfield name='hf' nrow='2' ncol='2' size='1 1 1 1'/>
<texture name='te' type='2d' builtin='flat' width='4' height='4'/><material name='ma' texture='te'/></asset>
<worldbody><body name='b'><joint name='j'/><geom name='g' size='.1'/><geom name='g2' type='mesh' mesh='me'/><site name='s'/>
<camera name='c'/><light name='l'/><body name='b2' pos='0 0 1'><joint name='j2'/><geom name='g3' size='.1'/></body></body></worldbody>
<actuator><motor name='ac' joint='j'/></actuator><sensor><jointpos name='se' joint='j'/></sensor>
<contact><pair name='pa' geom1='g' geom2='g3'/><exclude name='ex' body1='b' body2='b2'/></contact>
<equality><joint name='eq' joint1='j' joint2='j2'/></equality><tendon><fixed name='tn'><joint joint='j' coef='1'/></fixed></tendon>
<custom><numeric name='nu' data='1 2'/><text name='tx' data='hi'/><tuple name='tu'><element objtype='body' objname='b'/></tuple></custom>
<keyframe><key name='k' qpos='0 0'/></keyframe></mujoco>"""
EDITS = {"joints": ("damping", 3), "geoms": ("rgba", [.1, .2, .3, .4]), "sites": ("size", [.3, .3, .3]), "cameras": ("fovy", 33),
         "lights": ("attenuation", [1, 2, 3]), "actuators": ("gear", [5] * 6), "sensors": ("noise", .7), "pairs": ("margin", .3),
         "excludes": ("name", "other"), "equalities": ("solref", [.5, .6]), "tendons": ("stiffness", 4), "numerics": ("data", [7, 8]),
         "texts": ("data", "yo"), "tuples": ("name", "other"), "meshes": ("scale", [2, 2, 2]),
         "hfields": ("size", [3, 3, 3, 3]), "textures": ("width", 8), "materials": ("rgba", [.5, .5, .5, .5])}


def attach(parent, child, way):
    body = parent.worldbody.add_body(name="p")
    if way == "frame":
        parent.attach(child, prefix="x-", frame=body.add_frame())
    elif way == "site":
        parent.attach(child, prefix="x-", site=body.add_site(name="z"))
    else:
        body.add_frame().attach_body(child.body("b"), "x-", "")


def saved(kind, way, moment):
    child, parent = mujoco.MjSpec.from_string(CHILD), mujoco.MjSpec()
    held = list(getattr(child, kind)) if moment == "held before" else None
    attach(parent, child, way)
    if moment != "never":
        attribute, value = EDITS[kind]
        for element in held or getattr(child, kind):
            setattr(element, attribute, value)
    parent.compile()
    return parent.to_xml()


@pytest.mark.parametrize("way", ["frame", "site", "body"])
@pytest.mark.parametrize("kind", EDITS)
def test_edits_after_attaching_reach_the_parent(kind, way):
    before, plain = saved(kind, way, "held before"), saved(kind, way, "never")
    assert before == saved(kind, way, "listed after")
    assert before != plain


@pytest.mark.parametrize("way", ["frame", "site"])
def test_assets_of_a_child_come_along(way):
    cube = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    text = "<mujoco><asset><mesh name='c' file='cube.obj'/></asset><worldbody><body name='b'><geom type='mesh' mesh='c'/></body></worldbody></mujoco>"
    child, parent = mujoco.MjSpec.from_string(text, assets={"cube.obj": cube}), mujoco.MjSpec()
    attach(parent, child, way)
    assert parent.compile().mesh(0).name == "x-c"
