"""The driver of ray_namespaces.sh: rollouts on two nodes, equal to one process by hash; again while the second node is cut off."""
import hashlib
import os
import subprocess
import sys
import threading
import time

import numpy as np
import ray

import cortenforge as cf
from cortenforge import ray as cfray


def digest(history):
    return hashlib.sha256(b"".join(np.ascontiguousarray(history[name]).tobytes() for name in sorted(history))).hexdigest()[:16]


def where(_):
    time.sleep(0.5)
    return ray.util.get_node_ip_address()


def main():
    ray.init(address="10.77.0.1:6390", log_to_driver=False, runtime_env={"env_vars": {"PYTHONPATH": os.environ["PYTHONPATH"]}})
    nodes = set(ray.get([ray.remote(where).options(num_cpus=1, scheduling_strategy="SPREAD").remote(i) for i in range(6)]))
    model = cf.Model.load("models/robots/planar_runner.xml")
    batch, rng = cf.Batch(model, 48), np.random.default_rng(0)
    batch.qvel[:] = rng.normal(size=batch.qvel.shape)
    states, controls = batch.get_state(), rng.uniform(-1, 1, (48, 4000, model.nu))
    expected = digest(cf.rollout(model, states, controls, fields="xpos", every=50))
    both = digest(cfray.rollout(model, states, controls, fields="xpos", every=50, chunk=4))
    print(f"nodes {sorted(nodes)}: hash {both}, one process {expected}")
    # the cable is pulled once the first chunk is back
    pulled = threading.Event()

    def pull(done, total):
        if not pulled.is_set():
            pulled.set()
            subprocess.run(os.environ["CF_PULL"], shell=True, check=True)

    begin = time.monotonic()
    cut = digest(cfray.rollout(model, states, controls, fields="xpos", every=50, chunk=4, retries=10, progress=pull))
    left = [node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]]
    print(f"second node cut off: hash {cut}, after {time.monotonic() - begin:.0f} s, nodes left {left}")
    return 0 if nodes == {"10.77.0.1", "10.77.0.2"} and both == cut == expected and left == ["10.77.0.1"] else 1


if __name__ == "__main__":
    sys.exit(main())
