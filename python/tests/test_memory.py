"""What outlives what: models, data, batches and their views, freed in every order; views made and dropped again and again.

CF_VIEWS: how many views (100,000; the soak makes 1,000,000).
"""
import copy
import gc
import itertools
import os
import pickle

import numpy as np
import pytest

import cortenforge as cf
from cortenforge import mujoco
from cortenforge.mujoco.batch import Batch as Simulations

SCENE = """<mujoco><worldbody><geom type='plane' size='1 1 1'/><body name='ball' pos='0 0 .09'><freejoint name='free'/><geom name='g' size='.1'/>
<site name='s'/></body></worldbody><actuator><motor joint='free' gear='0 0 1 0 0 0'/></actuator></mujoco>"""


def resident():
    with open("/proc/self/statm", encoding="ascii") as f:
        return int(f.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def stepped():
    m = cf.Model.from_xml_string(SCENE)
    d = cf.Data(m)
    cf.mj_step(m, d)
    return m, d


# kinds of objects, made of a model and its data; each is used after others were freed
KINDS = {
    "model": (lambda m, d: m, lambda x: (x.nq, x.body_mass.sum(), copy.copy(x), repr(x), x.body("ball").mass)),
    "data": (lambda m, d: d, lambda x: (cf.mj_step(x.model, x), copy.copy(x), repr(x), x.joint("free").qpos.sum())),
    "array": (lambda m, d: d.qpos, lambda x: (x.sum(), x.__setitem__(0, 1.0))),
    "rows": (lambda m, d: d.efc_force, lambda x: x.shape),
    "option": (lambda m, d: m.opt, lambda x: (x.timestep, x.gravity.sum(), repr(x))),
    "gravity": (lambda m, d: m.opt.gravity, lambda x: (x.sum(), x.__setitem__(2, -9.0))),
    "contacts": (lambda m, d: d.contact, lambda x: (len(x), [c.dist for c in x], x.dist.sum())),
    "contact": (lambda m, d: d.contact[0], lambda x: (x.geom2, x.frame.sum())),
    "named": (lambda m, d: d.body("ball"), lambda x: (x.xpos.sum(), x.name)),
    "twin": (lambda m, d: d._twin(), lambda x: (x.qvel.sum(), x.model.nv)),
    "batch": (lambda m, d: cf.Batch(m, 3, outputs="xpos"), lambda x: (x.step(), x.qpos.sum(), x.reset([True, False, True]))),
    "worlds": (lambda m, d: cf.Batch(m, 3).qvel, lambda x: (x.sum(), x.__setitem__(0, 1.0))),
    "masses": (lambda m, d: cf.Batch(m, 3).body_mass, lambda x: (x.sum(), x.__setitem__(0, 1.0))),
    "tensor": (lambda m, d: np.from_dlpack(cf.Batch(m, 3).dlpack("qpos")), lambda x: (x.sum(), x.__setitem__(0, 1.0))),
    "simulations": (lambda m, d: Simulations(m, 3), lambda x: (x.step(nstep=2), x.bind("xpos").sum(), x.jac("site", "s"))),
    "rows of simulations": (lambda m, d: Simulations(m, 3).bind("qpos"), lambda x: (x.sum(), x.__setitem__(0, 1.0))),
    "scene": (lambda m, d: cf.MjvScene(m, 20), lambda x: (x.ngeom, x.geoms[0].pos.sum())),
    "spec": (lambda m, d: mujoco.MjSpec.from_string(SCENE), lambda x: (x.compile().nq, x.body("ball").name)),
    "element": (lambda m, d: mujoco.MjSpec.from_string(SCENE).body("ball"), lambda x: (x.name, x.pos.sum(), x.add_geom(size=[1]))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_outlives_model_and_data(kind):
    make, use = KINDS[kind]
    m, d = stepped()
    x = make(m, d)
    del m, d
    gc.collect()
    junk = [cf.Data(cf.Model.from_xml_string(SCENE)) for _ in range(5)]  # takes freed memory
    use(x)
    del junk
    use(x)


def test_every_order_of_freeing():
    rng = np.random.default_rng(0)
    names = list(KINDS)
    for order in itertools.permutations(range(4)):
        chosen = rng.choice(len(names), 4, replace=False)
        m, d = stepped()
        alive = {i: KINDS[names[k]][0](m, d) for i, k in enumerate(chosen)}
        del m, d
        for i in order:
            del alive[i]
            gc.collect(0)
            for k, x in alive.items():
                KINDS[names[chosen[k]]][1](x)


def make_and_drop(m, d, batch, n):
    for _ in range(n // 10):
        twin = d._twin()
        _ = twin.qpos, twin.xpos, twin.contact, twin.model.opt, twin.efc_J, twin.model.geom_size
        _ = twin.contact[0].pos, twin.contact.dist
        batch.view("qpos"), batch.view("xpos")


def test_views_leave_nothing_behind():
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the sanitizer keeps freed memory")
    m, d = stepped()
    batch = cf.Batch(m, 2, outputs="xpos")._core
    count = int(os.environ.get("CF_VIEWS", 100_000))
    make_and_drop(m, d, batch, 20_000)
    gc.collect()
    before = resident()
    make_and_drop(m, d, batch, count)
    gc.collect()
    # 16 bytes for each view would be 1.6 MB of 100,000
    assert resident() - before < 1_000_000


@pytest.mark.parametrize("make", [
    lambda m, d: copy.deepcopy(d), lambda m, d: pickle.loads(pickle.dumps(d)), lambda m, d: copy.copy(m), lambda m, d: cf.Data(m),
    lambda m, d: cf.Batch(m, 4), lambda m, d: Simulations(m, 4), lambda m, d: m.body("ball").mass, lambda m, d: d.body("ball").xpos,
    lambda m, d: mujoco.MjSpec.from_string(SCENE).compile(), lambda m, d: cf.MjvScene(m, 100), lambda m, d: cf.build(m)])
def test_objects_leave_nothing_behind(make):
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        pytest.skip("the sanitizer keeps freed memory")
    m, d = stepped()
    for _ in range(30):
        make(m, d)
    gc.collect()
    before = resident()
    for _ in range(120):
        make(m, d)
    gc.collect()
    assert resident() - before < 2_000_000


def test_a_batch_is_used_by_one_thread_at_a_time():
    m, _ = stepped()
    import threading
    batch, errors = cf.Batch(m, 64), []

    def work():
        for _ in range(50):
            try:
                batch.step(5)
            except RuntimeError as error:
                errors.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert all("another thread" in e for e in errors)
    assert batch.status["steps"].max() == 5 * (150 - len(errors))
