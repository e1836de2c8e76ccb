#!/usr/bin/env python3
"""Pictures of docs/softbodies.md from the points that bench/softbodies writes.

  plot_softbodies.py POINTS.csv [FOLDER]     FOLDER: docs/softbodies

A series whose name has 'theory' or 'closed form' is a line, any other one marks.
"""
import csv
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 70, 20, 34, 50
COLORS = ['#1f6fb4', '#c8442b', '#3a8f3a', '#8a5bb0', '#b8860b', '#2a9d9d', '#7f7f7f', '#d05fa0']
PICTURES = {
    'stretch': ('A stretched cube, poisson 0.3', 'stretch', 'nominal stress, Pa'),
    'small': ('Neo-Hookean over linear', 'strain, %', 'ratio of forces'),
    'volume': ('Volume of a cube that is pulled', 'stretch', 'volume over that at rest'),
    'beam': ('Solid cantilever under its weight', 'distance from the clamp, m', 'deflection, mm'),
    'strip': ('Strip under its weight, 20 cells long', 'distance from the clamp, m', 'deflection, mm'),
    'plate': ('Triangular plate, 24 cells a side, border held', 'along the height, m', 'deflection, mm'),
    'momentum': ('Change of the angular momentum of a free cube', 'time, s', 'relative, power of ten'),
}


# where the legend starts, as shares of the frame: away from the points
LEGEND = {'stretch': (0.5, 0.55), 'beam': (0, 0.55), 'strip': (0, 0.75), 'small': (0, 0.8), 'plate': (0.35, 0.02), 'momentum': (0.45, 0.6)}


def read(path):
    found = {}
    with open(path, encoding='utf8') as f:
        for picture, series, x, y in csv.reader(f):
            found.setdefault(picture, {}).setdefault(series, []).append((float(x), float(y)))
    return found


def ticks(low, high):
    """about six round numbers"""
    span = high - low
    step = 10 ** len(str(int(span))) if span >= 1 else 1.0
    while span / step < 5:
        step /= 2 if str(step).strip('0.')[:1] in ('1', '2') else 2.5
    start = int(low / step) - 1
    return [k * step for k in range(start, start + 40) if low - 1e-9 * span <= k * step <= high + 1e-9 * span]


def draw(picture, series):
    title, xlabel, ylabel = PICTURES[picture]
    every = [p for points in series.values() for p in points]
    xs, ys = [p[0] for p in every], [p[1] for p in every]
    x0, x1 = min(xs), max(xs)
    pad = 0.05 * (max(ys) - min(ys) or 1)
    y0, y1 = min(ys) - pad, max(ys) + pad

    def place(p):
        return (f'{LEFT + (p[0] - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT):.1f}',
                f'{HEIGHT - BOTTOM - (p[1] - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM):.1f}')

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
           f'<text x="{WIDTH / 2}" y="20" text-anchor="middle" font-size="15">{title}</text>']
    for t in ticks(x0, x1):
        x, _ = place((t, y0))
        out.append(f'<path d="M{x} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/><text x="{x}" y="{HEIGHT - BOTTOM + 16}" '
                   f'text-anchor="middle">{t:g}</text>')
    for t in ticks(y0, y1):
        _, y = place((x0, t))
        out.append(f'<path d="M{LEFT} {y}H{WIDTH - RIGHT}" stroke="#ddd"/><text x="{LEFT - 6}" y="{float(y) + 4:.1f}" '
                   f'text-anchor="end">{t:g}</text>')
    out.append(f'<text x="{WIDTH / 2}" y="{HEIGHT - 12}" text-anchor="middle">{xlabel}</text>'
               f'<text transform="translate(16 {HEIGHT / 2}) rotate(-90)" text-anchor="middle">{ylabel}</text>')
    marks = [s for s in series if not is_line(s)]
    across, down = LEGEND.get(picture, (0, 0))
    legend_x = LEFT + 10 + across * (WIDTH - LEFT - RIGHT)
    for k, (name, points) in enumerate(series.items()):
        color = '#333' if is_line(name) else COLORS[marks.index(name) % len(COLORS)]
        if is_line(name) or picture == 'momentum':
            path = 'M' + 'L'.join(' '.join(place(p)) for p in points)
            out.append(f'<path d="{path}" fill="none" stroke="{color}" stroke-width="1.3"/>')
        else:
            out += ['<circle cx="{}" cy="{}" r="3" fill="{}"/>'.format(*place(p), color) for p in points]
        y = TOP + 14 + 15 * k + down * (HEIGHT - TOP - BOTTOM)
        out.append(f'<rect x="{legend_x:g}" y="{y - 8:g}" width="10" height="{2 if is_line(name) else 8}" fill="{color}"/>'
                   f'<text x="{legend_x + 16:g}" y="{y:g}">{name}</text>')
    return '\n'.join(out + ['</svg>', ''])


def is_line(name):
    return 'theory' in name or 'closed form' in name


def main():
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(ROOT, 'docs', 'softbodies')
    os.makedirs(folder, exist_ok=True)
    for picture, series in read(sys.argv[1]).items():
        with open(os.path.join(folder, picture + '.svg'), 'w', encoding='utf8') as f:
            f.write(draw(picture, series))


if __name__ == '__main__':
    main()
