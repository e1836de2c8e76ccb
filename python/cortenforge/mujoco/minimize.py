"""Nonlinear least squares with box constraints, with the interface of mujoco.minimize.

The method is Levenberg-Marquardt (Marquardt 1963) on the Gauss-Newton model of the objective; each step minimizes the
regularized quadratic model within the bounds by mju_boxQP.
"""
from __future__ import annotations

import abc
import dataclasses
import enum
import sys
import time
from typing import Any, Callable, Sequence, TextIO

import numpy as np

from .. import _core


class Verbosity(enum.Enum):
    SILENT = 0
    FINAL = 1
    ITER = 2
    FULLITER = 3


class Status(enum.Enum):
    MAX_ITER = enum.auto()
    NO_IMPROVEMENT = enum.auto()
    G_TOL = enum.auto()
    DX_TOL = enum.auto()


_MESSAGES = {Status.MAX_ITER: "maximum iterations reached.", Status.NO_IMPROVEMENT: "insufficient reduction.",
             Status.G_TOL: "norm(gradient) < tol.", Status.DX_TOL: "norm(dx) < tol."}


@dataclasses.dataclass(frozen=True)
class IterLog:
    """One iteration: where it started, what it gained, and with FULLITER what it computed."""
    candidate: np.ndarray
    objective: float
    reduction: float
    regularizer: float
    residual: np.ndarray | None = None
    jacobian: np.ndarray | None = None
    grad: np.ndarray | None = None
    step: np.ndarray | None = None


class Norm(abc.ABC):
    """Scalar function of the residual that is minimized."""

    @abc.abstractmethod
    def value(self, r: np.ndarray) -> Any:
        """Value at the residual `r`, a column."""

    @abc.abstractmethod
    def grad_hess(self, r: np.ndarray, proj: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Gradient and Gauss-Newton Hessian at `r`, projected by `proj`, the Jacobian of the residual."""


class Quadratic(Norm):
    """Half the sum of squares."""

    def value(self, r):
        return 0.5 * np.sum(r * r)

    def grad_hess(self, r, proj):
        return proj.T @ r, proj.T @ proj


def _check_bounds(bounds, n):
    if bounds is None:
        return None
    if len(bounds) != 2:
        raise ValueError("bounds must be a pair: lower and upper")
    lower, upper = (np.asarray(b, np.float64).reshape(-1) for b in bounds)
    if lower.size != n or upper.size != n:
        raise ValueError(f"bounds must have {n} elements each, as the initial guess has")
    if not np.all(np.isfinite(lower)) or not np.all(np.isfinite(upper)):
        raise ValueError("bounds must be finite")
    if np.any(lower >= upper):
        raise ValueError("lower bounds must be below upper bounds")
    return [lower.reshape(-1, 1), upper.reshape(-1, 1)]


def jacobian_fd(residual: Callable[[np.ndarray], np.ndarray], x: np.ndarray, r: np.ndarray, eps: float, n_res: int,
                bounds: Sequence[np.ndarray] | None = None) -> tuple[np.ndarray, int]:
    """Jacobian of the residual by forward differences, in one call of it; backward where a bound is near."""
    n = x.size
    step = np.full((n, 1), eps) * np.maximum(1, np.abs(x))
    if bounds is not None:
        step = np.where(x + step > bounds[1], -step, step)
    points = x + np.diag(step.ravel())
    values = np.asarray(residual(points), np.float64).reshape(r.size, n)
    return (values - r.reshape(-1, 1)) / step.ravel(), n_res + n


def check_jacobian(residual: Callable[[np.ndarray], np.ndarray], x: np.ndarray, r: np.ndarray, jac: np.ndarray, eps: float, n_res: int,
                   bounds: Sequence[np.ndarray] | None = None, output: TextIO | None = None, name: str = "Jacobian") -> int:
    """Compare a Jacobian with finite differences; ValueError if they differ."""
    expected, n_res = jacobian_fd(residual, x, r, eps, n_res, bounds)
    difference = np.abs(jac - expected)
    if np.any(difference > 1e-4 * (1 + np.abs(expected)) + 10 * eps):
        raise ValueError(f"{name} does not match finite differences: the largest difference is {difference.max():g}")
    if output is not None:
        print(f"User-provided {name} matches finite-difference Jacobian.", file=output)
    return n_res


def check_norm(r: np.ndarray, norm: Norm, eps: float, output: TextIO | None = None) -> None:
    """Compare gradient and Hessian of a norm with finite differences; ValueError if they differ or make no sense."""
    n = r.size
    r = r.reshape(-1, 1)
    grad, hess = norm.grad_hess(r, np.eye(n))
    step = np.eye(n) * max(eps, 1e-6)
    h = step[0, 0] if n else 1.0
    expected = np.array([(norm.value(r + s) - norm.value(r - s)) / (2 * h) for s in step.reshape(n, n, 1)]).reshape(-1, 1)
    if np.any(np.abs(np.reshape(grad, (-1, 1)) - expected) > 1e-5 * (1 + np.abs(expected))):
        raise ValueError("User-provided norm gradient does not match finite differences")
    if output is not None:
        print("User-provided norm gradient matches finite-difference gradient.", file=output)
    if np.any(np.abs(hess - hess.T) > 1e-8 * (1 + np.abs(hess).max())):
        raise ValueError("User-provided norm Hessian is not symmetric")
    columns = [(norm.grad_hess(r + s, np.eye(n))[0] - norm.grad_hess(r - s, np.eye(n))[0]) / (2 * h) for s in step.reshape(n, n, 1)]
    if np.linalg.eigvalsh(hess).min() < -1e-8 * (1 + np.abs(hess).max()):
        raise ValueError("User-provided norm Hessian is not positive definite")
    if np.any(np.abs(np.hstack([np.reshape(c, (-1, 1)) for c in columns]) - hess) > 1e-5 * (1 + np.abs(hess))):
        raise ValueError("User-provided norm Hessian does not match finite differences")
    if output is not None:
        print("User-provided norm Hessian matches finite-difference Hessian.", file=output)


def _solve(hess, grad, x, bounds, start):
    """Step that minimizes the quadratic model within the bounds; None if the Hessian is not positive definite."""
    n = x.size
    lower = upper = None
    if bounds is not None:
        lower, upper = (np.ascontiguousarray((b - x).ravel()) for b in bounds)
    step = np.ascontiguousarray(start.ravel() if lower is None else np.clip(start.ravel(), lower, upper))
    free = _core.mju_boxQP(step, np.zeros((n, n + 7)), None, np.ascontiguousarray(hess), np.ascontiguousarray(grad.ravel()), lower, upper)
    return None if free < 0 else step.reshape(-1, 1)


def least_squares(x0: np.ndarray, residual: Callable[[np.ndarray], np.ndarray], bounds: Sequence[np.ndarray] | None = None,
                  jacobian: Callable[[np.ndarray, np.ndarray], np.ndarray] | None = None, norm: Norm = Quadratic(),
                  eps: float = float(np.finfo(np.float64).eps ** 0.5), mu_min: float = 1e-6, mu_max: float = 1e8,
                  mu_factor: float = 10.0 ** 0.1, xtol: float = 1e-8, gtol: float = 1e-8, max_iter: int = 100,
                  verbose: Verbosity | int = Verbosity.ITER, output: TextIO | None = None,
                  iter_callback: Callable[[list[IterLog]], None] | None = None,
                  check_derivatives: bool = False) -> tuple[np.ndarray, list[IterLog]]:
    """Minimize norm(residual(x)) and return (x, trace).

    residual: takes points as columns (n, k), returns residuals as columns;  jacobian(x, r): by finite differences if None
    bounds: lower and upper;  mu_min, mu_max, mu_factor: regularizer of the steps and how it changes
    xtol, gtol: the search ends at a smaller step or gradient;  verbose, output: what is printed and where
    iter_callback(trace): called after each iteration;  check_derivatives: compare `jacobian` and `norm` with differences
    """
    verbosity = Verbosity(verbose)
    out = output if output is not None else sys.stdout
    say = (lambda text, level: print(text, file=out) if verbosity.value >= level.value else None)
    shape = np.shape(x0)
    x = np.asarray(x0, np.float64).reshape(-1, 1)
    limits = _check_bounds(bounds, x.size)
    if limits is not None:
        x = np.clip(x, *limits)
    begin, n_res, mu, dx, trace = time.perf_counter(), 1, 0.0, np.zeros_like(x), []
    r = np.asarray(residual(x), np.float64).reshape(-1, 1)
    value, status = float(norm.value(r)), Status.MAX_ITER
    for i in range(max_iter):
        if jacobian is None:
            jac, n_res = jacobian_fd(residual, x, r, eps, n_res, limits)
        else:
            jac = np.asarray(jacobian(x, r), np.float64)
            if check_derivatives and i == 0:
                n_res = check_jacobian(residual, x, r, jac, eps, n_res, limits, out)
        if check_derivatives and i == 0 and not isinstance(norm, Quadratic):
            check_norm(r, norm, eps, out)
        grad, hess = (np.asarray(a, np.float64) for a in norm.grad_hess(r, jac))
        grad = grad.reshape(-1, 1)
        free = np.ones(x.shape, bool) if limits is None else ~(((x <= limits[0]) & (grad > 0)) | ((x >= limits[1]) & (grad < 0)))
        reduction, step, done = 0.0, np.zeros_like(x), None
        if np.linalg.norm(grad[free]) < gtol:
            done = Status.G_TOL
        while done is None:
            trial = _solve(hess + mu * np.eye(x.size), grad, x, limits, dx)
            if trial is not None:
                step = trial
                if np.linalg.norm(step) < xtol * (1 + np.linalg.norm(x)):
                    done = Status.DX_TOL
                    break
                r_new = np.asarray(residual(x + step), np.float64).reshape(-1, 1)
                n_res += 1
                reduction = value - float(norm.value(r_new))
                if reduction > 0:
                    break
            if mu >= mu_max:
                done = Status.NO_IMPROVEMENT
            mu = min(mu_max, max(mu_min, mu * mu_factor ** 5))
        full = {"residual": r.copy(), "jacobian": jac.copy(), "grad": grad.copy(), "step": step.copy()} if (
            verbosity is Verbosity.FULLITER) else {}
        trace.append(IterLog(x.copy(), value, max(reduction, 0.0), mu, **full))
        say(f"iter: {i:<3d} y: {value:<9.4g} log10(mu): {np.log10(mu) if mu else -np.inf:>4.1f} ratio: {reduction:<7.2g} "
            f"dx: {np.linalg.norm(step):<7.2g}", Verbosity.ITER)
        if iter_callback is not None:
            iter_callback(trace)
        if done is not None:
            status = done
            break
        expected = -float((grad.T @ step + 0.5 * step.T @ hess @ step)[0, 0])
        x, r, value, dx = x + step, r_new, value - reduction, step
        ratio = reduction / expected if expected > 0 else 0.0
        mu = (0.0 if mu <= mu_min else mu / mu_factor ** (1 if ratio < 0.5 else 4)) if ratio > 0.1 else min(mu_max, max(mu_min, mu * mu_factor))
    say(f"Terminated after {len(trace)} iterations: {_MESSAGES[status]} " + ("exact minimum found, " if value == 0 else "")
        + f"y: {value:.4g}, Residual evals: {n_res:d}, total time {time.perf_counter() - begin:.3f} s", Verbosity.FINAL)
    return x.reshape(shape), trace
