"""Tasks of dm_control's suite, equal to dm_control's own code on this engine within rounding.

Models are read from the user's dm_control.  As there, positions and velocities of bodies and their sensors belong to the
state after a step, sensors of forces to the last state before it.
"""
from __future__ import annotations

from typing import Any

from ..task import Task
from .base import SuiteTask
from .poles import Acrobot, BallInCup, Cartpole, LQR, Pendulum, PointMass, Reacher
from .animals import Cheetah, Finger, Fish, Hopper, Humanoid, HumanoidCMU, Swimmer, Walker
from .arms import Manipulator, Stacker
from .fourlegs import Quadruped, Dog

# domain and task as dm_control names them, and the options that make them
SUITE: dict[tuple[str, str], tuple[type[SuiteTask], dict[str, Any]]] = {
    ("acrobot", "swingup"): (Acrobot, {}), ("acrobot", "swingup_sparse"): (Acrobot, {"sparse": True}),
    ("ball_in_cup", "catch"): (BallInCup, {}),
    ("cartpole", "balance"): (Cartpole, {}), ("cartpole", "balance_sparse"): (Cartpole, {"sparse": True}),
    ("cartpole", "swingup"): (Cartpole, {"swing_up": True}), ("cartpole", "swingup_sparse"): (Cartpole, {"swing_up": True, "sparse": True}),
    ("cartpole", "two_poles"): (Cartpole, {"swing_up": True, "poles": 2}), ("cartpole", "three_poles"): (Cartpole, {"swing_up": True, "poles": 3}),
    ("cheetah", "run"): (Cheetah, {}),
    ("dog", "stand"): (Dog, {}), ("dog", "walk"): (Dog, {"move_speed": 1}), ("dog", "trot"): (Dog, {"move_speed": 3}),
    ("dog", "run"): (Dog, {"move_speed": 9}), ("dog", "fetch"): (Dog, {"fetch": True}),
    ("finger", "spin"): (Finger, {}), ("finger", "turn_easy"): (Finger, {"target_size": 0.07}), ("finger", "turn_hard"): (Finger, {"target_size": 0.03}),
    ("fish", "upright"): (Fish, {}), ("fish", "swim"): (Fish, {"swim": True}),
    ("hopper", "stand"): (Hopper, {}), ("hopper", "hop"): (Hopper, {"hop": True}),
    ("humanoid", "stand"): (Humanoid, {}), ("humanoid", "walk"): (Humanoid, {"move_speed": 1}), ("humanoid", "run"): (Humanoid, {"move_speed": 10}),
    ("humanoid", "run_pure_state"): (Humanoid, {"move_speed": 10, "pure_state": True}),
    ("humanoid_CMU", "stand"): (HumanoidCMU, {}), ("humanoid_CMU", "walk"): (HumanoidCMU, {"move_speed": 1}),
    ("humanoid_CMU", "run"): (HumanoidCMU, {"move_speed": 10}),
    ("lqr", "lqr_2_1"): (LQR, {}), ("lqr", "lqr_6_2"): (LQR, {"bodies": 6, "actuators": 2}),
    ("manipulator", "bring_ball"): (Manipulator, {}), ("manipulator", "bring_peg"): (Manipulator, {"peg": True}),
    ("manipulator", "insert_ball"): (Manipulator, {"insert": True}), ("manipulator", "insert_peg"): (Manipulator, {"peg": True, "insert": True}),
    ("pendulum", "swingup"): (Pendulum, {}), ("point_mass", "easy"): (PointMass, {}), ("point_mass", "hard"): (PointMass, {"hard": True}),
    ("quadruped", "walk"): (Quadruped, {}), ("quadruped", "run"): (Quadruped, {"speed": 5}), ("quadruped", "fetch"): (Quadruped, {"fetch": True}),
    ("reacher", "easy"): (Reacher, {}), ("reacher", "hard"): (Reacher, {"target_size": 0.015}),
    ("stacker", "stack_2"): (Stacker, {}), ("stacker", "stack_4"): (Stacker, {"boxes": 4}),
    ("swimmer", "swimmer6"): (Swimmer, {}), ("swimmer", "swimmer15"): (Swimmer, {"links": 15}),
    ("walker", "stand"): (Walker, {}), ("walker", "walk"): (Walker, {"move_speed": 1}), ("walker", "run"): (Walker, {"move_speed": 8}),
}


def _named(kind: type[SuiteTask], given: dict[str, Any], name: str) -> type[SuiteTask]:
    """The task with its options as defaults."""
    return type(f"{kind.__name__}_{name}", (kind,), {"options": given, "__module__": __name__})


TASKS: dict[str, type[Task]] = {f"dmc-{domain}-{task}-v0": _named(kind, given, task) for (domain, task), (kind, given) in SUITE.items()}
globals().update({kind.__name__: kind for kind in TASKS.values()})      # pickles find the tasks here
