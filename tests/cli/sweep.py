#!/usr/bin/env python3
"""Every command with every option and odd values: exit status, message, files, numbers.

  sweep.py CORTENFORGE STEPPER SOURCE PLUGIN [--soak]

The rows below say what each value of each option leads to.  Commands and options are asked from the program itself
(`help --json`), so that an option without rows, and a row without its option, fail.  Numbers of `run --record` are
compared, digit by digit, with what STEPPER computes by the C API.  --soak draws thousands of combinations.
"""
import concurrent.futures
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

OK, BAD, USAGE, IO, UNSTABLE = 0, 1, 2, 3, 4
SOAK = "--soak" in sys.argv
CF, STEPPER, SOURCE, MOTOR = (os.path.abspath(a) for a in sys.argv[1:5])

MODEL = """<mujoco><option timestep="0.002"/><visual><quality shadowsize="0" offsamples="0"/></visual><worldbody><light pos="0 0 3"/><camera name="eye" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
<geom type="plane" size="2 2 .1"/><body name="b" pos="0 0 1"><joint name="j" axis="0 1 0"/><geom type="capsule" size=".05" fromto="0 0 0 0 0 -.5"/></body>
<body name="c" pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody>
<actuator><motor name="a" joint="j" ctrlrange="-1 1" ctrllimited="true"/></actuator><sensor><jointpos name="s" joint="j"/><accelerometer site="w"/></sensor>
<keyframe><key name="k1" time="3" qpos=".5 0 0 .5 1 0 0 0" ctrl=".3"/></keyframe></mujoco>
""".replace("</body>\n<body name=\"c\"", "<site name=\"w\"/></body>\n<body name=\"c\"")

# words that are no number, and numbers that no option takes as such
NO_NUMBER = ["", " ", "x", "nan", "inf", "-inf", "1e400", "1,5", "1 x", "--quiet"]
WHOLE = NO_NUMBER + ["0.5", "-1", "1e30"]


def number(good, bad=(), status=USAGE):
    return {**{v: OK for v in good}, **{v: status for v in list(NO_NUMBER) + list(bad)}}


def whole(good, bad=()):
    return {**{v: OK for v in good}, **{v: USAGE for v in WHOLE + list(bad) if v not in good}}


SIZES = {"64x48": OK, "1x1": OK, **dict.fromkeys(["", "64", "64x", "x48", "0x48", "-4x48", "64x48x2", "9000x2", "axb", "1e3x4"], USAGE)}
CAMERAS = {"eye": OK, "0": OK, "free": OK, "90,-20,3": OK, "90,-20,3,0,0,1": OK, **dict.fromkeys(
    ["", "1", "-1", "nobody", "0,0,nan", "0,0,0", "0,0,-1", "0,0,inf", "0,0,1x", "0,0", "0,0,1,2", "0,0,1,2,3", "0,0,1,2,3,nan", "0,0,1,2,3,4,5"], USAGE)}
# what a file is written to: beside the model, in no folder, in the place of a folder, on a full disk
OUT = {"FILE": OK, "no/such/folder/FILE": IO, "folder": IO, "": IO}
# a library with an extension of its own
PLUGINS = {MOTOR: OK, f"{MOTOR},{MOTOR}": OK, **dict.fromkeys(["", ",", "no.so", "folder", "pend.xml", f"{MOTOR},no.so"], IO)}
INTEGRATORS = {**dict.fromkeys(["Euler", "RK4", "implicit", "implicitfast", "springdamper"], OK), **dict.fromkeys(["", "euler", "0", "Euler "], USAGE)}
PICTURES = {"FILE.png": OK, "no/such/folder/FILE.png": IO, "folder.png": IO, **dict.fromkeys(["", "FILE", "FILE.jpg", "FILE.PNG", ".png", "FILE.png.gz"], USAGE)}
# values of a row may stand for files
SETUP = "pend.xml"

# pages for browsers need one that `make web` builds
PAGES = {"FILE.html": (OK, IO), "no/such/folder/FILE.html": IO, "FILE.htm": USAGE, "": USAGE, "-": USAGE}
# command -> option -> value -> exit status.  `None` stands for a switch.  DRAW marks what needs OpenGL.
ROWS = {
    "run": {
        "--time": number(["0", "0.01", "1e-9", "0.0", "+0.01"], ["-1", "-1e-9"]),
        "--ctrl": {"wave": USAGE, "none": OK, "noise": OK, "noise:0.1": OK, "keyframe": OK, "keyframe:k1": OK, "csv:ctrl.csv": OK, "csv:mark.csv": OK,
                   **dict.fromkeys(["", "noisy", "noise:", "noise:x", "keyframes", "keyframe:", "keyframe:no", "csv", "none:1"], USAGE),
                   **dict.fromkeys(["csv:", "csv:-", "csv:no.csv", "csv:folder", "csv:short.csv", "csv:empty.csv", "csv:nan.csv", "csv:back.csv"], IO)},
        "--record": {**OUT, "-": OK, "/dev/full": IO},
        "--plot": {"energy": OK, "ncon,qpos": OK, "qpos:j": OK, "qvel:j,ctrl:a,sensor:s": OK, "xpos:b,com:b": OK, "xpos": OK, "com": OK,
                   **dict.fromkeys(["", ",", "energy,", "qpos:", "qpos:no", "qposs", "wings", "ctrl:j", "sensor:no", "xpos:no", "qpos,,qvel"], USAGE)},
        "--plot-file": {**OUT, "/dev/full": IO, "-": USAGE, "with": ["--plot", "energy"]},
        "--key": {"k1": OK, "0": OK, **dict.fromkeys(["", "1", "-1", "k2", "0.0", "nan"], USAGE)},
        "--seed": {**whole(["0", "1000000", "1e3"], ["1000001"]), "with": ["--ctrl", "noise"]},
        "--hash": {None: OK}, "--plugin": PLUGINS,
        "--video": {"FILE.png": OK, "no/such/folder/FILE.png": IO, "": USAGE, "-": USAGE, "DRAW": True, "with": ["--size", "8x8"]},
        "--html": PAGES,
        "--camera": {**CAMERAS, "DRAW": True, "with": ["--video", "v.png", "--size", "8x8"]},
        "--size": {**SIZES, "DRAW": True, "with": ["--video", "v.png"]},
        "--fps": {**number(["30", "0.5", "1000"], ["0", "-1", "1001"]), "DRAW": True, "with": ["--video", "v.png", "--size", "8x8"]},
        "--integrator": INTEGRATORS,
        "--preset": {"mujoco": OK, "animation": OK, "softbody": USAGE, **dict.fromkeys(["", "games", "mujoco,", "MUJOCO"], "BADWORD")},
        "--contact-solver": {"lcp": OK, "xpbd": OK, "hunt_crossley": OK, **dict.fromkeys(["", "no", "lcp:1"], "BADWORD")},
        "--gain": {"*=fixed:2": OK, "a=fixed:2": OK, "*=fixed": OK, **dict.fromkeys(["", "a", "=fixed", "a=", "a=fixed:", "a=fixed:x", "a=fixed:1:2x"], USAGE),
                   **dict.fromkeys(["no=fixed:2", "a=none:2"], "BADWORD")},
        "--save": {**OUT, "/dev/full": IO, "-": USAGE},
        "--json": {None: OK},
        "--quiet": {None: OK},
        "always": ["pend.xml", "--quiet", "--time=0.01"],
    },
    "render": {
        "--camera": CAMERAS, "--size": SIZES,
        "--out": PICTURES, "--plugin": PLUGINS,
        "--time": number(["0", "0.01", "1e-9"], ["-1"]),
        "--keyframe": {"k1": OK, "0": OK, **dict.fromkeys(["", "1", "-1", "k2"], USAGE)},
        "--depth": {None: OK}, "--segmentation": {None: OK}, "--quiet": {None: OK}, "--plain": {None: OK},
        "--ctrl": {"none": OK, "noise": OK, "keyframe:k1": OK, "csv:ctrl.csv": OK, "wave": USAGE, "": USAGE, "nonsense": USAGE, "csv:none.csv": IO},
        "DRAW": True, "always": ["pend.xml", "--quiet", "--size=16x12", "--out=picture.png"],
    },
    "view": {  # without a display: usage errors come first, then that there is none
        "--camera": {"eye": IO}, "--keyframe": {"k1": IO}, "--paused": {None: IO}, "--bare": {None: IO}, "--screenshot": {"a.png": IO, "a.jpg": USAGE, "": USAGE}, "--web": PAGES, "--plugin": dict.fromkeys(PLUGINS, IO),
        "--size": {v: IO if s == OK else s for v, s in SIZES.items()},
        "always": ["pend.xml"],
    },
    "info": {"--json": {None: OK}, "--names": {None: OK}, "always": ["pend.xml"]},
    "compile": {"--quiet": {None: OK}, "always": ["pend.xml", "compiled.xml"]},
    "bench": {"--steps": whole(["1", "10", "1e1"], ["0", "1e10"]), "--noise": number(["0", "0.1", "-1"]), "--json": {None: OK},
              "always": ["pend.xml", "--steps=10"]},
    "batch": {
        "--worlds": whole(["1", "3", "1e1"], ["0", "1e8"]), "--steps": whole(["1", "7"], ["0", "1e10"]), "--threads": whole(["0", "1", "2"], ["257"]),
        "--lanes": whole(["0", "1", "4"], ["2", "3", "5", "6", "7", "9"]), "--noise": number(["0", "0.1"], ["-1", "-1e-9"]),
        "--seed": whole(["0", "9007199254740992"]), "--backend": {"cpu": OK, "cuda": (OK, IO), "": USAGE, "gpu": USAGE, "CPU": USAGE},
        "--tier": {"auto": OK, "base": OK, "": USAGE, "slow": USAGE}, "--precision": {"double": OK, "single": OK, "": USAGE, "half": USAGE},
        "--integrator": INTEGRATORS, "--randomize": {"mass.txt": OK, "state.txt": OK, "nothing.txt": OK, "-": OK, "no.txt": IO, "folder": IO, "": IO, "wrong.txt": USAGE, "result.txt": USAGE},
        "--out": {"FILE.csv": OK, "FILE.npy": OK, "no/such/folder/FILE.csv": IO, **dict.fromkeys(["", "FILE", "FILE.txt", ".npy"], USAGE)}, "--plugin": PLUGINS,
        "--json": {None: OK}, "--quiet": {None: OK},
        "always": ["pend.xml", "--quiet", "--worlds=4", "--steps=5", "--threads=1"],
    },
    "schema": {"--html": {None: OK}, "--attributes": {None: OK}, "--json": {None: OK}, "always": []},
    "completion": {"always": ["bash"]},
    "doctor": {"--json": {None: OK}, "always": []},
    "adopt": {"--undo": {None: IO}, "--system": {None: IO}, "--library": {"no.so": IO, "": IO}, "always": ["folder"]},
    "train": {
        "--out": {"runs": (OK, IO)}, "--samples": {"100": (OK, IO), "x": (USAGE, IO), "": (USAGE, IO)}, "--seed": {"1": (OK, IO), "x": (USAGE, IO)},
        "--method": {"ppo": (OK, IO), "es": (OK, IO), "": (USAGE, IO), "sarsa": (USAGE, IO)}, "--library": {"numpy": (OK, IO), "jax": (USAGE, IO)},
        "--set": {"worlds=2": (OK, IO)}, "--option": {"a=2": (OK, IO)}, "--threads": {"1": (OK, IO), "x": (USAGE, IO)}, "--resume": {None: (OK, IO)},
        "--video": {"FILE.png": (OK, IO)}, "--list": {None: (OK, IO)}, "--quiet": {None: (OK, IO)}, "always": ["--list"],
    },
    "replay": {"--video": {"FILE.png": IO}, "always": ["no.npz"]},
    "compare": {
        "--steps": whole(["0", "2"], ["1e7"]), "--kind": {"both": OK, "model": OK, "step": OK, "contact": OK, "": USAGE, "weight": USAGE},
        "--option": {"cone=1": OK, "cone=1,solver=0": OK, **dict.fromkeys(["", "cone", "cone=", "cone=x", "wings=1", "cone=1,"], USAGE)},
        "--exclude": {"flex": OK, "flex,plugin": OK, **dict.fromkeys(["", "wings", "flex,", "nflex"], USAGE)},
        "--only": {"pend": OK, "nothing": IO}, "--limit": whole(["1", "100"], ["0"]), "--jobs": whole(["1", "2"], ["0", "1001"]),
        "--timeout": whole(["100"], ["0", "1e7"]), "--csv": {**OUT, "-": IO}, "--strict": {None: OK}, "--verbose": {None: OK}, "--quiet": {None: OK}, "--json": {None: OK},
        "--reference": {"no.so": IO, "": IO}, "REFERENCE": True, "always": ["pend.xml", "--steps=2"],
    },
    "race": {
        "--pairs": whole(["1", "3"], ["0"]), "--block": whole(["1", "2"], ["0"]), "--option": {"cone=1": OK, "cone": USAGE}, "--exclude": {"flex": OK, "wings": USAGE},
        "--only": {"pend": OK, "nothing": IO}, "--limit": whole(["1"], ["0"]), "--timeout": whole(["100"], ["0"]), "--csv": {**OUT, "-": IO}, "--json": {None: OK},
        "--reference": {"no.so": IO}, "REFERENCE": True, "always": ["pend.xml", "--pairs=1", "--block=1"],
    },
}
BADWORD = (USAGE,)  # names of parts that do not exist

# command -> arguments besides options -> exit status
MODELS = {("pend.xml",): OK, ("no.xml",): IO, ("folder",): IO, ("",): IO, ("bad.xml",): BAD, ("empty.xml",): BAD, ("wrong.mjb",): BAD, ("-",): BAD, ("/dev/stdin",): BAD,
          ("pend.xml", "pend.xml"): USAGE}
ARGUMENTS = {
    "run": (["--quiet", "--time=0.01"], {(): OK, **MODELS}), "info": ([], {(): OK, **MODELS}), "bench": (["--steps=5"], {(): OK, **MODELS}),
    "batch": (["--quiet", "--worlds=2", "--steps=2"], {(): OK, **MODELS}), "view": ([], {("pend.xml", "pend.xml"): USAGE, (): IO}),
    "render": (["--quiet", "--out=picture.png", "--size=8x8"], MODELS),
    "compile": ([], {(): USAGE, ("pend.xml",): USAGE, ("pend.xml", "FILE.xml"): OK, ("pend.xml", "FILE.mjb"): OK, ("pend.xml", "FILE.txt"): OK, ("pend.xml", "FILE.doc"): USAGE,
                     ("pend.xml", ""): USAGE, ("pend.xml", "no/such/folder/FILE.xml"): IO, ("pend.xml", "no/such/folder/FILE.mjb"): IO, ("pend.xml", "no/such/folder/FILE.txt"): IO,
                     ("no.xml", "FILE.xml"): IO, ("bad.xml", "FILE.xml"): BAD, ("pend.xml", "a.xml", "b.xml"): USAGE}),
    "schema": ([], {(): OK, ("geom",): OK, ("default/geom",): OK, ("geom", "--json"): OK, ("geon",): USAGE, ("",): USAGE, ("geom", "joint"): USAGE, ("eom",): USAGE}),
    "completion": ([], {(): USAGE, ("bash",): OK, ("zsh",): OK, ("fish",): OK, ("csh",): USAGE, ("bash", "zsh"): USAGE}),
    "doctor": ([], {(): OK, ("folder",): OK, ("a", "b"): USAGE}), "adopt": ([], {("folder",): IO, ("a", "b"): USAGE}),
    "train": ([], {("a", "b"): USAGE, ("Nothing-v0",): (USAGE, IO), (): (USAGE, IO)}), "replay": ([], {("a", "b"): USAGE, ("no.npz",): IO, (): USAGE}),
    "compare": ([], {(): USAGE, ("no.xml",): IO}), "race": ([], {(): USAGE, ("no.xml",): IO}),
}

FILES = {
    "pend.xml": MODEL, "ctrl.csv": "time,a\n0,0.5\n0.004,-0.5\n", "mark.csv": "\ufeff0,0.5\n0.004,-0.5\n", "short.csv": "0\n", "empty.csv": "time,a\n",
    "nan.csv": "0,nan\n", "back.csv": "1,0\n0,0\n", "mass.txt": "body_mass scale 0.5 2\n", "state.txt": "# far\nqpos add -0.1 0.1\n\nqvel add 0 1\n",
    "bad.xml": "<mujoco><worldbody><geom siz='1'/></worldbody></mujoco>", "empty.xml": "", "wrong.mjb": "no model", "nothing.txt": "", "wrong.txt": "wings add 0 1\n", "result.txt": "xpos add 0 1\n",
}


class Sweep:
    def __init__(self):
        self.cases, self.failures, self.skipped = 0, [], 0
        self.folder = tempfile.mkdtemp()
        self.has_gl = self.run(["render", SETUP, "--size=8x8", "--quiet", "--out=probe.png"])[0] == OK
        self.has_reference = self.run(["compare", SETUP, "--steps=1"])[0] == OK

    def run(self, words):
        """Run in a folder of its own; exit status, outputs, files that are new."""
        with tempfile.TemporaryDirectory(dir=self.folder) as here:
            for name, text in FILES.items():
                with open(os.path.join(here, name), "w", encoding="utf-8") as f:
                    f.write(text)
            os.makedirs(os.path.join(here, "folder"))
            os.makedirs(os.path.join(here, "folder.png"))
            env = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
            try:
                p = subprocess.run([CF, *words], cwd=here, env=env, capture_output=True, timeout=300, check=False, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                return 999, "", "did not end", {}
            new = {f: os.path.getsize(os.path.join(here, f)) for f in os.listdir(here) if f not in FILES and not f.startswith("folder")}
            return p.returncode, p.stdout.decode(errors="replace"), p.stderr.decode(errors="replace"), new

    def expect(self, words, allowed, files=()):
        """One case: the exit status is one of those, a failure says something, files are those that were asked for."""
        self.cases += 1
        status, out, err, new = self.run(words)
        trouble = None
        if status not in allowed:
            trouble = f"exit status {status}, expected {' or '.join(map(str, allowed))}"
        elif status and "--json" in words and status != UNSTABLE and not parses(out):
            trouble = "a failure with --json, and no JSON"
        elif status and not err.strip():
            trouble = f"exit status {status} without a word"
        elif status == OK and files is not None and any(not new.get(f) for f in files):
            trouble = f"files {new}, expected {files}"
        elif status == OK and "--json" in words and not parses(out if "--record=-" not in words else err):
            trouble = "no JSON"
        elif "Assertion" in err or "ERROR:" in err:
            trouble = "assertion or sanitizer"
        if trouble:
            self.failures.append(f"cortenforge {' '.join(map(repr, words))}: {trouble}\n    {err.strip()[-300:]}")


def parses(text):
    try:
        json.loads(text)
        return True
    except ValueError:
        return False


def statuses(status):
    return BADWORD if status == "BADWORD" else status if isinstance(status, tuple) else (status,)


def values_of(rows):
    return [(v, s) for v, s in rows.items() if v not in ("DRAW", "with", "REFERENCE")]


def words_for(option, value):
    return [option] if value is None else [f"{option}={value}"]


def cases_of(sweep, command, table):
    """(words, allowed exit statuses, files that must come) of a command."""
    rows = ROWS[command]
    always = rows["always"]
    for option in table["options"]:
        name, takes_value = option["name"], option["value"] != ""
        if name not in rows:
            sweep.failures.append(f"{command} {name}: no row in the table of this test")
            continue
        row = rows[name]
        needs = [k for k, missing in (("DRAW", not sweep.has_gl), ("REFERENCE", not sweep.has_reference)) if missing and (rows.get(k) or row.get(k))]
        for value, status in values_of(row):
            if needs and status != USAGE:
                sweep.skipped += 1
                continue
            files = [value] if value and value.startswith("FILE") and name != "--video" else []
            yield [command, *always, *row.get("with", []), *words_for(name, value)], statuses(status), files
        if takes_value:
            yield [command, *always, name], (USAGE,), []
        else:
            yield [command, *always, f"{name}=1"], (USAGE,), []
    for name in rows:
        if name.startswith("--") and name not in [o["name"] for o in table["options"]]:
            sweep.failures.append(f"{command} {name}: a row for an option that the program does not have")
    for odd in ("--no-such-option", "-x", "--", "--jsonx"):
        yield [command, *always, odd], (USAGE,), []
    yield [command, "--help"], (OK,), []
    yield [command, *always, "-h"], (OK,), []
    words, arguments = ARGUMENTS[command]
    for given, status in arguments.items():
        if (rows.get("DRAW") and not sweep.has_gl or rows.get("REFERENCE") and not sweep.has_reference) and status == OK:
            sweep.skipped += 1
        else:
            yield [command, *words, *given], statuses(status), [g for g in given if g.startswith("FILE")]


def all_tables(sweep):
    tables = json.loads(sweep.run(["help", "--json"])[1])
    names = [t["command"] for t in tables]
    for name in set(names) ^ set(ROWS):
        sweep.failures.append(f"{name}: the program and the table of this test do not agree on commands")
    return [t for t in tables if t["command"] in ROWS]


def random_cases(sweep, tables, count, rng):
    """Combinations of two to four options: what is bad in one of them is bad in all."""
    for _ in range(count):
        table = rng.choice([t for t in tables if t["options"] and t["command"] not in ("view", "adopt", "compare", "race", "doctor", "train", "replay")])
        rows = ROWS[table["command"]]
        if rows.get("DRAW") and not sweep.has_gl:
            continue
        needs, chosen, seen = [table["command"], *rows["always"]], [], set()
        for option in rng.sample(table["options"], min(len(table["options"]), rng.randint(2, 4))):
            row = rows.get(option["name"], {})
            if not values_of(row) or (row.get("DRAW") and not sweep.has_gl):
                continue
            good = [v for v in values_of(row) if v[1] == OK]
            value, status = rng.choice(values_of(row) if rng.random() < 0.25 or not good else good)
            # what an option needs comes first: its own value counts where it is given again
            needs += row.get("with", [])
            chosen += words_for(option["name"], value)
            seen |= set(statuses(status))
        words = needs + chosen
        if "--depth" in words and "--segmentation" in words:
            seen.add(USAGE)
        # parts may contradict each other, which is said, and no page is written with them
        parts = [w for w in words if w.split("=")[0] in ("--preset", "--contact-solver", "--gain", "--integrator")]
        if any(w.startswith("--html") for w in words) and (parts or any(w.startswith("--plugin") for w in words)):
            seen.add(USAGE)
        if len(parts) < 2 or seen - {OK}:
            seen.discard(OK)
        else:
            seen |= {OK, USAGE}
        yield words, tuple(seen) or (OK,), None


def check_numbers(sweep):
    """Rows of run --record against a program of its own."""
    with open(os.path.join(sweep.folder, "pend.xml"), "w", encoding="utf-8") as f:
        f.write(MODEL)
    with open(os.path.join(sweep.folder, "c.csv"), "w", encoding="utf-8") as f:
        f.write("3,0.5\n3.01,-0.5\n")
    pend = os.path.join(sweep.folder, "pend.xml")
    cases = [(pend, -1, 30, "none", "none"), (pend, 0, 30, "key", "keyframe:k1"), (pend, 0, 30, os.path.join(sweep.folder, "c.csv"), "csv:" + os.path.join(sweep.folder, "c.csv"))]
    models = ["humanoid", "stack", "muscles", "options/rk4", "options/implicit", "soft/jelly", "sensors/imu", "actuators/delays", "sleep/policies", "equality/mocap_drag"]
    if SOAK:
        models = [os.path.relpath(os.path.join(d, f), os.path.join(SOURCE, "models"))[:-4] for d, _, fs in os.walk(os.path.join(SOURCE, "models"))
                  for f in sorted(fs) if f.endswith(".xml") and "/parts" not in d and "/files" not in d]
    cases += [(os.path.join(SOURCE, "models", m + ".xml"), -1, 20, "none", "none") for m in models]
    for model, key, steps, kind, ctrl in cases:
        sweep.cases += 1
        wanted = subprocess.run([STEPPER, model, str(key), str(steps), kind], capture_output=True, text=True, check=False)
        timestep = float(json.loads(subprocess.run([CF, "run", model, "--time=0", "--quiet", "--json"], capture_output=True, text=True, check=True).stdout)["timestep"])
        got = subprocess.run([CF, "run", model, f"--time={steps * timestep:.17g}", "--quiet", "--hash", "--record=-", f"--ctrl={ctrl}",
                              "--plot=energy,ncon,qpos,qvel,ctrl,sensor,xpos,com", "--plot-file=/dev/null", *([f"--key={key}"] if key >= 0 else [])],
                             capture_output=True, text=True, check=False)
        a, b = list(csv.reader(wanted.stdout.splitlines())), list(csv.reader(got.stdout.splitlines()))[1:]
        if wanted.returncode or got.returncode or len(a) != steps + 1 or a != b:
            where = next((f"row {i} column {j}: {y} instead of {x}" for i, (r, s) in enumerate(zip(a, b)) for j, (x, y) in enumerate(zip(r, s)) if x != y), "")
            sweep.failures.append(f"run --record of {model}: {len(b)} rows of {len(a)}; {where}{wanted.stderr[-200:]}{got.stderr[-200:]}")


def main():
    sweep = Sweep()
    tables = all_tables(sweep)
    cases = [c for t in tables for c in cases_of(sweep, t["command"], t)]
    if SOAK:
        cases += [([*words, "--json"], allowed, None) for words, allowed, _ in cases if words[0] in ("run", "info", "bench", "batch", "schema") and "--" not in words
                  and "--html" not in words]
        cases += list(random_cases(sweep, tables, 6000, random.Random(7)))
    with concurrent.futures.ThreadPoolExecutor(max_workers=4) as pool:
        list(pool.map(lambda c: sweep.expect(*c), cases))
    check_numbers(sweep)
    for failure in sweep.failures[:40]:
        print("FAILED", failure)
    print(f"{sweep.cases} cases, {len(sweep.failures)} failures, {sweep.skipped} left out without OpenGL or a reference")
    if sweep.failures:
        return 1
    return 77 if sweep.skipped else 0


if __name__ == "__main__":
    sys.exit(main())
