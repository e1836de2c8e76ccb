"""The examples learn, and the benchmark and the documentation run."""
import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import cortenforge as cf

ROOT = pathlib.Path(__file__).resolve().parents[2]


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "learning" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_evolution_balances_a_pole_and_repeats_its_bits():
    train = example("evolution").train
    center, means = train(generations=20, say=lambda text: None)
    assert means[0] < 100 and max(means) > 300, means
    again, _ = train(generations=2, say=lambda text: None)
    twin, _ = train(generations=2, say=lambda text: None)
    assert np.array_equal(again, twin)


def test_policy_gradient_balances_a_pole():
    ppo = example("ppo")
    history = ppo.train(samples=70_000, say=lambda text: None)
    assert history[0] < 60 and max(history) > 250, history


def test_single_file_with_torch_balances_a_pole():
    pytest.importorskip("gymnasium")
    pytest.importorskip("torch")
    history = example("ppo_torch").train("CartpoleBalance-v0", samples=80_000, say=lambda text: None)
    assert history[0] < 60 and max(history) > 200, history


def test_gradient_of_the_network_is_that_of_finite_differences():
    net = example("ppo").Net(np.random.default_rng(0), [3, 5, 4, 2], 1.0)
    rng = np.random.default_rng(1)
    x, weight = rng.normal(size=(7, 3)), rng.normal(size=(7, 2))
    net(x)
    for p, g in zip(net.parameters, net.gradient(weight)):
        at = tuple(rng.integers(0, n) for n in p.shape)
        kept, ends = p[at], []
        for step in (1e-6, -1e-6):
            p[at] = kept + step
            ends.append((weight * net(x)).sum())
        p[at] = kept
        assert abs((ends[0] - ends[1]) / 2e-6 - g[at]) < 1e-6


def environment():
    return {**os.environ, "PYTHONPATH": str(pathlib.Path(cf.__file__).parents[1])}


def test_benchmark_runs():
    pytest.importorskip("gymnasium")
    done = subprocess.run([sys.executable, str(ROOT / "bench" / "env_speed.py"), "--tasks", "Hopper-v5", "--ways", "cortenforge,nothing",
                           "--seconds", "0.05", "--envs", "8", "--json"], capture_output=True, text=True, env=environment())
    result = json.loads(done.stdout)
    assert result["per_cpu_second"] > 0 and result["envs"] == 8 and "nothing Hopper-v5: left out" in done.stderr


def test_blocks_of_the_documentation_run():
    pytest.importorskip("gymnasium")
    text = (ROOT / "docs" / "learning.md").read_text()
    blocks = [part.split("```")[0] for part in text.split("```python\n")[1:]]
    assert len(blocks) >= 5
    done = subprocess.run([sys.executable, "-c", "\n".join(blocks)], capture_output=True, text=True, cwd=ROOT, env=environment())
    assert done.returncode == 0, done.stderr
