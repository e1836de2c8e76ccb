#!/usr/bin/env python3
"""What a call from Python costs: attributes, one step, import. With the package `mujoco` in the same environment its
figures stand beside ours; run it in an environment that has the package (make python; build/pyenv/bin/python).

  python_calls.py [MODEL.xml]
"""
import os
import subprocess
import sys
import timeit

TINY = "<mujoco><worldbody><body><joint type='slide'/><geom size='.1'/></body></worldbody></mujoco>"


def best(statement, names, number=200_000):
    """Nanoseconds of a statement, the loop without it taken off; the fastest of nine runs."""
    timer, empty = timeit.Timer(statement, globals=names), timeit.Timer("pass", globals=names)
    return (min(timer.repeat(9, number)) - min(empty.repeat(9, number))) / number * 1e9


def engine(module, m, d):
    """Nanoseconds of mj_step itself, called 1,000 times in one call from Python."""
    if module.__name__ == "cortenforge":
        return best("step(m, d, 1000)", {"step": module.mj_step, "m": m, "d": d}, 300) / 1000
    return best("step(m, d, nstep=1000)", {"step": module.mj_step, "m": m, "d": d}, 300) / 1000


def imports(name):
    """Milliseconds of processor time that importing a module takes after NumPy, with its compiled files in place."""
    code = f"import numpy, time; t = time.process_time(); import {name}; print((time.process_time() - t) * 1e3)"
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return min(float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment).stdout)
               for _ in range(9))


def measure(module):
    text = open(sys.argv[1]).read() if len(sys.argv) > 1 else TINY
    m = module.MjModel.from_xml_string(text)
    d = module.MjData(m)
    names = {"m": m, "d": d, "step": module.mj_step}
    inside = engine(module, m, d)
    whole = best("step(m, d)", names)
    return {"d.qpos": best("d.qpos", names), "d.time": best("d.time", names), "m.nq": best("m.nq", names),
            "m.opt.timestep": best("m.opt.timestep", names), "d.contact": best("d.contact", names, 20_000),
            "mj_step": whole, "of these the engine": inside, "step overhead": whole - inside,
            "import [ms]": imports(module.__name__)}


def main():
    import cortenforge
    modules = [cortenforge]
    try:
        import mujoco
        modules.append(mujoco)
    except ImportError:
        pass
    columns = [measure(module) for module in modules]
    print(f"{'[ns]':22}" + "".join(f"{module.__name__:>14}" for module in modules))
    for key in columns[0]:
        print(f"{key:22}" + "".join(f"{column[key]:14.1f}" for column in columns))


main()
