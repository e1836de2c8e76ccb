"""Training: gradients, advantages, bits of runs that are repeated and resumed, recordings, the command."""
import csv
import os
import pathlib
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import cortenforge as cf
from cortenforge.__main__ import main
from cortenforge.envs import Simulation, make_task, recording, store, vary
from cortenforge.train import Policy, Settings, curve, train
from cortenforge.train.evolution import Evolution
from cortenforge.train.numpy_learner import Learner
from cortenforge.train.policy import KIND, Normalizer
from cortenforge.train.ppo import PPO, advantages
from cortenforge.train import run as run_module

SMALL = {"samples": 4 * 256, "worlds": 16, "length": 16, "parts": 2, "epochs": 2, "hidden": (8,)}


def batch_of(learner, rng, n=40, inputs=3):
    x = rng.normal(size=(n, inputs)).astype(np.float32)
    action = (learner.act(x) + 0.7 * rng.normal(size=(n, 2))).astype(np.float32)
    return {"x": x, "action": action, "logp": rng.normal(-1, 0.4, n).astype(np.float32), "gain": rng.normal(size=n).astype(np.float32),
            "target": rng.normal(size=n).astype(np.float32)}


def loss_of(learner, batch):
    """The objective as the paper writes it, in double precision."""
    s, spread = learner.settings, learner.spread
    z = (batch["action"] - learner.policy(batch["x"])) / np.exp(spread)
    ratio = np.exp(-(z**2 / 2 + spread).sum(1) - batch["logp"])
    objective = np.minimum(ratio * batch["gain"], np.clip(ratio, 1 - s.clip, 1 + s.clip) * batch["gain"]).mean()
    return -objective + ((learner.critic(batch["x"])[:, 0] - batch["target"]) ** 2).mean() / 2 - s.entropy * spread.sum()


def test_gradient_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    learner = Learner(3, 2, Settings("x", hidden=(5, 4), entropy=0.03))
    batch = {name: row.astype(np.float64) for name, row in batch_of(learner, rng).items()}
    for net in (learner.policy, learner.critic):
        net.weights, net.biases = [w.astype(np.float64) for w in net.weights], [b.astype(np.float64) for b in net.biases]
    learner.spread = learner.spread.astype(np.float64)
    grads, _ = learner.loss_slopes(batch)
    parameters = [*learner.policy.parameters, learner.spread, *learner.critic.parameters]
    ratio = np.exp(-(((batch["action"] - learner.policy(batch["x"])) / np.exp(learner.spread)) ** 2 / 2 + learner.spread).sum(1) - batch["logp"])
    assert 5 < (np.abs(ratio - 1) > 0.2).sum() < 40          # some are clipped, some are not
    for p, g in zip(parameters, grads, strict=True):
        for at in np.ndindex(p.shape):
            kept, ends = p[at], []
            for step in (1e-6, -1e-6):
                p[at] = kept + step
                ends.append(loss_of(learner, batch))
            p[at] = kept
            assert abs((ends[0] - ends[1]) / 2e-6 - g[at]) < 2e-6, (p.shape, at)


def test_torch_improves_as_numpy_does():
    torch = pytest.importorskip("torch")
    from cortenforge.train.torch_learner import Learner as Other
    s, rng = Settings("x", hidden=(6, 5), entropy=0.01), np.random.default_rng(1)
    ours, other = Learner(3, 2, s), Other(3, 2, s)
    for _ in range(5):
        batch = batch_of(ours, rng)
        a, b = ours.improve(batch, 3e-3), other.improve(batch, 3e-3)
        assert abs(a - b) < 1e-4 * max(1, abs(a))
    for p, q in zip(ours.parameters, other.parameters, strict=True):
        assert np.abs(p - q.detach().numpy()).max() < 3e-5
    twin = Other(3, 2, s)
    twin.restore(ours.state())
    batch = batch_of(ours, rng)
    ours.improve(batch, 1e-3), twin.improve(batch, 1e-3)
    assert all(np.abs(p - q.detach().numpy()).max() < 1e-5 for p, q in zip(ours.parameters, twin.parameters))
    assert torch.get_num_threads() == 1


def test_advantages_are_the_sums_of_their_definition():
    rng, (steps, worlds), g, smooth = np.random.default_rng(2), (9, 4), 0.9, 0.8
    reward, value, after = (rng.normal(size=(steps, worlds)) for _ in range(3))
    done = rng.random((steps, worlds)) < 0.2
    assert done.any()
    expected = np.zeros((steps, worlds))
    for w in range(worlds):
        for t in range(steps):
            weight = 1.0
            for k in range(t, steps):
                expected[t, w] += weight * (reward[k, w] + g * after[k, w] - value[k, w])
                weight *= g * smooth
                if done[k, w]:
                    break
    assert np.allclose(advantages(reward, value, after, done, g, smooth), expected, atol=1e-12)


def test_running_mean_and_variance_are_those_of_all_rows():
    rng, normal = np.random.default_rng(3), Normalizer(2)
    rows = [rng.normal(5, 3, (n, 2)) for n in (7, 1, 20)]
    for part in rows:
        normal.learn(part)
    x = np.concatenate(rows)
    assert np.allclose(normal.mean, x.mean(0), rtol=1e-4) and np.allclose(normal.variance, x.var(0), rtol=1e-3)


def same(a, b):
    return all(np.array_equal(p, q) for p, q in zip(a, b, strict=True))


@pytest.mark.parametrize("method", [PPO, Evolution])
def test_runs_repeat_their_bits_and_go_on_from_a_file(method, tmp_path):
    settings = Settings.of("CartpoleBalance-v0", **SMALL, pairs=8, seed=5)
    whole, first = method(settings, threads=1), method(settings, threads=2)
    for _ in range(4):
        whole.round()
    for _ in range(2):
        first.round()
    store.save(tmp_path / "state.npz", KIND, first.state())
    second = method(settings)
    second.restore(store.load(tmp_path / "state.npz", KIND))
    for _ in range(2):
        second.round()
    a, b = whole.state(), second.state()
    assert same(a["learner"]["parameters"], b["learner"]["parameters"]) and a["samples"] == b["samples"]
    other = method(settings.but(seed=6))
    other.round()
    assert not same(other.state()["learner"]["parameters"], first.state()["learner"]["parameters"])


@pytest.mark.parametrize("method, kind, name, count", [("ppo", Learner, "improve", 6), ("ppo", Simulation, "step", 40), ("es", Simulation, "step", 40)])
def test_a_run_interrupted_within_a_round_loses_that_round_alone(method, kind, name, count, tmp_path, monkeypatch):
    settings = Settings.of("CartpoleBalance-v0", **{**SMALL, "samples": 1024 if method == "ppo" else 8000}, method=method, pairs=8)
    whole = train(settings, None, out=None)
    calls, original = [], getattr(kind, name)

    def interrupted(self, *arguments):
        calls.append(0)
        if len(calls) == count:
            raise KeyboardInterrupt
        return original(self, *arguments)

    with monkeypatch.context() as m:
        m.setattr(kind, name, interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(settings, tmp_path, out=None)
    rest = train(settings, tmp_path, resume=True, out=None)
    assert same(whole["policy"].layers, rest["policy"].layers) and whole["returns"] == rest["returns"]
    assert [row[0] for row in rest["table"]] == [row[0] for row in whole["table"]]


@pytest.mark.parametrize("task, given", [("Hopper-v5", {"options": {"healthy_z_range": (0.7, 2.0)}}), ("Hopper-v5", {"options": {"reset_noise_scale": np.float64(0.01)}}),
                                         ("CartpoleBalance-v0", {"hidden": [8]})])
def test_settings_of_any_kind_of_numbers_are_those_of_their_file(task, given, tmp_path):
    if task == "Hopper-v5":
        pytest.importorskip("gymnasium")
    settings = Settings.of(task, **{**SMALL, **given, "samples": 256})
    train(settings, tmp_path, out=None)
    assert train(settings.but(samples=512), tmp_path, resume=True, out=None)["samples"] == 512
    with pytest.raises(ValueError, match="another worlds: 16"):
        train(settings.but(worlds=8), tmp_path, resume=True, out=None)


def test_options_that_a_checkpoint_cannot_keep_are_refused_at_once(tmp_path):
    with pytest.raises(ValueError, match="options of the task .* numbers, texts and lists"):
        train(Settings.of("CartpoleBalance-v0", **SMALL, options={"randomize": [vary.mass(0.9, 1.1)]}), tmp_path, out=None)
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_is_resumed(tmp_path, monkeypatch):
    settings = Settings.of("CartpoleBalance-v0", **SMALL)
    whole = train(settings, tmp_path / "whole", out=None)
    rounds, original = [], PPO.round

    def interrupted(self):
        rounds.append(0)
        if len(rounds) == 3:
            raise KeyboardInterrupt
        return original(self)

    with monkeypatch.context() as m:
        m.setattr(run_module.PPO, "round", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(settings, tmp_path / "parts", out=None)
    with pytest.raises(FileExistsError, match="resume it"):
        train(settings, tmp_path / "parts", out=None)
    with pytest.raises(ValueError, match="another rate: "):
        train(settings.but(rate=0.5), tmp_path / "parts", resume=True, out=None)
    rest = train(settings, tmp_path / "parts", resume=True, out=None)
    assert same(whole["policy"].layers, rest["policy"].layers) and whole["returns"] == rest["returns"]
    assert [row[0] for row in rest["table"]] == [256, 512, 768, 1024] and [row[4] for row in rest["table"]] == [row[4] for row in whole["table"]]
    for name in ("replay.npz", "checkpoint.npz", "progress.csv", "curve.svg"):
        assert (tmp_path / "parts" / name).stat().st_size > 100
    loaded = Policy.load(tmp_path / "parts" / "checkpoint.npz")
    observation = Simulation(loaded.make_task(), 4).reset(0)[0]
    assert np.array_equal(loaded(observation), whole["policy"](observation))


@pytest.mark.parametrize("settings, least", [({"samples": 80_000}, 250), ({"method": "es", "samples": 150_000}, 250)])
def test_a_pole_is_balanced(settings, least):
    result = train(Settings.of("CartpoleBalance-v0", **settings), out=None)
    first = [row[4] for row in result["table"] if row[4] != ""][0]
    assert first < 60 and np.mean(result["returns"]) > least, result["returns"]


def test_unlimited_actions_and_named_observations_are_taken():
    from test_envs import Cart

    class Named(Cart):
        def observe(self, w):
            return {"where": w.qpos.copy(), "speed": w.qvel.copy()}

        def action_bounds(self, model):
            return np.full(1, -np.inf), np.full(1, np.inf)

    from cortenforge.envs import registration
    registration.TASKS["Named-v0"] = Named
    try:
        policy = train(Settings.of("Named-v0", **SMALL), out=None)["policy"]
        assert len(policy.normal.mean) == 4 and policy.middle == 0 and policy.half == 1
    finally:
        del registration.TASKS["Named-v0"]


def test_matrix_products_have_one_thread_while_training(tmp_path):
    """In a process of its own: that of the tests has one thread anyway."""
    program = """
from cortenforge.train import blas
pairs = blas._libraries()
before = [get() for get, _ in pairs]
with blas.one_thread():
    assert [get() for get, _ in pairs] == [1] * len(pairs)
assert [get() for get, _ in pairs] == before
print(len(pairs))
"""
    environment = {**{k: v for k, v in os.environ.items() if not k.endswith("NUM_THREADS")}, "PYTHONPATH": str(pathlib.Path(cf.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    if "openblas" in str(np.show_config(mode="dicts")):
        assert int(done.stdout) == 1


# ---- recordings

def constant(observation):
    return np.full((1, 4), 0.1)


def test_a_recording_is_replayed_bit_by_bit(tmp_path):
    path = tmp_path / "drone.npz"
    total = recording.record("Drone-v0", constant, path, seed=3, options={"tilt": 0.1}, steps=40)
    rows = list(recording.steps(path))
    kept = recording.read(path)
    assert len(rows) == 1 + len(kept["actions"]) <= 41 and sum(r for _, r in rows) == pytest.approx(total)
    times = [d.time for d in cf.replay(path)]
    assert times[0] == 0 and times[-1] == pytest.approx(0.02 * len(kept["actions"]))
    with pytest.raises(TypeError, match="the file alone"):
        cf.replay(path, np.zeros((1, 3)))


@pytest.mark.parametrize("change, error", [
    (lambda k: k["actions"].__setitem__((7, 2), k["actions"][7, 2] + 1e-12), "state differs after step 8 of"),
    (lambda k: k["rewards"].__setitem__(5, 0.25), "reward of step 6 is"),
    (lambda k: k.__setitem__("seed", 4), "state differs after step 0"),
    (lambda k: k.__setitem__("model", "0" * 64), "model of Drone-v0 is not the one"),
    (lambda k: k.__setitem__("hashes", k["hashes"][:-1]), "actions, .* hashes")])
def test_a_recording_that_was_changed_is_found_out(tmp_path, change, error):
    path = tmp_path / "drone.npz"
    recording.record("Drone-v0", constant, path, seed=3, steps=20)
    kept = recording.read(path)
    change(kept)
    store.save(path, recording.KIND, kept)
    with pytest.raises((recording.ReplayError, ValueError), match=error):
        list(recording.steps(path))


def test_files_of_another_kind_are_refused(tmp_path):
    bad = tmp_path / "bad.npz"
    for text, message in ((b"", "no replay"), (b"PK\x03\x04 not a zip", "no replay"), (b"hello", "no replay")):
        bad.write_bytes(text)
        with pytest.raises(ValueError, match=message):
            recording.read(bad)
    np.savez(bad, a=np.zeros(3))
    with pytest.raises(ValueError, match="no replay"):
        recording.read(bad)
    store.save(bad, "cake", {})
    with pytest.raises(ValueError, match="this is a cake of version 1, expected a replay"):
        recording.read(bad)
    np.savez(bad, text=np.array([{"a": 1}], object))
    with pytest.raises(ValueError):
        recording.read(bad)
    with pytest.raises(TypeError, match="objects"):
        store.save(bad, "cake", {"x": np.array([None])})


def test_damaged_files_are_refused_by_name(tmp_path):
    path, rng = tmp_path / "drone.npz", np.random.default_rng(0)
    recording.record("Drone-v0", constant, path, seed=3, steps=20)
    whole, kept, refused = path.read_bytes(), recording.read(path), 0
    for _ in range(300):
        data = bytearray(whole)
        for k in rng.integers(len(data), size=rng.integers(1, 4)):
            data[k] = rng.integers(256)
        path.write_bytes(data[:rng.integers(len(data))] if rng.random() < 0.2 else data)
        try:
            recording.read(path)
        except ValueError as error:
            refused += str(path) in str(error)
        else:
            refused += 1             # a byte that nothing depends on
    assert refused == 300
    for name in kept:
        store.save(path, recording.KIND, {n: value for n, value in kept.items() if n != name})
        with pytest.raises(ValueError, match=f"has no '{name}'"):
            recording.read(path)
    store.save(path, KIND, {"settings": {}})
    with pytest.raises(ValueError, match="has no 'learner'"):
        Policy.load(path)
    with pytest.raises(FileNotFoundError):
        recording.read(tmp_path / "none.npz")


def test_trees_come_back_as_they_were(tmp_path):
    tree = {"a": [1, 2.5, None, "x", True, {"b": np.arange(6).reshape(2, 3)}], "big": 2**100, "tiny": 5e-324, "empty": {}, "f": np.float32(0.1)}
    store.save(tmp_path / "t.npz", "tree", tree)
    back = store.load(tmp_path / "t.npz", "tree")
    assert np.array_equal(back["a"][5].pop("b"), np.arange(6).reshape(2, 3)) and back["a"] == [1, 2.5, None, "x", True, {}]
    assert back["big"] == 2**100 and back["tiny"] == 5e-324 and back["empty"] == {} and np.float32(back["f"]) == np.float32(0.1)


# ---- curves and the command

def test_curves_are_pictures_of_their_numbers():
    root = ET.fromstring(curve.svg({"a<b": [(0, 1.0), (50, 3.0), (100, 5.0)], "c": [(0, 2.0), (100, float("nan"))]}, "x & y"))
    lines = [node for node in root.iter() if node.tag.endswith("polyline")]
    points = [tuple(map(float, p.split(","))) for p in lines[0].get("points").split()]
    assert len(lines) == 2 and len(points) == 3 and len(lines[1].get("points").split()) == 1
    # evenly apart, and upwards
    assert points[1][0] - points[0][0] == pytest.approx(points[2][0] - points[1][0], abs=0.2)
    assert points[0][1] - points[1][1] == pytest.approx(points[1][1] - points[2][1], abs=0.2) and points[0][1] > points[2][1]
    ET.fromstring(curve.svg({}, "nothing"))


def test_command_trains_and_replays(tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(cf.__file__).parents[1])}
    command = [sys.executable, "-m", "cortenforge"]
    arguments = ["train", "CartpoleSwingUp-v0", "--samples", "2048", "--set", "worlds=16", "--set", "hidden=(8,8)", "--option", "start=0.1", "--out", "r"]
    done = subprocess.run([*command, *arguments], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "samples/s" in done.stderr and "CartpoleSwingUp-v0: return" in done.stdout, done.stderr
    with open(tmp_path / "r" / "progress.csv") as file:
        assert int(list(csv.DictReader(file))[-1]["samples"]) == 2048
    done = subprocess.run([*command, "replay", "r/replay.npz"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "500 steps replayed, every state and reward has the recorded bits" in done.stdout


@pytest.mark.parametrize("arguments, status, text", [
    (["train"], 2, "name a task"), (["train", "Nothing-v0"], 2, "there is no task 'Nothing-v0'"),
    (["train", "Drone-v0", "--set", "wings=2"], 2, "no setting 'wings'; there are task, options"), (["train", "Drone-v0", "--set", "worlds=0"], 2, "worlds is 0"),
    (["train", "Drone-v0", "--set", "worlds"], 2, "expected NAME=VALUE"), (["train", "Drone-v0", "--option", "wings=2"], 2, "no option 'wings'"),
    (["train", "Drone-v0", "--set", "rate=fast"], 2, "rate"), (["train", "Drone-v0", "--seed", "-1"], 2, "the seed is -1"),
    (["train", "Drone-v0", "--method", "es", "--library", "torch"], 2, "written in NumPy"), (["replay", "none.npz"], 3, "none.npz"),
    (["train", "Drone-v0", "--set", "seed=3"], 2, "--set seed: give it by --seed"), (["train", "Drone-v0", "--set", "task=x"], 2, "as the first argument"),
    (["train", "Drone-v0", "--set", "options=3"], 2, "by --option"), (["train", "Drone-v0", "--threads", "-3"], 2, "nthread is -3"),
    (["train", "Drone-v0", "--option", "frame_skip=nan"], 2, "frame_skip is 'nan', expected an integer"),
    (["train", "Drone-v0", "--option", "frame_skip=2.5"], 2, "frame_skip is 2.5"), (["train", "Drone-v0", "--option", "frame_skip=None"], 2, "frame_skip is None"),
    (["train", "Drone-v0", "--option", "xml=5"], 2, "xml is 5, expected a path"), (["train", "Drone-v0", "--out", "taken/here"], 3, "taken")])
def test_command_says_what_is_wrong(arguments, status, text, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("a file")
    assert main(arguments) == status
    told = capsys.readouterr().err
    assert text in told and "samples/s" not in told, told


def test_counts_may_be_written_as_numbers_with_a_fraction_of_zero():
    assert Simulation(make_task("CartpoleBalance-v0", frame_skip=2.0), 1).worlds.dt == Simulation(make_task("CartpoleBalance-v0", frame_skip=2), 1).worlds.dt
    s = Simulation(make_task("CartpoleBalance-v0", frame_skip=2.0), 1)
    s.reset(0)
    s.step(np.zeros((1, 1)))


def test_command_names_a_replay_that_differs(tmp_path, capsys):
    path = tmp_path / "drone.npz"
    recording.record("Drone-v0", constant, path, steps=5)
    kept = recording.read(path)
    kept["actions"][2, 0] += 1e-9
    store.save(path, recording.KIND, kept)
    assert main(["replay", str(path)]) == 4 and "differs after step 3 of 5" in capsys.readouterr().err


def test_command_line_runs_the_package(tmp_path):
    program = pathlib.Path(cf.__file__).parents[2] / "cortenforge"
    if not program.exists():
        pytest.skip("the command line was not built")
    folder = tmp_path / "env" / "bin"
    folder.mkdir(parents=True)
    (folder / "python").write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    (folder / "python").chmod(0o755)
    environment = {**os.environ, "VIRTUAL_ENV": str(tmp_path / "env"), "PYTHONPATH": str(pathlib.Path(cf.__file__).parents[1])}
    done = subprocess.run([program, "train", "Nothing-v0", "--quiet"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 2 and "there is no task 'Nothing-v0'" in done.stderr
    recording.record("Drone-v0", constant, tmp_path / "drone.npz", steps=5)
    done = subprocess.run([program, "replay", "drone.npz"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0 and "5 steps replayed" in done.stdout
    (folder / "python").write_text("#!/bin/sh\nexit 1\n")
    # a copy, which has no environment of the sources beside it
    alone = shutil.copy(program, tmp_path / "cortenforge")
    environment = {**environment, "PATH": "/nowhere", "LD_LIBRARY_PATH": str(program.parent)}
    done = subprocess.run([alone, "train", "Drone-v0"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 3 and "pip install cortenforge" in done.stderr


def test_command_films_a_replay(tmp_path, capsys, tiny):
    try:
        cf.Renderer(tiny, 8, 8).close()
    except Exception as error:                     # no OpenGL here
        pytest.skip(str(error))
    path = tmp_path / "drone.npz"
    recording.record("Drone-v0", constant, path, steps=3)
    assert main(["replay", str(path), "--video", str(tmp_path / "film.png")]) == 0
    assert "film_00000.png to film_00003.png, 4 frames" in capsys.readouterr().out
    pictures = [(tmp_path / f"film_{k:05d}.png").read_bytes() for k in range(4)]
    assert all(p.startswith(b"\x89PNG") and p[16:24] == (640).to_bytes(4, "big") + (480).to_bytes(4, "big") for p in pictures)
    assert len(set(pictures)) == 4


def test_command_lists_tasks(capsys):
    assert main(["train", "--list"]) == 0
    told = capsys.readouterr().out
    assert "HalfCheetah-v5" in told and "dmc-walker-run-v0" in told and "8,000,000 samples" in told
