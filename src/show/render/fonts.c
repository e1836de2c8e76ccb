// Fonts: bitmaps of glyphs.def, which tools/gen_fonts.py draws from an open font.  Lines are as
// high and letters as wide as MuJoCo's, so that texts, figures and menus are laid out alike; the
// shapes of the letters are not.
#include <string.h>

#include "base/assert.h"
#include "render/assets.h"
#include "render/gl.h"

enum {
  GLYPH_COUNT = 95,
  GLYPH_LISTS = 128,  // display lists of a font; those of control characters stay empty
  MOST_BYTES = 12,    // of a row of the largest letter
  MOST_ROWS = 112,
  SIZES = 9,
};

typedef struct {
  int character, height, advance;  // of the line and to the next letter [pixel]
  const char* rows;
} glyphText;

static const glyphText glyph_texts[] = {
#define CF_GLYPH(character, height, advance, rows) {character, height, advance, rows},
#include "render/glyphs.def"
#undef CF_GLYPH
};
_Static_assert(sizeof(glyph_texts) / sizeof(glyph_texts[0]) == GLYPH_COUNT * SIZES,
               "one row for each printable character and size");

// heights of lines by size: plain, large [pixel]
static const int line_heights[][3] = {
    {mjFONTSCALE_50, 11, 18},  {mjFONTSCALE_100, 18, 37}, {mjFONTSCALE_150, 28, 54},
    {mjFONTSCALE_200, 37, 71}, {mjFONTSCALE_250, 45, 89}, {mjFONTSCALE_300, 54, 106},
};

// width of the rim of a shadow as a part of the height of a line
static const double shadow_rim = 2.8 / 18;

// a letter as OpenGL takes it: rows from below, bytes from the left, high bits first
typedef struct {
  int width, height, pitch;
  GLubyte bits[MOST_BYTES * MOST_ROWS];
} glyphBitmap;


static void clearBitmap(glyphBitmap* b, const glyphText* glyph) {
  b->width = glyph->advance;
  b->height = glyph->height;
  b->pitch = (b->width + 7) / 8;
  CF_ASSERT(b->pitch <= MOST_BYTES && b->height <= MOST_ROWS);
  memset(b->bits, 0, sizeof(b->bits));
}


static void setGlyphPixel(glyphBitmap* b, int x, int y) {
  if (x >= 0 && x < b->width && y >= 0 && y < b->height) {
    b->bits[y * b->pitch + x / 8] |= (GLubyte)(0x80 >> (x % 8));
  }
}


static bool hasPixel(const glyphBitmap* b, int x, int y) {
  return b->bits[y * b->pitch + x / 8] & 0x80 >> (x % 8);
}


// value of a digit of the table: 0 to 9, A to Z, a to z
static int hexDigitOf(char digit) {
  return digit <= '9' ? digit - '0' : (digit <= 'Z' ? digit - 'A' + 10 : digit - 'a' + 36);
}


static void drawGlyph(glyphBitmap* b, const glyphText* glyph) {
  clearBitmap(b, glyph);
  int y = b->height;
  for (const char* at = glyph->rows; *at;) {
    const int rows = hexDigitOf(*at++);
    for (int x = 0, is_set = 0; *at && *at != ' '; is_set = !is_set) {
      const int end = x + hexDigitOf(*at++);
      for (; x < end; x++) {
        for (int k = 1; k <= rows && is_set; k++) {
          setGlyphPixel(b, x, y - k);
        }
      }
    }
    y -= rows;
    at += *at == ' ';
  }
}


// every pixel becomes a disk
static void spread(glyphBitmap* b, const glyphBitmap* from) {
  const double radius = shadow_rim * from->height;
  const int reach = (int)(radius + 0.5);
  for (int y = 0; y < from->height; y++) {
    for (int x = 0; x < from->width; x++) {
      for (int k = 0; k < (2 * reach + 1) * (2 * reach + 1) && hasPixel(from, x, y); k++) {
        const int dx = k % (2 * reach + 1) - reach, dy = k / (2 * reach + 1) - reach;
        if (dx * dx + dy * dy <= radius * radius + 0.5) {
          setGlyphPixel(b, x + dx, y + dy);
        }
      }
    }
  }
}


// display lists of one font, widths of its letters too
static bool makeFont(unsigned int* base, int width[127], int height, bool is_shadow) {
  *base = cfi_gl.GenLists(GLYPH_LISTS);
  if (!*base) {
    mju_error("Could not allocate font lists");
    return false;
  }
  for (size_t k = 0; k < sizeof(glyph_texts) / sizeof(glyph_texts[0]); k++) {
    const glyphText* glyph = glyph_texts + k;
    glyphBitmap letter, shadow;
    if (glyph->height != height) {
      continue;
    }
    drawGlyph(&letter, glyph);
    clearBitmap(&shadow, glyph);
    if (is_shadow) {
      spread(&shadow, &letter);
    }
    cfi_gl.NewList(*base + (unsigned int)glyph->character, GL_COMPILE);
    cfi_gl.Bitmap(letter.width, letter.height, 0, 0, (float)letter.width, 0,
                  is_shadow ? shadow.bits : letter.bits);
    cfi_gl.EndList();
    if (width) {
      width[glyph->character] = letter.width;
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
