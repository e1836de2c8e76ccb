"""Tasks of our own, on models of ours."""
from __future__ import annotations

from ..task import Task
from .arms import MuscleReach, PegInHole, PickPlace
from .flight import Drone
from .hands import CubeInHand, SoftGrasp
from .legs import BipedWalk, QuadrupedFlat, QuadrupedTerrain
from .poles import CartpoleBalance, CartpoleSwingUp

TASKS: dict[str, type[Task]] = {
    "CartpoleBalance-v0": CartpoleBalance, "CartpoleSwingUp-v0": CartpoleSwingUp, "QuadrupedTerrain-v0": QuadrupedTerrain,
    "QuadrupedFlat-v0": QuadrupedFlat, "BipedWalk-v0": BipedWalk, "CubeInHand-v0": CubeInHand, "PickPlace-v0": PickPlace,
    "Drone-v0": Drone, "SoftGrasp-v0": SoftGrasp, "MuscleReach-v0": MuscleReach, "PegInHole-v0": PegInHole}
