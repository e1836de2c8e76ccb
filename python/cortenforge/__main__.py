"""Commands of the package: `python -m cortenforge train TASK`, `python -m cortenforge replay FILE`."""
from __future__ import annotations

import argparse
import ast
import sys
from pathlib import Path
from typing import Any

OK, USAGE, IO, UNSTABLE = 0, 2, 3, 4


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _pairs(given: list[str]) -> dict[str, Any]:
    pairs: dict[str, Any] = {}
    for text in given:
        name, is_pair, value = text.partition("=")
        if not is_pair or not name:
            raise ValueError(f"{text!r}: expected NAME=VALUE")
        pairs[name] = _value(value)
    return pairs


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="cortenforge", description="Commands of the Python package.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    train = commands.add_parser("train", help="train a policy for a task", description="Train a policy; the folder gets progress.csv, curve.svg, "
                                "checkpoint.npz and replay.npz. A run with the same settings has the same bits on the same machine.")
    train.add_argument("task", nargs="?", help="name of a task, such as HalfCheetah-v5; --list prints them")
    train.add_argument("--list", action="store_true", help="print the tasks and what is known to work for them")
    train.add_argument("--out", metavar="FOLDER", help="where files go (runs/TASK-SEED)")
    train.add_argument("--samples", type=int, metavar="N", help="steps of all worlds together")
    train.add_argument("--seed", type=int, default=0, metavar="N", help="of the run (0)")
    train.add_argument("--method", choices=("ppo", "es"), help="proximal policy optimization or evolution strategies (ppo)")
    train.add_argument("--library", choices=("numpy", "torch"), help="that networks are computed with (numpy)")
    train.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting: worlds, length, rate, hidden, ...")
    train.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help="an option of the task")
    train.add_argument("--threads", type=int, default=0, metavar="N", help="that step worlds, 0 for one per processor (0)")
    train.add_argument("--resume", action="store_true", help="go on from the checkpoint in the folder")
    train.add_argument("--video", metavar="FILE", help="film of an episode at the end (FILE.mp4 by ffmpeg, or FILE.png for numbered pictures)")
    train.add_argument("--quiet", action="store_true", help="no progress")
    replay = commands.add_parser("replay", help="replay a recorded episode bit by bit",
                                 description="Replay an episode and compare the state after every step with the recording, by its hash. "
                                             "Exit status 4 where a bit differs.")
    replay.add_argument("file", help="a file that train wrote, replay.npz")
    replay.add_argument("--video", metavar="FILE", help="film of the episode")
    return parser


def _list() -> None:
    from .envs.registration import TASKS
    from .train.settings import PRESETS
    for name in sorted(TASKS, key=lambda name: (name.startswith("dmc-"), name)):
        print(f"{name:32s} {PRESETS.get(name, {}).get('samples', 1_000_000):>12,} samples")


def _train(arguments: argparse.Namespace) -> int:
    from .train import Settings, train
    if arguments.list:
        _list()
        return OK
    if not arguments.task:
        raise ValueError("name a task; --list prints them")
    given = {name: getattr(arguments, name) for name in ("samples", "method", "library") if getattr(arguments, name) is not None}
    more = _pairs(arguments.set)
    for name, instead in (("task", "as the first argument"), ("seed", "by --seed"), ("options", "by --option")):
        if name in more:
            raise ValueError(f"--set {name}: give it {instead}")
    if "hidden" in more:
        more["hidden"] = tuple(more["hidden"]) if isinstance(more["hidden"], (list, tuple)) else (more["hidden"],)
    settings = Settings.of(arguments.task, **{**more, **given}, seed=arguments.seed, options=_pairs(arguments.option))
    folder = Path(arguments.out or f"runs/{settings.task}-{settings.seed}")
    result = train(settings, folder, resume=arguments.resume, threads=arguments.threads, out=None if arguments.quiet else sys.stderr)
    returns = result["returns"]
    print(f"{settings.task}: return {sum(returns) / len(returns):.1f} without noise ({min(returns):.1f} to {max(returns):.1f} of {len(returns)} episodes), "
          f"{result['samples']:,} samples, {result['seconds']:.0f} s, {result['cpu_seconds']:.0f} s of processor time")
    print(f"files: {folder}/curve.svg progress.csv checkpoint.npz replay.npz")
    return _film(folder / "replay.npz", arguments.video) if arguments.video else OK


def _film(path: str | Path, video: str) -> int:
    from .envs import recording
    from .envs.film import Film
    from .envs.render import Painter
    film = painter = None
    for s, _ in recording.steps(path):
        if film is None or painter is None:
            painter = Painter(s, "rgb_array", 640, 480, None)
            film = Film(video, 640, 480, 1 / s.worlds.dt)
        film.add(painter.draw([0])[0])
    if film is not None and painter is not None:
        painter.close()
        print(f"film: {film.close()}")
    return OK


def _replay(arguments: argparse.Namespace) -> int:
    from .envs import recording
    kept = recording.read(arguments.file)
    rewards = [reward for _, reward in recording.steps(arguments.file)]
    print(f"{kept['task']}: {len(rewards) - 1} steps replayed, every state and reward has the recorded bits; return {sum(rewards):.6g}")
    return _film(arguments.file, arguments.video) if arguments.video else OK


def main(arguments: list[str] | None = None) -> int:
    from .envs.recording import ReplayError
    parser = _parser()
    given = parser.parse_args(arguments)
    try:
        return _train(given) if given.command == "train" else _replay(given)
    except ReplayError as error:
        print(f"cortenforge {given.command}: {error}", file=sys.stderr)
        return UNSTABLE
    except (OSError, ImportError) as error:
        print(f"cortenforge {given.command}: {error}", file=sys.stderr)
        return IO
    except (ValueError, TypeError, OverflowError) as error:
        print(f"cortenforge {given.command}: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        print(f"\ncortenforge {given.command}: interrupted; --resume goes on from the checkpoint", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
