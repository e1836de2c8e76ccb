// Fonts: strokes of glyphs.def drawn with a round pen into bitmaps of the size that is asked for.
// Lines are as high and letters as wide as MuJoCo's, so that texts, figures and menus are laid out
// alike; the letters are our own.
#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "render/assets.h"
#include "render/gl.h"

enum {
  FIRST_GLYPH = 32,
  GLYPH_COUNT = 95,
  GLYPH_LISTS = 128,   // display lists of a font; those of control characters stay empty
  DESIGN_HEIGHT = 18,  // units of a line
  BASE_LINE = 4,       // units below the base line
  MOST_BYTES = 12,     // of a row of the largest letter
  MOST_ROWS = 112,
  SIZES = 9,
};

// heights of lines [pixel]
static const int font_heights[SIZES] = {11, 18, 28, 37, 45, 54, 71, 89, 106};

typedef struct {
  int advance;       // units
  int width[SIZES];  // the same in pixels, by height of line
  const char* strokes;
} strokeGlyph;

static const strokeGlyph stroke_glyphs[] = {
#define CF_GLYPH(advance, a, b, c, d, e, f, g, h, i, strokes) \
  {advance, {a, b, c, d, e, f, g, h, i}, strokes},
#include "render/glyphs.def"
#undef CF_GLYPH
};
_Static_assert(sizeof(stroke_glyphs) / sizeof(stroke_glyphs[0]) == GLYPH_COUNT,
               "one row for each printable character");

// heights of lines by size: plain, large [pixel]
static const int line_heights[][3] = {
    {mjFONTSCALE_50, 11, 18},  {mjFONTSCALE_100, 18, 37}, {mjFONTSCALE_150, 28, 54},
    {mjFONTSCALE_200, 37, 71}, {mjFONTSCALE_250, 45, 89}, {mjFONTSCALE_300, 54, 106},
};

// a letter as OpenGL takes it: rows from below, bytes from the left, high bits first
typedef struct {
  int width, height, pitch;
  GLubyte bits[MOST_BYTES * MOST_ROWS];
} glyphBitmap;


// distance of a point from a stretch of a stroke
static double distanceTo(const double p[2], const double from[2], const double to[2]) {
  const double along[2] = {to[0] - from[0], to[1] - from[1]};
  const double offset[2] = {p[0] - from[0], p[1] - from[1]};
  const double length2 = along[0] * along[0] + along[1] * along[1];
  double t = length2 > 0 ? (offset[0] * along[0] + offset[1] * along[1]) / length2 : 0;
  t = t < 0 ? 0 : (t > 1 ? 1 : t);
  return hypot(offset[0] - t * along[0], offset[1] - t * along[1]);
}


// set the pixels that a straight piece of a stroke covers, all in pixels
static void drawStretch(glyphBitmap* b, double radius, const double from[2], const double to[2]) {
  int low[2], high[2];
  const int size[2] = {b->width, b->height};
  for (int k = 0; k < 2; k++) {
    low[k] = (int)floor(fmin(from[k], to[k]) - radius);
    high[k] = (int)ceil(fmax(from[k], to[k]) + radius);
    low[k] = low[k] < 0 ? 0 : low[k];
    high[k] = high[k] > size[k] - 1 ? size[k] - 1 : high[k];
  }
  for (int y = low[1]; y <= high[1]; y++) {
    for (int x = low[0]; x <= high[0]; x++) {
      const double p[2] = {x + 0.5, y + 0.5};
      if (distanceTo(p, from, to) <= radius) {
        b->bits[y * b->pitch + x / 8] |= (GLubyte)(0x80 >> (x % 8));
      }
    }
  }
}


// point of a stroke in pixels from the lower left corner; letters start one unit from the left.
// Small letters go through the middle of pixels, so that upright strokes are one pixel wide
static void strokePoint(double p[2], const char* text, const double scale[2]) {
  p[0] = (text[0] - '0' + 1.5) * scale[0];
  p[1] = (text[1] - 'd' + BASE_LINE + 0.5) * scale[1];
  if (scale[1] < 1.5) {
    p[0] = floor(p[0]) + 0.5;
    p[1] = floor(p[1]) + 0.5;
  }
}


static void drawGlyph(glyphBitmap* b, const strokeGlyph* glyph, int size, double radius) {
  b->width = glyph->width[size];
  b->height = font_heights[size];
  b->pitch = (b->width + 7) / 8;
  CF_ASSERT(b->pitch <= MOST_BYTES && b->height <= MOST_ROWS);
  memset(b->bits, 0, sizeof(b->bits));
  const double scale[2] = {(double)b->width / glyph->advance, (double)b->height / DESIGN_HEIGHT};
  for (const char* at = glyph->strokes; *at;) {
    double from[2], to[2];
    strokePoint(from, at, scale);
    for (at += 2; *at && *at != ' '; at += 2) {
      strokePoint(to, at, scale);
      drawStretch(b, radius * scale[1], from, to);
      memcpy(from, to, sizeof(to));
    }
    at += *at == ' ';
  }
}


static int sizeOfHeight(int height) {
  int size = 0;
  while (size < SIZES - 1 && font_heights[size] != height) {
    size++;
  }
  CF_ASSERT(font_heights[size] == height);
  return size;
}


// display lists of one font, widths of its letters too; a pen a bit wider than half a pixel keeps
// slanted strokes in one piece
static bool makeFont(unsigned int* base, int width[127], int height, bool is_shadow) {
  const double radius = is_shadow ? 2.2 : 0.55;
  const int size = sizeOfHeight(height);
  *base = cfi_gl.GenLists(GLYPH_LISTS);
  if (!*base) {
    mju_error("Could not allocate font lists");
    return false;
  }
  for (unsigned int k = 0; k < GLYPH_COUNT; k++) {
    glyphBitmap b;
    drawGlyph(&b, stroke_glyphs + k, size, radius);
    cfi_gl.NewList(*base + FIRST_GLYPH + k, GL_COMPILE);
    cfi_gl.Bitmap(b.width, b.height, 0, 0, (float)b.width, 0, b.bits);
    cfi_gl.EndList();
    if (width) {
      width[FIRST_GLYPH + k] = b.width;
    }
  }
  return true;
}


bool cfi_makeFonts(mjrContext* con, int fontscale) {
  const int* heights = NULL;
  for (size_t k = 0; k < sizeof(line_heights) / sizeof(line_heights[0]); k++) {
    if (line_heights[k][0] == fontscale) {
      heights = line_heights[k];
    }
  }
  if (!heights) {
    mju_error("Invalid fontscale");
    return false;
  }
  con->fontScale = fontscale;
  con->charHeight = heights[1];
  con->charHeightBig = heights[2];
  con->rangeFont = GLYPH_LISTS;
  return makeFont(&con->baseFontNormal, con->charWidth, heights[1], false) &&
         makeFont(&con->baseFontShadow, NULL, heights[1], true) &&
         makeFont(&con->baseFontBig, con->charWidthBig, heights[2], false);
}


void cfi_freeFonts(mjrContext* con) {
  unsigned int* base[3] = {&con->baseFontNormal, &con->baseFontShadow, &con->baseFontBig};
  for (int k = 0; k < 3; k++) {
    if (*base[k]) {
      cfi_gl.DeleteLists(*base[k], con->rangeFont);
      *base[k] = 0;
    }
  }
  con->rangeFont = 0;
}


void mjr_changeFont(int fontscale, mjrContext* con) {
  if (!cfi_needGl("mjr_changeFont")) {
    return;
  }
  cfi_freeFonts(con);
  cfi_makeFonts(con, fontscale);
  cfi_checkGl("mjr_changeFont");
}
