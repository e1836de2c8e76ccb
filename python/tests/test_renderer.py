"""Pictures without a screen."""
import numpy as np
import pytest

import cortenforge as cf

SCENE = """<mujoco><visual><headlight ambient='1 1 1'/></visual><worldbody><camera name='eye' pos='0 -4 0' xyaxes='1 0 0 0 0 1'/>
<geom name='box' type='box' size='.5 .5 .5' rgba='1 0 0 1'/></worldbody></mujoco>"""


@pytest.fixture
def renderer():
    m = cf.Model.from_xml_string(SCENE)
    try:
        r = cf.Renderer(m, 60, 80)
    except RuntimeError as error:
        pytest.skip(str(error))
    d = cf.Data(m)
    cf.mj_forward(m, d)
    r.update_scene(d, "eye")
    yield r
    r.close()


def test_colors_depth_and_objects(renderer):
    image = renderer.render()
    assert image.shape == (60, 80, 3) and image[30, 40, 0] > 2 * int(image[30, 40, 1])
    assert image[2, 2].sum() < 30
    renderer.enable_depth_rendering()
    depth = renderer.render()
    assert abs(depth[30, 40] - 3.5) < 0.02 and depth[2, 2] > 10
    renderer.enable_segmentation_rendering()
    objects = renderer.render()
    assert tuple(objects[30, 40]) == (0, cf.mjtObj.mjOBJ_GEOM) and tuple(objects[2, 2]) == (-1, -1)
    renderer.disable_segmentation_rendering()
    assert np.array_equal(renderer.render(), image)


def test_wrong_sizes_and_cameras(renderer):
    with pytest.raises(ValueError, match="does not exist"):
        renderer.update_scene(cf.Data(renderer.model), "nobody")
    with pytest.raises(ValueError, match="out of range"):
        renderer.update_scene(cf.Data(renderer.model), 5)
    with pytest.raises(ValueError, match="offscreen framebuffer"):
        cf.Renderer(renderer.model, 60, 100_000)
    with pytest.raises(ValueError, match="shape"):
        renderer.render(out=np.zeros((3, 3, 3), np.uint8))
    renderer.close()
    renderer.close()
    with pytest.raises(RuntimeError):
        renderer.render()
