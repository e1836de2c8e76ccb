"""Steps of environments per second of processor time: Gymnasium, EnvPool, mujoco.rollout and ours, each in a process of its own.

    build/pyenv/bin/python bench/env_speed.py [--tasks Humanoid-v5,Ant-v5] [--seconds 3] [--envs 256] [--threads 1] [--json]

A step counts observation, reward, ends and resets with random actions, after a second of warm-up so that worlds are at
different places of their episodes; processor time is that of worker processes too.  mujoco.rollout takes the physics of a step
alone, without observations, rewards and resets.  What is not installed in this Python is left out, by name.  Times of a machine that
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
WAYS = ["gymnasium", "gymnasium-async", "envpool", "rollout", "cortenforge", "cortenforge-bare"]
WHOLE = ["gymnasium", "gymnasium-async", "envpool"]       # what gives observations, rewards and resets, besides ours


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
    if way == "rollout":
        return physics(gymnasium.make(task).unwrapped, count, threads)
    if way.startswith("gymnasium"):
        # one after the other: more of them only fall out of the cache; processes: one for each thread that is asked for, at least two
        count = min(count, 16) if way == "gymnasium" else max(2, threads)
        envs = gymnasium.make_vec(task, count, vectorization_mode="sync" if way == "gymnasium" else "async")
    else:
        import cortenforge.envs  # noqa: F401
        envs = gymnasium.make_vec("cortenforge/" + task, count, threads=threads, infos=way == "cortenforge")
    return lambda: envs.reset(seed=0), envs.step, envs.action_space.low, envs.action_space.high


def physics(env, count, threads):
    """The steps of a task's model by mujoco.rollout of the official package."""
    import mujoco
    import numpy as np
    from mujoco import rollout
    if mujoco.__name__ != "mujoco" or hasattr(mujoco, "_alias"):
        raise ImportError("this is not the official package mujoco")
    model, data = env.model, [mujoco.MjData(env.model) for _ in range(threads)]
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first = np.zeros((count, size))
    start = mujoco.MjData(model)
    mujoco.mj_getState(model, start, first[0], mujoco.mjtState.mjSTATE_FULLPHYSICS)
    first[:] = first[0]
    states, runner = first.copy(), rollout.Rollout(nthread=threads if threads > 1 else 0)

    def step(actions):
        controls = np.repeat(np.asarray(actions, np.float64)[:, None], env.frame_skip, 1)
        history, _ = runner.rollout(model, data, states, controls)
        states[:] = history[:, -1]
        bad = ~np.isfinite(states).all(1) | (states[:, 0] > 20 * env.dt)        # begun again after a while, as episodes are
        states[bad] = first[bad]
    low, high = np.array(model.actuator_ctrlrange).T
    return lambda: None, step, np.broadcast_to(low, (count, len(low))), np.broadcast_to(high, (count, len(high)))


def spent():
    """Processor time of this process and of those that it started."""
    total, own = time.process_time(), os.getpid()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as file:
                    words = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(words[1]) == own:
                total += (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
    return total


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
        taken, start, wall, clock = 0, spent(), time.perf_counter(), time.process_time
        if way == "gymnasium-async":
            clock = time.perf_counter       # this process waits for others
        begin = clock()
        while clock() - begin < part:
            step(actions[taken % 16])
            taken += 1
    used, waited = spent() - start, time.perf_counter() - wall
    n = len(actions[0])
    return {"way": way, "task": task, "envs": n, "threads": threads, "per_cpu_second": n * taken / used, "per_second": n * taken / waited,
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
        others = [speed[way] for way in WHOLE if way in speed]
        ratio = f"{speed['cortenforge'] / max(others):.1f}" if others and "cortenforge" in speed else ""
        print(f"| {task} | " + " | ".join(f"{speed[way]:,.0f}" if way in speed else "" for way in ways) + f" | {ratio} |", flush=True)


if __name__ == "__main__":
    main()
