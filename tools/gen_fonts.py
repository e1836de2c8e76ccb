#!/usr/bin/env python3
"""Draw the bitmap fonts of the renderer from DejaVu Sans: src/show/render/glyphs.def.

  gen_fonts.py [--check] [FONT]     FONT: DejaVuSans.ttf (Debian's fonts-dejavu-core)

Needs FreeType by `pip install freetype-py==2.5.1`.  Letters are hinted for pictures of one bit at each size.  The pixels to the next
letter are those of MuJoCo (measured by mjrContext.charWidth), so that texts take the same place; a letter that is wider is
drawn narrower.  --check compares and writes nothing; 77 if FreeType or the font cannot be had.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, 'src', 'show', 'render', 'glyphs.def')
FONT = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf'
DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

# the version that drew the committed table, in freetype-py 2.5.1; others may hint differently
VERSION = (2, 13, 2)

# heights of lines and of the letters' em in them [pixel]: an em whose digits are as wide as MuJoCo's
SIZES = [(11, 8), (18, 13), (28, 19), (37, 25), (45, 30), (54, 36), (71, 47), (89, 60), (106, 71)]

HEAD = '''\
// Letters as bitmaps, printable characters from 32 on in lines of nine heights: character, height of the line, pixels to the next
// letter, and the rows of the letter.  Written by tools/gen_fonts.py from DejaVu Sans (docs/licenses.md); the pixels to the next
// letter are those of MuJoCo, so that texts take the same place.  Numbers are digits 0 to 9, A to Z, a to z.  A word stands for a
// row from the top on: how often it comes, then pixels that are clear and set in turns; the rest is clear.  Include with CF_GLYPH
// defined.
'''


def widths():
    """Pixels to the next letter, by character and height of line, from the committed table."""
    table = {}
    with open(OUT, encoding='utf8') as f:
        for line in f:
            found = re.match(r'CF_GLYPH\(\s*(\d+),\s*(\d+),\s*(\d+),', line)
            if found:
                code, height, advance = map(int, found.groups())
                table[code, height] = advance
    return table


def number(value):
    """A run as digits; a longer one is cut by a run of nothing."""
    return DIGITS[value] if value < len(DIGITS) else DIGITS[-1] + '0' + number(value - len(DIGITS) + 1)


def render(freetype, face, code, em, advance):
    """Rows of a letter's ink, its left side and its top over the base line; narrower until it fits."""
    room = advance - 1 if em < 20 else advance - em // 16
    for narrow in range(em, 3, -1):
        face.set_pixel_sizes(narrow, em)
        face.load_char(chr(code), freetype.FT_LOAD_RENDER | freetype.FT_LOAD_TARGET_MONO)
        slot = face.glyph
        bitmap = slot.bitmap
        if bitmap.width <= max(room, 1):
            break
    rows = [[bitmap.buffer[y * bitmap.pitch + x // 8] >> (7 - x % 8) & 1 for x in range(bitmap.width)] for y in range(bitmap.rows)]
    # the same share of the space on both sides as in the font
    space = max(slot.advance.x // 64 - bitmap.width, 0)
    share = slot.bitmap_left / space if space > 0 else 0.5
    left = round((advance - bitmap.width) * min(max(share, 0), 1))
    return rows, left, slot.bitmap_top


def words(rows, left, top, height):
    """The text of a letter; see the head of the table."""
    base = round(4 * height / 18)
    first = height - base - top
    if not rows:
        return ''
    texts = [''] * first
    for row in rows:
        runs, color = [left], 0
        for pixel in row:
            if pixel == color:
                runs[-1] += 1
            else:
                runs.append(1)
                color = pixel
        if color == 0:
            runs.pop()
        texts.append(''.join(number(run) for run in runs))
    out, k = [], 0
    while k < len(texts):
        count = 1
        while k + count < len(texts) and texts[k + count] == texts[k] and count < len(DIGITS) - 1:
            count += 1
        out.append(DIGITS[count] + texts[k])
        k += count
    assert 0 <= first and first + len(rows) <= height, (first, len(rows), height)
    return ' '.join(out)


def main():
    arguments = [a for a in sys.argv[1:] if a != '--check']
    font = arguments[0] if arguments else FONT
    try:
        import freetype
    except ImportError:
        print('gen_fonts: no FreeType: pip install freetype-py==2.5.1')
        return 77
    if not os.path.exists(font):
        print(f'gen_fonts: no {font}: apt-get install fonts-dejavu-core')
        return 77
    if '--check' in sys.argv and freetype.version() != VERSION:
        print('gen_fonts: skipped: FreeType', '.'.join(map(str, freetype.version())), 'may hint differently')
        return 77
    face = freetype.Face(font)
    table = widths()
    text = HEAD
    for code in range(32, 127):
        for height, em in SIZES:
            advance = table[code, height]
            rows, left, top = render(freetype, face, code, em, advance)
            note = f'  // {chr(code)}' if height == SIZES[0][0] and code not in (32, 92) else ''
            text += f'CF_GLYPH({code:3}, {height:3}, {advance:2}, "{words(rows, left, top, height)}"){note}\n'
    if '--check' in sys.argv:
        with open(OUT, encoding='utf8') as f:
            same = f.read() == text
        print('gen_fonts: the table is', 'as it should be' if same else 'not what the generator writes')
        return 0 if same else 1
    with open(OUT, 'w', encoding='utf8') as f:
        f.write(text)
    print(f'gen_fonts: {OUT}, {len(text)} bytes')
    return 0


if __name__ == '__main__':
    sys.exit(main())
