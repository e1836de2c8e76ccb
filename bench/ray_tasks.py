"""What a task of cortenforge.ray costs, and what it leaves: processor time of the driver, memory of driver, worker and store.

    build/pyenv/bin/python bench/ray_tasks.py [TASKS [WORKERS]]

The driver hands tasks out one after the other, so its processor time per task bounds how many workers one driver keeps
busy: the processor time of a chunk over that of handing it out.
"""
import os
import sys
import time

import numpy as np

import cortenforge as cf
from cortenforge import ray as cfray

MODEL = "<mujoco><worldbody><body><joint axis='0 1 0'/><geom size='.1' pos='.3 0 0'/></body></worldbody></mujoco>"


def memory_mb(_=None):
    with open("/proc/self/statm") as file:
        return os.getpid(), int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def main(tasks=10_000, workers=2, say=print):
    """Rows (tasks so far, megabytes of the driver, of the largest worker, of the store) and milliseconds of the driver per task."""
    import ray
    ray.init("local", num_cpus=workers, include_dashboard=False, log_to_driver=False, object_store_memory=200 * 2**20)
    rows, part = [], max(1, tasks // 10)
    try:
        model, states = cf.Model.from_xml_string(MODEL), np.zeros((part, 3))
        expected = cf.rollout(model, states[:1], nstep=2)["state"][0]
        begin = 0.0
        for k in range(10):
            history = cfray.rollout(model, states, nstep=2, chunk=1)
            assert np.array_equal(history["state"], np.broadcast_to(expected, history["state"].shape))
            del history
            if k == 0:                      # workers are there now
                begin, wall = time.process_time(), time.perf_counter()
            largest = max(mb for _, mb in ray.get([ray.remote(memory_mb).remote(i) for i in range(4 * workers)]))
            total, free = ray.cluster_resources()["object_store_memory"], ray.available_resources()["object_store_memory"]
            rows.append(((k + 1) * part, memory_mb()[1], largest, (total - free) / 2**20))
            say(f"{rows[-1][0]} tasks: driver {rows[-1][1]:.0f} MB, worker {rows[-1][2]:.0f} MB, store {rows[-1][3]:.1f} MB")
        count = 9 * part
        driver = 1e3 * (time.process_time() - begin) / count
        say(f"{driver:.2f} ms of processor time of the driver per task, {count / (time.perf_counter() - wall):.0f} tasks per second with {workers} workers")
    finally:
        ray.shutdown()
    return rows, driver


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:]))
