"""Steps of environments per second of processor time: Gymnasium, EnvPool and ours, each in a process of its own.

    build/pyenv/bin/python bench/env_speed.py [--tasks Humanoid-v5,Ant-v5] [--seconds 3] [--envs 256] [--threads 1] [--json]

A step counts observation, reward, ends and resets with random actions, after a second of warm-up so that worlds are at
different places of their episodes.  What is not installed in this Python is left out, by name.  Times of a machine that
others use too are worth little: processor time counts their pressure on caches and clocks.
"""
import argparse
import json
import os
import resource
import subprocess
import sys
import time

TASKS = ["Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5", "InvertedDoublePendulum-v5",
         "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5", "Swimmer-v5", "Walker2d-v5"]
WAYS = ["gymnasium", "envpool", "cortenforge", "cortenforge-bare"]


def make(way, task, count, threads):
    """Functions that reset and step, and the lowest and highest actions."""
    import numpy as np
    if way not in WAYS:
        raise ValueError(f"there is no way {way!r}; there are {', '.join(WAYS)}")
    if way == "envpool":
        import envpool
        pool = envpool.make(task, env_type="gymnasium", num_envs=count, num_threads=threads)
        space = pool.action_space
        return pool.reset, pool.step, np.broadcast_to(space.low, (count,) + space.shape), np.broadcast_to(space.high, (count,) + space.shape)
    import gymnasium
    if way == "gymnasium":
        count = min(count, 16)      # one after the other: more of them only fall out of the cache
        envs = gymnasium.make_vec(task, count, vectorization_mode="sync")
    else:
        import cortenforge.envs  # noqa: F401
        envs = gymnasium.make_vec("cortenforge/" + task, count, threads=threads, infos=way == "cortenforge")
    return lambda: envs.reset(seed=0), envs.step, envs.action_space.low, envs.action_space.high


def measure(way, task, count, threads, seconds):
    import numpy as np
    begin = time.perf_counter()
    reset, step, low, high = make(way, task, count, threads)
    reset()
    rng = np.random.default_rng(0)
    actions = [rng.uniform(low, high).astype(np.float32) for _ in range(16)]
    step(actions[0])
    first = time.perf_counter() - begin
    taken = 0
    for part in (min(1.0, seconds), seconds):
        taken, start, wall = 0, time.process_time(), time.perf_counter()
        while time.process_time() - start < part:
            step(actions[taken % 16])
            taken += 1
    spent, waited = time.process_time() - start, time.perf_counter() - wall
    n = len(actions[0])
    return {"way": way, "task": task, "envs": n, "threads": threads, "per_cpu_second": n * taken / spent, "per_second": n * taken / waited,
            "first_step_s": first, "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tasks", default=",".join(TASKS))
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(measure(given.one, given.tasks, given.envs, given.threads, given.seconds)))
        return
    ways = given.ways.split(",")
    if not given.json:
        print("| task | " + " | ".join(ways) + " | ours / best other |\n|---|" + "---:|" * (len(ways) + 1))
    for task in given.tasks.split(","):
        row = {}
        for way in ways:
            done = subprocess.run([sys.executable, os.path.abspath(__file__), "--one", way, "--tasks", task, "--envs", str(given.envs),
                                   "--threads", str(given.threads), "--seconds", str(given.seconds)], capture_output=True, text=True)
            if done.returncode == 0:
                row[way] = json.loads(done.stdout.splitlines()[-1])
            else:
                print(f"{way} {task}: left out: {(done.stderr.strip().splitlines() or ['no reason'])[-1]}", file=sys.stderr)
        if given.json:
            for result in row.values():
                print(json.dumps(result))
            continue
        speed = {way: result["per_cpu_second"] for way, result in row.items()}
        others = [speed[way] for way in ("gymnasium", "envpool") if way in speed]
        ratio = f"{speed['cortenforge'] / max(others):.1f}" if others and "cortenforge" in speed else ""
        print(f"| {task} | " + " | ".join(f"{speed[way]:,.0f}" if way in speed else "" for way in ways) + f" | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
