#!/usr/bin/env python3
"""Compare this package with the official one: names, fields, enumerations, functions, on models of the project.

  parity.py BUILD OFFICIAL [MODEL...]     BUILD has our package in BUILD/python; OFFICIAL is the Python with mujoco 3.5.0

Every field of models and data after the same steps, from the same state, is compared; the numbers of fields, enumerators
and functions are printed. Exit code 77 without the official package. (One process: both packages are loaded in the official
Python, which needs the version of the extension or a later one.)
"""
import json
import pathlib
import subprocess
import sys

SCRIPT = r'''
import json, re, sys
sys.path.insert(0, sys.argv[1])
import numpy as np
import mujoco as theirs
import cortenforge.mujoco as ours

bad, counts = [], {"fields": 0, "enumerators": 0, "functions": 0, "models": 0, "skipped models": 0}
SKIP = {"parena", "maxuse_stack", "maxuse_threadstack", "maxuse_arena", "narena", "threadpool", "signature", "timer", "plugin_data",
        "solver", "solver_niter", "solver_nnz", "solver_fwdinv", "maxuse_con", "maxuse_efc", "model", "contact", "warning",
        "bvh_active",
        # two colors that are arrays of length 0 there
        "bv", "bvactive"}
# written only with islands, a dual solver, sparse Jacobians or an implicit integrator; not initialized there otherwise
WRITTEN = {"qHDiagInv", "qH", "iM_colind", "iM_rownnz", "iM_rowadr", "iM", "iLD", "iLDiagInv", "efc_AR_rownnz", "efc_AR_rowadr",
           "efc_AR_colind", "efc_AR", "qDeriv", "qLU", "tree_island", "map_itree2tree", "map_idof2dof", "map_dof2idof",
           "efc_J_rownnz", "dof_island", "iefc_J_rownnz", "iefc_J_rowadr", "iefc_J_rowsuper", "iefc_J_colind", "efc_J_rowsuper",
           "efc_J_rowadr", "efc_J_colind", "iefc_J", "ifrc_smooth", "iefc_aref", "iacc", "ifrc_constraint", "iefc_state",
           "iefc_force", "iacc_smooth",
           # rows of a sparse matrix with room between them
           "actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind"}



def parameters_there(name):
    """Names of parameters from the docstring that pybind11 writes; None where it does not tell."""
    lines = [x for x in (getattr(theirs, name).__doc__ or "").splitlines() if re.match(r"(\d+\. )?" + name + r"\(", x)]
    if not lines or name == "mj_resetCallbacks":
        return parameters_here(name)
    text = lines[-1]
    while re.search(r"\[[^\[\]]*\]", text):
        text = re.sub(r"\[[^\[\]]*\]", "", text)
    return re.findall(r"(\w+): ", text)


def parameters_here(name):
    text = getattr(getattr(ours, name), "__text_signature__", None) or ""
    return [x.split("=")[0].strip() for x in text.replace("($module", "").strip("()").split(",") if x.strip()]


for name in dir(theirs):
    if name.startswith("mjt"):
        a, b = getattr(theirs, name), getattr(ours, name, None)
        for key in [k for k in dir(a) if k.startswith("mj")]:
            counts["enumerators"] += 1
            if b is None or int(getattr(b, key, -999)) != int(getattr(a, key).value):
                bad.append(f"{name}.{key}")
    elif name.startswith(("mj_", "mju_", "mjv_", "mjr_", "mjd_")):
        counts["functions"] += 1
        if not hasattr(ours, name):
            bad.append(name)
        elif parameters_there(name) != parameters_here(name):
            bad.append(f"parameters of {name}")
    elif name.startswith("mj") and isinstance(getattr(theirs, name), (int, float, tuple, str)):
        if not np.array_equal(np.asarray(getattr(theirs, name)), np.asarray(getattr(ours, name, None))):
            bad.append(name)


def same(x, y, tolerance):
    if isinstance(x, bytes):
        return x == y
    x, y = np.asarray(x), np.asarray(y)
    if x.shape != y.shape or (x.dtype != y.dtype and x.dtype.kind != "b" and x.size):
        return False
    if x.dtype.kind in "fc":
        return bool(np.all((x == y) | (np.abs(x - y) <= tolerance * np.maximum(1, np.abs(x))) | np.isnan(x)))
    return bool(np.array_equal(x, y))


def compare(where, a, b, tolerance):
    for name in dir(a):
        if name.startswith("_") or name in SKIP or name in WRITTEN:
            continue
        try:
            x = getattr(a, name)
        except Exception:
            continue
        if callable(x):
            continue
        counts["fields"] += 1
        if not hasattr(b, name):
            bad.append(f"{where}.{name} is missing")
        elif isinstance(x, (int, float, bytes, np.ndarray)):
            if not same(x, getattr(b, name), tolerance):
                bad.append(f"{where}.{name}")
        else:
            compare(f"{where}.{name}", x, getattr(b, name), tolerance)


for path in sys.argv[2:]:
    try:
        m, n = theirs.MjModel.from_xml_path(path), ours.MjModel.from_xml_path(path)
    except ValueError:
        counts["skipped models"] += 1
        continue
    counts["models"] += 1
    compare(path, m, n, 1e-10)
    d, e = theirs.MjData(m), ours.MjData(n)
    theirs.mj_step(m, d, 3)
    state = np.empty(theirs.mj_stateSize(m, theirs.mjtState.mjSTATE_INTEGRATION.value))
    theirs.mj_getState(m, d, state, theirs.mjtState.mjSTATE_INTEGRATION.value)
    theirs.mj_resetData(m, d)  # what the steps left besides the state
    theirs.mj_setState(m, d, state, theirs.mjtState.mjSTATE_INTEGRATION.value)
    ours.mj_setState(n, e, state, ours.mjtState.mjSTATE_INTEGRATION)
    theirs.mj_forward(m, d)
    ours.mj_forward(n, e)
    compare(path, d, e, 1e-7)
print(json.dumps({"bad": bad, "counts": counts}))
'''


def main(build, official, *models):
    if not pathlib.Path(official).exists():
        print(f"SKIP parity: there is no official package at {official}")
        return 77
    result = subprocess.run([official, "-c", SCRIPT, f"{build}/python", *models], capture_output=True, text=True)
    if result.returncode:
        print(result.stdout, result.stderr)
        return 1
    found = json.loads(result.stdout.splitlines()[-1])
    print(", ".join(f"{n} {what}" for what, n in found["counts"].items()) + f"; {len(found['bad'])} differ")
    for name in found["bad"]:
        print("  ", name)
    return bool(found["bad"]) or found["counts"]["models"] < 20


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
