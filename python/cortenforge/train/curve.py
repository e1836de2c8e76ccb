"""Curves of training as SVG, without a library for plots."""
from __future__ import annotations

import csv
import math
import os
from typing import Sequence
from xml.sax.saxutils import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 400, 78, 24, 44, 54
COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#ff7f0e", "#9467bd")


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between two bounds, at most eight."""
    rough = (high - low) / 7
    size = 10 ** math.floor(math.log10(rough))
    step = next(size * k for k in (1, 2, 5, 10) if size * k >= rough)
    return [k * step for k in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _short(x: float) -> str:
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(x) >= size:
            return f"{x / size:g}{unit}"
    return f"{round(x, 9):g}"


def svg(series: dict[str, Sequence[tuple[float, float]]], title: str, across: str = "samples", along: str = "mean return") -> str:
    """Lines of points (x, y) by name; points that are not finite are left out."""
    lines = {name: [(x, y) for x, y in points if math.isfinite(x) and math.isfinite(y)] for name, points in series.items()}
    points = [p for line in lines.values() for p in line] or [(0.0, 0.0)]
    left, right = min(0.0, min(p[0] for p in points)), max(p[0] for p in points)
    low, high = min(p[1] for p in points), max(p[1] for p in points)
    right, margin = right if right > left else left + 1, 0.05 * (high - low) or 1.0
    low, high = low - margin, high + margin

    def place(x: float, y: float) -> tuple[float, float]:
        return (LEFT + (x - left) / (right - left) * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - (y - low) / (high - low) * (HEIGHT - TOP - BOTTOM))

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">', f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             f'<text x="{LEFT}" y="24" font-size="15">{escape(title)}</text>']
    for x in _ticks(left, right):
        at, _ = place(x, low)
        parts.append(f'<path d="M{at:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#e4e4e4"/>'
                     f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{_short(x)}</text>')
    for y in _ticks(low, high):
        _, at = place(left, y)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#e4e4e4"/>'
                     f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{_short(y)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2:.0f}" y="{HEIGHT - 14}" text-anchor="middle">{escape(across)}</text>'
                 f'<text transform="translate(18 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">{escape(along)}</text>')
    for k, (name, line) in enumerate(lines.items()):
        color = COLORS[k % len(COLORS)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*p) for p in line))
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.6"/>')
        if len(lines) > 1:
            parts.append(f'<text x="{LEFT + 12}" y="{TOP + 16 + 16 * k}" fill="{color}">{escape(name)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def from_table(path: str | os.PathLike[str], title: str) -> str:
    """The curve of a table that a run wrote."""
    with open(path, newline="") as file:
        rows = [(float(row["samples"]), float(row["return"])) for row in csv.DictReader(file) if row["return"]]
    return svg({title: rows}, title)
