"""Functions of the C API: arguments of wrong type, length and range are refused before the engine sees them."""
import os
import random

import numpy as np
import pytest

import cortenforge as cf
from cortenforge import _core


def test_results_are_written_in_place(humanoid):
    d = cf.Data(humanoid)
    cf.mj_forward(humanoid, d)
    jacobian = np.zeros((3, humanoid.nv))
    cf.mj_jacBody(humanoid, d, jacobian, None, 3)
    assert np.any(jacobian)
    full = np.zeros((humanoid.nv, humanoid.nv))
    cf.mj_fullM(humanoid, full, d.qM)
    assert np.allclose(full, full.T) and np.all(np.linalg.eigvalsh(full) > 0)
    state = np.zeros(cf.mj_stateSize(humanoid, cf.mjtState.mjSTATE_INTEGRATION))
    cf.mj_getState(humanoid, d, state, cf.mjtState.mjSTATE_INTEGRATION)
    assert state[1] == d.qpos[0]


def test_sizes_follow_from_the_shapes():
    result = np.empty((2, 5))
    a, b = np.arange(6.0).reshape(2, 3), np.arange(15.0).reshape(3, 5)
    cf.mju_mulMatMat(result, a, b)
    assert np.array_equal(result, a @ b)
    vector = np.empty(3)
    cf.mju_mulMatTVec(vector, a, [1, 2])
    assert np.array_equal(vector, a.T @ [1, 2])
    assert cf.mju_norm([3, 4]) == 5


@pytest.mark.parametrize("call", [
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((3, m.nv + 1)), None, 0),
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((m.nv, 3)), None, 0),
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((3, m.nv), np.float32), None, 0),
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((m.nv, 3)).T, None, 0),
    lambda m, d: cf.mj_jacBody(m, d, [[0.0] * m.nv] * 3, None, 0),
    lambda m, d: cf.mj_mulM(m, d, None, np.zeros(m.nv)),
    lambda m, d: cf.mj_mulM(m, d, np.zeros(m.nv), "text"),
    lambda m, d: cf.mju_mulMatMat(np.zeros((2, 2)), np.zeros((2, 3)), np.zeros((2, 3))),
    lambda m, d: cf.mju_sparse2dense(np.zeros((2, 2)), np.zeros(1), [1.5, 0], [0, 0], [0]),
    lambda m, d: cf.mj_name2id(m, 1.5, "torso"),
    lambda m, d: cf.mj_name2id(m, 1, None),
    lambda m, d: cf.mj_ray(m, d, [0, 0], [0, 0, 1], None, 1, -1, np.zeros(1, np.int32), None),
])
def test_wrong_arrays_raise(humanoid, call):
    with pytest.raises(TypeError):
        call(humanoid, cf.Data(humanoid))


@pytest.mark.parametrize("call", [
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((3, m.nv)), None, m.nbody),
    lambda m, d: cf.mj_jacBody(m, d, np.zeros((3, m.nv)), None, -1),
    lambda m, d: cf.mj_contactForce(m, d, 0, np.zeros(6)),
    lambda m, d: cf.mj_setKeyframe(m, d, -1),
    lambda m, d: cf.mju_sparse2dense(np.zeros((2, 2)), np.zeros(1), [1, 0], [0, 0], [2]),
    lambda m, d: cf.mju_sparse2dense(np.zeros((2, 2)), np.zeros(1), [2, 0], [0, 0], [0]),
    lambda m, d: cf.mju_Halton(3, 1),
    lambda m, d: cf.mju_raySkin(1, 1, [[0, 0, 1]], np.zeros((1, 3)), [0, 0, 0], [0, 0, 1], None),
    lambda m, d: cf.mju_band2Dense(np.zeros((2, 2)), np.zeros(4), 2, 3, 0, 1),
])
def test_indices_out_of_range_raise(humanoid, call):
    with pytest.raises(IndexError):
        call(humanoid, cf.Data(humanoid))


KINDS = [getattr(cf, n) for n in ("MjvCamera", "MjvOption", "MjvScene", "MjvPerturb", "MjvGeom", "MjvGLCamera", "MjContact", "MjLROpt",
                                   "MjOption", "MjVisual", "MjrRect", "MjvFigure", "MjSpec")]


def spec_parts():
    """A spec with one element of each kind."""
    import cortenforge.mujoco as mujoco
    spec = mujoco.MjSpec()
    body = spec.worldbody.add_body(name="torso")
    parts = [spec, body, spec.default, body.add_frame(name="frame")]
    parts += [getattr(body, f"add_{k}")(name=k) for k in ("joint", "geom", "site", "camera", "light")]
    parts += [getattr(spec, f"add_{k}")(name=k) for k in ("actuator", "sensor", "flex", "pair", "exclude", "equality", "tendon", "numeric",
                                                          "text", "tuple", "key", "mesh", "hfield", "skin", "texture", "material", "plugin")]
    tendon = parts[4 + 5 + 6]
    return parts + [tendon.wrap_site("site"), tendon.wrap_joint("joint", 1), spec.compiler, body.alt]


def values(m, d, rng):
    """Arguments of all kinds, right and wrong."""
    n = rng.choice([0, 1, 2, 3, 4, 6, 9, m.nv, m.nq, m.nbody, 36])
    kind = rng.choice([np.float64, np.float32, np.int32, np.uint8, np.int64, bool])
    return rng.choice([
        lambda: m, lambda: d, lambda: None, lambda: rng.randint(-3, 12), lambda: rng.choice([2**31, -2**31, 2**70]),
        lambda: rng.uniform(-2, 2), lambda: rng.choice([float("nan"), float("inf"), -0.0, 1e300]), lambda: "torso",
        lambda: "zyx", lambda: b"bytes", lambda: [1, 2, 3], lambda: {}, lambda: np.zeros(n, kind),
        lambda: np.full(n, np.nan), lambda: np.zeros((3, m.nv)), lambda: np.zeros((m.nv, m.nv)), lambda: np.ones((n, n)),
        lambda: np.zeros((2, 2, 2)), lambda: np.zeros((n, 3))[::2], lambda: np.zeros(m.nv), lambda: np.zeros(m.nq),
        lambda: m.opt, lambda: object(), *(lambda kind=kind: kind() for kind in KINDS)])()


RIGHT = {"scn": lambda m: cf.MjvScene(m, 50), "cam": lambda m: cf.MjvCamera(), "opt": lambda m: cf.MjvOption(),
         "pert": lambda m: cf.MjvPerturb(), "vopt": lambda m: cf.MjvOption()}
SILENT = ("mju_print", "mj_print", "mju_writeLog", "mj_save", "mj_load", "mj_setCache", "mj_clearCache", "mjr_",
          "mj_setLengthRange", "mju_strncpy")


def test_fuzzed_calls_raise_or_work(models):
    """Every function, 100 times with random arguments: exceptions are fine, crashes are not. CF_FUZZ_CALLS: more of them."""
    rng = random.Random(int(os.environ.get("CF_FUZZ_SEED", 1)))
    calls = int(os.environ.get("CF_FUZZ_CALLS", 100))
    m = cf.Model.load(models / "humanoid.xml")
    allowed = (TypeError, ValueError, IndexError, OverflowError, cf.FatalError, NotImplementedError, UserWarning)
    worked = 0
    d = cf.Data(m)
    for name in cf._core.functions:
        if name.startswith(SILENT):
            continue
        function = getattr(cf, name)
        names = function.__text_signature__.replace("($module", "").strip("(), ").split(", ")
        for _ in range(calls):
            arguments = []
            for argument in names:
                smart = rng.random() < 0.8
                made = RIGHT.get(argument)
                arguments.append(m if argument == "m" and smart else d if argument == "d" and smart else
                                 made(m) if made and smart else values(m, d, rng))
            try:
                with np.errstate(all="ignore"):
                    function(*arguments)
                worked += 1
            except allowed:
                pass
        cf.mj_resetData(m, d)
    assert worked > 10 * calls


def test_fuzzed_calls_on_specs():
    """Functions of specs with elements of the right and the wrong spec and kind, deleted ones among them."""
    rng = random.Random(int(os.environ.get("CF_FUZZ_SEED", 1)))
    allowed = (TypeError, ValueError, IndexError, OverflowError, AttributeError, cf.FatalError, NotImplementedError, UserWarning)
    names = [n for n in cf._core.functions if n.startswith("mjs_")]
    for _ in range(int(os.environ.get("CF_FUZZ_CALLS", 20))):
        parts, others = spec_parts(), spec_parts()
        for name in rng.sample(names, len(names)):
            count = len([a for a in getattr(cf, name).__text_signature__.split(",") if a.strip(" ()") not in ("", "$module")])
            arguments = [rng.choice(parts) if rng.random() < 0.6 else rng.choice(others) if rng.random() < 0.3 else
                         rng.choice([None, "torso", "", "zyx", -1, 0, 1, 5, 100, 0.5, float("nan"), [1.0], np.zeros(4), b"x"])
                         for _ in range(count)]
            try:
                found = getattr(cf, name)(*arguments)
            except allowed:
                continue
            if isinstance(found, cf.Struct):
                parts.append(found)
        for part in [*parts, *others]:
            for field in (*part._fields, "name", "parent", "frame", "id", "classname"):
                try:
                    value = getattr(part, field, None)
                    setattr(part, field, rng.choice([value, 3, "x", [1, 2], None, [[1], [2, 3]], ["a"], b"q"]))
                except allowed:
                    pass
        for spec in (parts[0], others[0]):
            try:
                spec.compile()
            except allowed:
                pass


def test_structs_refuse_nonsense():
    rng = random.Random(2)
    for name in ("MjOption", "MjvCamera", "MjvGeom", "MjvFigure", "MjvPerturb", "MjVisual", "MjStatistic", "MjContact"):
        s = getattr(cf, name)()
        for field in s._fields:
            for value in (None, "x", 3, 2.5, -1, 2**40, float("nan"), [1, 2], np.zeros(3), s, rng):
                try:
                    setattr(s, field, value)
                except (TypeError, ValueError, AttributeError, OverflowError, IndexError):
                    pass
            getattr(s, field)


def test_every_number_function_of_the_table_is_bound():
    assert len(_core.functions) > 230
    assert {"mj_step", "mj_multiRay", "mjd_transitionFD", "mju_boxQP", "mjv_updateScene", "mjr_render"} <= set(_core.functions)
