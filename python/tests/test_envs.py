"""Tasks over many worlds: streams, episodes, randomisation, errors; without Gymnasium."""
import math
import pickle
import statistics
import subprocess
import sys

import numpy as np
import pytest

import cortenforge as cf
from cortenforge.envs import Simulation, Streams, Task, make_task, vary
from cortenforge.envs import streams as streams_module

CART = """<mujoco model='cart'><option timestep='0.01'/><worldbody><geom name='floor' type='plane' size='5 5 .1' pos='0 0 -2'/>
<body name='cart'><joint name='slide' type='slide' axis='1 0 0'/><geom name='box' type='box' size='.1 .1 .05' mass='1'/>
<body name='pole'><joint name='hinge' axis='0 1 0' damping='.01'/><geom name='rod' type='capsule' fromto='0 0 0 0 0 .6' size='.03' mass='.1'/>
</body></body></worldbody><actuator><motor name='push' joint='slide' gear='10' ctrlrange='-1 1' ctrllimited='true'/></actuator></mujoco>"""


class Cart(Task):
    xml = CART
    frame_skip = 2
    outputs = "xipos"
    max_episode_steps = 40
    options = {"tilt": 0.4}

    def observe(self, w):
        return w.join(w.qpos, w.qvel)

    def reward(self, w):
        return np.cos(w.qpos[:, 1]), {"height": w.xipos[:, 2, 2].copy()}

    def terminated(self, w):
        return np.abs(w.qpos[:, 1]) > self.tilt

    def reset(self, w, ids):
        w.qpos[ids, 1] = w.streams.uniform(ids, 1, -0.1, 0.1)[:, 0]


def run(simulation, steps=80, seed=3, worlds=None):
    """Observations, rewards and ends over some steps; of worlds that are part of `worlds` with their actions."""
    rng = np.random.default_rng(0)
    rows = [simulation.reset(seed)[0].copy()]
    for _ in range(steps):
        actions = rng.uniform(-1, 1, (worlds or simulation.count, 1))[simulation.first:simulation.first + simulation.count]
        observation, reward, terminated, truncated, _ = simulation.step(actions)
        rows.append(np.hstack([observation, reward[:, None], terminated[:, None], truncated[:, None]]))
    return rows


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


EVERYTHING = [vary.mass(0.8, 1.2), vary.friction(0.5, 1.5), vary.gain(0.9, 1.1), vary.damping(0.5, 2, joints="hinge"), vary.gravity(0.9, 1.1),
              vary.size(0.9, 1.1, geoms="box"), vary.delay(0, 3), vary.push("pole", force=(1, 5), every=(0.1, 0.3), duration=0.05),
              vary.noise(0.01, bias=0.1), vary.parameter("dof_armature", 0.01, 0.1, how="set", log=True)]


# ---- random numbers

def test_uniform_numbers_are_uniform_and_of_each_world_alone():
    many, few = Streams(1000), Streams(3, first=10)
    many.seed(5), few.seed(5)
    a = many.uniform(np.arange(1000), 40, -1, 3)
    assert np.array_equal(a[10:13], few.uniform(np.arange(3), 40, -1, 3))
    assert a.min() >= -1 and a.max() < 3 and abs(a.mean() - 1) < 0.03 and abs(a.var() - 16 / 12) < 0.03
    assert np.abs(np.corrcoef(a[:, 0], a[:, 1])[0, 1]) < 0.15 and np.abs(np.corrcoef(a[0], a[1])[0, 1]) < 0.6
    # numbers do not depend on how they are asked for
    again = Streams(1000)
    again.seed(5)
    parts = [again.uniform(np.array([7]), n, -1, 3) for n in (1, 9, 30)]
    assert np.array_equal(np.hstack(parts)[0], a[7])
    other = Streams(1000, purpose=1)
    other.seed(5)
    assert not np.isin(other.uniform(np.arange(1000), 40, -1, 3), a).any()


def test_normal_numbers_have_the_quantiles_of_the_normal_distribution():
    p = np.concatenate([np.linspace(1e-6, 1 - 1e-6, 2001), [1e-300, 1e-17, 2.0**-54, 1e-9, 1 - 1e-9, 1 - 2.0**-53]])
    exact = np.array([statistics.NormalDist().inv_cdf(x) for x in p])
    assert np.abs(streams_module.normal_quantile(p) - exact).max() < 1e-13 * np.abs(exact).max()
    draw = Streams(100)
    draw.seed(1)
    x = draw.normal(np.arange(100), 1000)
    assert abs(x.mean()) < 0.01 and abs(x.std() - 1) < 0.01 and abs((x**4).mean() - 3) < 0.1


def test_own_logarithm_is_exact_to_rounding():
    x = np.concatenate([np.geomspace(1e-300, 1e300, 5001), 1 + np.linspace(-1e-3, 1e-3, 501), [0.5, 1.0, 2.0, 5e-324]])
    exact = np.array([math.log(v) for v in x])
    assert (np.abs(streams_module.log(x) - exact) <= 4e-16 * np.maximum(np.abs(exact), 1e-3)).all()


def test_integers_cover_their_range():
    draw = Streams(50)
    assert set(draw.integers(np.arange(50), 40, 2, 6).ravel()) == {2, 3, 4, 5}


# ---- bits

@pytest.mark.parametrize("autoreset", ["NextStep", "SameStep"])
def test_bits_do_not_depend_on_worlds_threads_lanes_and_parts(autoreset):
    def simulation(count, **options):
        return Simulation(Cart(randomize=EVERYTHING), count, autoreset=autoreset, max_episode_steps=17, **options)

    whole = run(simulation(9, lanes=1, threads=1))
    assert sum(row[:, 5:].sum() for row in whole[1:]) > 20
    for options in ({"threads": 2}, {"lanes": 4}, {"lanes": 4, "threads": 2}, {"reuse": True}, {"infos": False}):
        try:
            other = simulation(9, **options)
        except ValueError:
            assert "lanes" in options        # a processor without such registers
            continue
        assert same(run(other), whole), options
    for first, count in ((0, 4), (4, 5), (8, 1)):
        part = run(simulation(count, first=first), worlds=9)
        assert all(np.array_equal(x, y[first:first + count]) for x, y in zip(part, whole)), first


def test_seeds_repeat_and_differ():
    s = Simulation(Cart(randomize=EVERYTHING), 4)
    first = run(s)
    assert same(run(s), first) and not same(run(s, seed=4), first)
    assert same(run(s, seed=[3, 4, 5, 6]), first)
    a, _ = s.reset(None)
    b, _ = s.reset(None)
    assert not np.array_equal(a, b)


def test_state_and_pickle_go_on_with_the_same_bits():
    for task in (Cart(randomize=EVERYTHING), make_task("Humanoid-v5") if sys.modules.get("gymnasium") else Cart()):
        s = Simulation(task, 5, max_episode_steps=9)
        s.reset(2)
        rng = np.random.default_rng(1)
        size = (5,) + s.action_low.shape
        for _ in range(13):
            s.step(rng.uniform(-0.4, 0.4, size))
        state = pickle.loads(pickle.dumps(s.get_state()))
        other = Simulation(pickle.loads(pickle.dumps(task)), 5, max_episode_steps=9, threads=2)
        other.set_state(state)
        for _ in range(25):
            actions = rng.uniform(-0.4, 0.4, size)
            a, b = s.step(actions), other.step(actions)
            assert all(np.array_equal(x, y) for x, y in zip(a[:4], b[:4]))


# ---- episodes

def test_rewards_and_ends_are_those_of_a_lone_simulation():
    """Every number of a world beside mj_step of one Data."""
    s = Simulation(Cart(), 3, autoreset="Disabled")
    observation, _ = s.reset(1)
    m = cf.Model.from_xml_string(CART)
    twins = [cf.Data(m) for _ in range(3)]
    for d, row in zip(twins, observation):
        d.qpos[:], d.qvel[:] = row[:2], row[2:]
    rng, live = np.random.default_rng(4), np.ones(3, bool)
    for step in range(40):
        actions = rng.uniform(-1, 1, (3, 1))
        observation, reward, terminated, truncated, infos = s.step(actions)
        for i, d in enumerate(twins):
            d.ctrl[:] = actions[i]
            cf.step(m, d, 2)
            assert np.array_equal(observation[i], [*d.qpos, *d.qvel])
            assert reward[i] == np.cos(d.qpos[1]) and infos["height"][i] == d.xipos[2, 2]
            assert terminated[i] == (abs(d.qpos[1]) > 0.4) and truncated[i] == (step == 39)
        live &= ~(terminated | truncated)
        if not live.all():
            break
    assert not live.all()
    with pytest.raises(RuntimeError, match="episode of world . is over"):
        s.step(actions)


def test_unstable_world_names_its_body_and_the_others_go_on():
    class Weak(Cart):
        def before(self, w):
            if (w.elapsed == 5).all():
                w.qvel[1, 1] = 1e12

    for autoreset in ("NextStep", "SameStep", "Disabled"):
        s, sound = Simulation(Weak(), 3, autoreset=autoreset), Simulation(Cart(), 3, autoreset=autoreset)
        s.reset(0), sound.reset(0)
        for k in range(8 if autoreset != "Disabled" else 6):
            actions = np.zeros((3, 1))
            o, r, terminated, truncated, infos = s.step(actions)
            p = sound.step(actions)
            assert np.array_equal(o[[0, 2]], p[0][[0, 2]]) and np.isfinite(o).all() and np.isfinite(r).all()
            if k == 5:
                told = infos.get("final_info", infos) if autoreset == "SameStep" else infos
                assert terminated.tolist() == [False, True, False] and told["_unstable"].tolist() == [False, True, False]
                assert "'pole'" in told["unstable"][1] and "QVEL" in told["unstable"][1], told["unstable"][1]
            else:
                assert "unstable" not in infos and not terminated.any()


def test_wrong_actions_say_what_is_wrong():
    s = Simulation(Cart(), 3)
    with pytest.raises(RuntimeError, match="reset"):
        s.step(np.zeros((3, 1)))
    s.reset(0)
    for actions, error, text in ((np.zeros((3, 2)), ValueError, r"\(3, 2\), expected \(3, 1\)"), (np.zeros(3), ValueError, "one row per world"),
                                 (np.zeros((3, 1), np.int64), TypeError, "int64, expected float32 or float64"),
                                 (np.array([["a"]] * 3), TypeError, "expected float"), (np.array([[0], [np.nan], [0]]), ValueError, "0 of world 1 is nan"),
                                 (np.array([[0], [0], [np.inf]]), ValueError, "world 2 is inf"), (None, TypeError, "object")):
        before = s.get_state()
        with pytest.raises(error, match=text):
            s.step(actions)
        assert np.array_equal(before["physics"], s.get_state()["physics"])


def test_wrong_arguments_say_what_is_allowed():
    for make, text in ((lambda: Simulation(Cart(), 0), "number of worlds is 0"), (lambda: Simulation(Cart(), 2, autoreset="never"), "'NextStep'"),
                       (lambda: Simulation(Cart(), 2, max_episode_steps=0), "at least 1"), (lambda: Cart(frame_skip=0), "frame_skip"),
                       (lambda: Simulation(Task(), 1), "no model"), (lambda: Simulation(Cart(), 2).reset([1, 2, 3]), "3 seeds")):
        with pytest.raises(ValueError, match=text):
            make()
    for seed, error in ((-1, ValueError), (1.5, TypeError), ("a", TypeError), ([0, -2], ValueError), ([0, 1.5], ValueError)):
        with pytest.raises(error, match="seed"):
            Simulation(Cart(), 2).reset(seed)
    s, t = Simulation(Cart(), 2), Simulation(Cart(), 2)
    assert np.array_equal(s.reset(np.int64(4))[0], t.reset(np.array([4, 5]))[0])
    with pytest.raises(TypeError, match="no option 'tlit'; allowed are frame_skip, randomize, tilt"):
        Cart(tlit=1)
    with pytest.raises(ValueError, match="no task 'Humanoid-v6'.*Humanoid-v5"):
        make_task("Humanoid-v6")

    class Short(Cart):
        def reward(self, w):
            return 1.0
    s = Simulation(Short(), 2)
    s.reset(0)
    with pytest.raises(ValueError, match=r"Short.reward gave shape \(\), expected \(2,\)"):
        s.step(np.zeros((2, 1)))


# ---- what differs between worlds

def vary_one(item, count=50, steps=0):
    s = Simulation(Cart(randomize=[item], tilt=100), count)
    s.reset(1)
    for _ in range(steps):
        s.step(np.ones((count, 1)))
    return s


def test_parameters_follow_their_declarations():
    base = cf.Model.from_xml_string(CART)
    s = vary_one(vary.mass(0.5, 2))
    factor = s.batch.get("body_mass")[:, 1:] / base.body_mass[1:]
    assert factor.min() >= 0.5 and factor.max() < 2 and factor.std() > 0.2 and not np.allclose(factor[:, 0], factor[:, 1])
    assert np.allclose(s.batch.get("body_inertia")[:, 1:] / base.body_inertia[1:], factor[:, :, None])
    # derived constants follow: the bits of a model of its own
    m = cf.Model.from_xml_string(CART)
    d = cf.Data(m)
    m.body_mass[:], m.body_inertia[:] = s.batch.get("body_mass")[7], s.batch.get("body_inertia")[7]
    cf.mj_setConst(m, d)
    cf.mj_setState(m, d, s.batch.get_state(worlds=[7])[0], cf.mjtState.mjSTATE_FULLPHYSICS)
    d.ctrl[:] = 0.5
    cf.step(m, d, 2)
    s.step(np.full((50, 1), 0.5))
    assert np.array_equal(s.worlds.qpos[7], d.qpos) and np.array_equal(s.worlds.qvel[7], d.qvel)
    first = factor.copy()
    s.restart(np.array([3]))
    second = s.batch.get("body_mass")[:, 1:] / base.body_mass[1:]
    assert (second[3] != first[3]).all() and np.array_equal(np.delete(second, 3, 0), np.delete(first, 3, 0))

    s = vary_one(vary.friction(0.5, 1.5, geoms=["box"]))
    friction = s.batch.get("geom_friction")
    assert (friction[:, [0, 2]] == base.geom_friction[[0, 2]]).all() and friction[:, 1, 0].std() > 0.1
    assert (friction[:, :, 1:] == base.geom_friction[:, 1:]).all()
    s = vary_one(vary.parameter("opt.gravity", 1, 2, how="add", columns=None, together=True))
    assert ((s.batch.get("opt.gravity") - base.opt.gravity).min(1) >= 1).all()
    s = vary_one(vary.parameter("dof_armature", 0.01, 1, how="set", rows="hinge", log=True))
    armature = s.batch.get("dof_armature")
    assert (armature[:, 0] == 0).all() and armature[:, 1].min() >= 0.01 and (armature[:, 1] < 0.1).mean() > 0.3
    for rows, columns in ((["box", 0], [0, 1]), (["box", 0], [2, 0, 1]), ("box", [0, 2]), (["box", 0], 1), (None, [0, 2]), (["box", 0], None)):
        s = vary_one(vary.parameter("geom_size", 2, 3, rows=rows, columns=columns))
        ratio = s.batch.get("geom_size") / np.where(base.geom_size == 0, np.nan, base.geom_size)
        expected = np.zeros(base.geom_size.shape, bool)
        for row in range(base.ngeom) if rows is None else [1 if r == "box" else r for r in np.atleast_1d(np.array(rows, object))]:
            expected[row, slice(None) if columns is None else columns] = True
        known = base.geom_size != 0
        assert (ratio[:, known & expected] >= 2).all() and (ratio[:, known & ~expected] == 1).all(), (rows, columns)
    s = vary_one(vary.gain(0.5, 1.5))
    assert np.allclose(s.batch.get("actuator_gainprm")[:, 0, 0].mean(), 1, atol=0.1)


def test_delayed_actions_take_effect_later():
    s = vary_one(vary.delay(0, 3), steps=3)
    late = s.worlds.memory["vary0.late"]
    assert set(late) == {0, 1, 2, 3}
    assert np.array_equal(s.worlds.ctrl[:, 0], (late < 3).astype(float))


def test_pushes_begin_and_end():
    s = vary_one(vary.push("cart", force=(2, 3), every=(0.1, 0.2), duration=0.06))
    forces = []
    for _ in range(39):
        s.step(np.zeros((50, 1)))
        forces.append(np.linalg.norm(s.worlds.xfrc_applied[:, 1, :3], axis=1))
    forces = np.array(forces)
    assert (forces[:4] == 0).all() and (forces > 0).any(0).all()
    assert forces[forces > 0].min() >= 2 - 1e-12 and forces[forces > 0].max() < 3
    # 0.06 s are three steps of 0.02 s
    for world in range(50):
        runs = [len(part) for part in "".join("x" if f else " " for f in forces[:-3, world]).split()]
        assert set(runs[:-1]) <= {3}, runs


def test_noise_is_on_what_is_observed_alone():
    s = Simulation(Cart(randomize=[vary.noise([0, 0.1, 0, 0], bias=[0, 0, 0.5, 0])]), 400)
    o, _ = s.reset(1)
    plain = np.hstack([s.worlds.qpos, s.worlds.qvel])
    error = o - plain
    assert (error[:, [0, 3]] == 0).all() and abs(error[:, 1].std() - 0.1) < 0.02 and abs(error[:, 2].std() - 0.5) < 0.1
    again = s.step(np.zeros((400, 1)))[0] - np.hstack([s.worlds.qpos, s.worlds.qvel])
    assert np.allclose(again[:, 2], error[:, 2]) and abs(np.corrcoef(again[:, 1], error[:, 1])[0, 1]) < 0.2


@pytest.mark.parametrize("make, text", [
    (lambda: vary.mass(0, 1), "positive"), (lambda: vary.mass(2, 1), "in order"), (lambda: vary.friction(0, np.nan), "finite"),
    (lambda: vary.parameter("body_mass", 1, 2, how="times"), "'scale', 'add', 'set'"), (lambda: vary.delay(-1, 2), "integers"),
    (lambda: vary.push("cart", force=(0, 1), every=(0, 1)), "every"), (lambda: vary.push("cart", force=(0, 1), every=(1, 2), duration=0), "duration"),
    (lambda: vary.noise(-1), "at least 0"), (lambda: vary_one(vary.mass(1, 2, bodies="leg")), "no body 'leg'"),
    (lambda: vary_one(vary.parameter("body_weight", 1, 2)), "no such array"), (lambda: vary_one(vary.parameter("body_parentid", 1, 2)), "real numbers"),
    (lambda: vary_one(vary.damping(1, 2, joints="knee")), "no joint 'knee'"), (lambda: vary_one(vary.parameter("geom_size", 1, 2, columns=7)), "out of bounds"),
    (lambda: vary_one(vary.parameter("dof_damping", 1, 2, columns=1)), "no columns"), (lambda: vary_one(vary.push(9, force=(0, 1), every=(1, 2))), "no body 9")])
def test_wrong_declarations_say_what_is_wrong(make, text):
    with pytest.raises(ValueError, match=text):
        make()


def test_package_works_without_gymnasium():
    code = ("import sys; sys.modules['gymnasium'] = None; import importlib.util as u; f = u.find_spec\n"
            "u.find_spec = lambda n, p=None: None if n == 'gymnasium' else f(n, p)\n"
            "import numpy as np, cortenforge.envs as e\n"
            "class T(e.Task):\n"
            "  xml = '<mujoco><worldbody><body><freejoint/><geom size=\".1\"/></body></worldbody></mujoco>'\n"
            "  def observe(self, w): return w.qpos\n"
            "  def reward(self, w): return w.qpos[:, 2]\n"
            "s = e.Simulation(T(), 2); s.reset(0); print(s.step(np.zeros((2, 0)))[1])\n"
            "try: e.VectorEnv\n"
            "except ImportError as x: print(x)\n")
    path = cf.__file__.rsplit("/", 2)[0]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": path})
    assert "needs Gymnasium: pip install" in done.stdout, done.stdout + done.stderr


WRONG = {
    "observe": (lambda self, w: w.qpos[:2], "observe gave shape .2, 2., expected one row for each of 3 worlds"),
    "reward": (lambda self, w: np.where(np.arange(len(w)) == 1, np.nan, 0.0), "reward gave nan for world 1"),
    "terminated": (lambda self, w: np.zeros(2, bool), "terminated gave shape .2,., expected .3,."),
    "info": (lambda self, w: {"a": 3.0}, "'a' for infos has shape .., expected one row for each of 3"),
    "reset": (lambda self, w, ids: w.qpos.__setitem__((ids, 1), np.nan), r"reset gave world 0 a qpos.1. of nan"),
}


@pytest.mark.parametrize("name", WRONG)
def test_functions_of_a_task_that_are_wrong_are_named(name):
    function, message = WRONG[name]
    s = Simulation(type("Wrong", (Cart,), {name: function})(), 3)
    with pytest.raises(ValueError, match="Wrong.*" + message):
        s.reset(0)
        s.step(np.zeros((3, 1)))


def test_options_and_declarations_that_are_wrong_are_named():
    for options, message in (({"tilt": "steep"}, "tilt is 'steep', expected a number as 0.4"), ({"tilt": float("nan")}, "tilt is nan"),
                             ({"tilt": None}, "tilt is None"), ({"tilt": (1, 2)}, "tilt is .1, 2."), ({"frame_skip": float("nan")}, "frame_skip is nan")):
        with pytest.raises((TypeError, ValueError), match=message):
            Cart(**options)
    with pytest.raises(ValueError, match="speed is .1, 2., expected numbers as"):
        make_task("QuadrupedFlat-v0", speed=(1, 2))
    for given in (3, [3], vary.mass(1, 2)):
        with pytest.raises(TypeError, match="Cart: randomize is .*expected a list of what functions of cortenforge.envs.vary"):
            Simulation(Cart(randomize=given), 2)
    with pytest.raises(TypeError, match="name of a task is None"):
        make_task(None)
    s = Simulation(Cart(), 2)
    with pytest.raises(ValueError, match="the state has no 'physics'"):
        s.set_state({})
    s.reset(0)
    with pytest.raises(ValueError, match="rows of different lengths, expected 2 rows of 1 numbers"):
        s.step([[0.0], [0.0, 1.0]])
