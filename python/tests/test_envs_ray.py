"""Rollouts on a cluster on this machine: bits of one process, also when a worker or a node dies."""
import ast
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import cortenforge as cf
from cortenforge import ray as cfray

PATH = str(pathlib.Path(cf.__file__).parents[1])


def inputs(models, n=13, steps=12):
    model = cf.Model.load(models / "robots" / "planar_runner.xml")
    batch = cf.Batch(model, n)
    rng = np.random.default_rng(0)
    batch.qvel[:] = rng.normal(size=batch.qvel.shape)
    return model, batch.get_state(), rng.uniform(-1, 1, (n, steps, model.nu))


def same(a, b):
    return set(a) == set(b) and all(np.array_equal(a[k], b[k]) for k in a)


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster
    os.environ["RAY_ENABLE_UV_RUN_RUNTIME_ENV"] = "0"
    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, runtime_env={"env_vars": {"PYTHONPATH": PATH}}, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def test_missing_ray_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(ImportError, match="pip install ray"):
        cfray.chunks(None, [0.0])


def test_bits_do_not_depend_on_chunks(cluster, models):
    model, states, controls = inputs(models)
    expected = cf.rollout(model, states, controls, fields="xpos qacc", every=3)
    told = []
    for chunk in (1, 5, 100):
        given = cfray.rollout(model, states, controls, fields="xpos qacc", every=3, chunk=chunk, progress=lambda *a: told.append(a))
        assert same(given, expected), chunk
    assert told[-1] == (13, 13) and len(told) == 13 + 3 + 1
    assert same(cfray.rollout(model, states, controls[0], chunk=4), cf.rollout(model, states, controls[0]))
    assert same(cfray.rollout(model, states, nstep=5, chunk=4), cf.rollout(model, states, nstep=5))


def test_results_are_views_of_the_store(cluster, models):
    model, states, controls = inputs(models)
    for part, history in cfray.completed(cfray.chunks(model, states, controls, chunk=6)):
        assert not history["state"].flags.writeable and len(history["state"]) == part.stop - part.start


def test_wrong_arguments_say_what_is_wrong(cluster, models):
    model, states, controls = inputs(models)
    for options, text in (({"chunk": 0}, "chunk is 0"), ({"threads": 0}, "threads is 0")):
        with pytest.raises(ValueError, match=text):
            cfray.rollout(model, states, controls, **options)
    with pytest.raises(ValueError, match="5 rows, there are 13"):
        cfray.rollout(model, states, controls[:5])
    with pytest.raises(Exception, match="expected"):
        cfray.rollout(model, states, controls[:, :, :1], chunk=4)


def test_a_killed_worker_is_replaced(cluster, models, tmp_path, monkeypatch):
    model, states, controls = inputs(models)
    monkeypatch.setattr(cfray, "_roll", _Mortal(str(tmp_path / "died")).function())
    given = cfray.rollout(model, states, controls, chunk=4)
    assert (tmp_path / "died").exists() and same(given, cf.rollout(model, states, controls))


class _Mortal:
    """A chunk whose worker dies the first time, as a function that Ray can send."""

    def __init__(self, marker):
        self.marker = marker

    def function(self):
        marker = self.marker

        def roll(model, initial, controls, options):
            import os
            from cortenforge.batch import rollout
            if not os.path.exists(marker):
                open(marker, "w").close()
                os._exit(1)
            return rollout(model, initial, controls, **options)
        return roll


def test_a_removed_node_is_replaced(cluster, models, tmp_path, monkeypatch):
    import ray
    model, states, controls = inputs(models, 8)
    node = cluster.add_node(num_cpus=2, resources={"there": 2})
    begin = str(tmp_path / "begun")

    def slow(model, initial, controls, options):
        import os
        import time
        from cortenforge.batch import rollout
        if not os.path.exists(begin):
            open(begin, "w").close()
            time.sleep(600)
        return rollout(model, initial, controls, **options)

    monkeypatch.setattr(cfray, "_roll", slow)
    task = ray.remote(slow).options(num_cpus=1, max_retries=3, resources={"there": 0.001})
    options = {"nstep": None, "fields": "xpos", "every": 1, "threads": 1, "lanes": 0}
    reference = task.remote(model, states, controls, options)
    while not os.path.exists(begin):
        ray.wait([reference], timeout=0.2)
    cluster.remove_node(node)
    cluster.add_node(num_cpus=1, resources={"there": 1})
    assert same(ray.get(reference, timeout=120), cf.rollout(model, states, controls, fields="xpos"))


def test_sweep_has_the_numbers_of_single_runs(cluster, models, tmp_path):
    from cortenforge.envs import Streams
    both = {name: cf.Model.load(models / "robots" / f"{name}.xml") for name in ("planar_runner", "hopper")}
    parameters = {"opt.timestep": [0.001, 0.002], "opt.gravity": [(0, 0, -9.81), (0, 0, -1.6)]}
    path, told = tmp_path / "sweep.parquet", []
    file = str(path) if __import__("importlib.util").util.find_spec("pyarrow") else None

    def push(batch, ids, streams):
        batch.qvel[:] = streams.normal(ids, batch.qvel.shape[1], 0.3)

    def measure(batch):
        return {"x": batch.qpos[:, 0], "speed": abs(batch.qvel).max(1)}

    table = cfray.sweep(both, parameters, [5, 9, 2], nstep=20, start=push, measure=measure, path=file, progress=lambda *a: told.append(a))
    assert len(table["x"]) == 2 * 2 * 2 * 3 and told[-1] == (8, 8) and not table["frozen"].any()
    for row in range(len(table["x"])):
        model = both[table["model"][row]]
        batch, streams = cf.Batch(model, 1), Streams(1)
        batch["opt.timestep"], batch["opt.gravity"] = table["opt.timestep"][row], table["opt.gravity"][row]
        streams.seed([int(table["seed"][row])])
        push(batch, np.arange(1), streams)
        batch.step(20)
        assert batch.qpos[0, 0] == table["x"][row]
    assert len(np.unique(table["x"])) >= 12       # gravity does not move what flies sideways
    if file:
        import pyarrow.parquet
        assert pyarrow.parquet.read_table(file)["speed"].to_pylist() == table["speed"].tolist()
    with pytest.raises(ValueError, match="at least one model"):
        cfray.sweep(both, {"opt.timestep": []}, [1], nstep=1, measure=measure)
    with pytest.raises(Exception, match="expected .3,.: one number per world"):
        cfray.sweep(both, {}, [1, 2, 3], nstep=1, measure=lambda batch: {"q": batch.qpos})


def test_tasks_leave_no_memory():
    """10,000 tasks with CF_LONG=1; in a process with a cluster of its own."""
    pytest.importorskip("ray")
    count = 10_000 if os.environ.get("CF_LONG") else 200
    program = f"import ray_tasks; rows, _ = ray_tasks.main({count}, 1, say=lambda text: None); print(rows)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=1500,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([PATH, str(pathlib.Path(__file__).resolve().parents[2] / "bench")])})
    assert done.returncode == 0, done.stderr
    rows = ast.literal_eval(done.stdout.splitlines()[-1])
    (_, driver, worker, _), (tasks, *last) = rows[1], rows[-1]
    assert tasks == count and last[0] < driver + 15 and last[1] < worker + 25 and last[2] < 1, rows
