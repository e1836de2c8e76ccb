// Patterns of textures: gradient, checker, flat; marks: edge, cross, random dots.
#include "base/assert.h"
#include "compile/texture.h"
#include "math/libm.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

// a rectangle of RGB pixels
typedef struct {
  unsigned char* data;
  int width, height;
} canvas;

typedef struct {
  unsigned char first[3], second[3], mark[3];
} palette;


// number to byte, towards zero; 0 where it does not fit at all
static unsigned char truncated(double scaled) {
  return scaled > INT_MIN && scaled < INT_MAX ? (unsigned char)(int)scaled : 0;
}


void cfi_colorBytes(unsigned char to[3], const double rgb[3]) {
  for (int k = 0; k < 3; k++) {
    to[k] = truncated(255 * rgb[k]);
  }
}


static void setPixel(canvas c, int row, int col, const unsigned char color[3]) {
  memcpy(c.data + 3 * ((size_t)row * (size_t)c.width + (size_t)col), color, 3);
}


//---------------------------------- gradients -----------------------------------------------------

// Places run from -1, all second color, to +1, all first color.
//
// Pixels that mirror each other have the same place up to rounding, and so the same bytes unless a
// mixed number is about to become the next integer. One quarter of an image therefore tells the
// others; only where rounding could show does a mirrored pixel get its own formula.

// two colors to be mixed
typedef struct {
  double first[3], second[3];
  bool is_fixed[3];  // both are black or both white in a channel: so is every mix
  bool is_ordinary;  // no mix is negative or beyond the range of int
} gradient;

// color of a pixel; firm: rounding cannot change it
typedef struct {
  unsigned char byte[3];
  bool is_firm;
} mixedColor;

// place of a pixel
typedef double placeFunction(canvas c, int row, int col);


static gradient newGradient(const double first[3], const double second[3]) {
  gradient g = {.is_ordinary = true};
  for (int k = 0; k < 3; k++) {
    g.first[k] = first[k];
    g.second[k] = second[k];
    g.is_fixed[k] = first[k] == second[k] && (first[k] == 0 || first[k] == 1);
    g.is_ordinary &= first[k] >= 0 && first[k] < 1e6 && second[k] >= 0 && second[k] < 1e6;
  }
  return g;
}


// how far a place is from the middle color, so that the ends get -1 and +1
static inline double bend(double place) {
  return place / sqrt(1 + place * place) / (1.0 / sqrt(2));
}


static inline mixedColor mixColors(const gradient* g, double bent) {
  const double doubt = 1e-9;
  const double raw = 0.5 * (1 + bent), share = raw < 0 ? 0 : raw > 1 ? 1 : raw;
  // a picture one pixel wide has no place for it: the share is not a number
  const bool is_ordinary = g->is_ordinary && share >= 0;
  mixedColor mixed = {.is_firm = is_ordinary};
  for (int k = 0; k < 3; k++) {
    const double value = 255 * (share * g->first[k] + (1 - share) * g->second[k]);
    if (!is_ordinary) {
      mixed.byte[k] = truncated(value);
      continue;
    }
    const int whole = (int)value;
    const double part = value - whole;
    mixed.byte[k] = (unsigned char)whole;
    mixed.is_firm &= g->is_fixed[k] | ((part > doubt) & (part < 1 - doubt));
  }
  return mixed;
}


// coordinates of a pixel in [-1, 1], y upwards
static inline void pixelPlace(canvas c, int row, int col, double* x, double* y) {
  *x = 2 * col / (double)(c.width - 1) - 1;
  *y = 1 - 2 * row / (double)(c.height - 1);
}


// from the first color in the middle to the second outside
static double radialPlace(canvas c, int row, int col) {
  CF_ASSERT(row >= 0 && row < c.height && col >= 0 && col < c.width);
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return 2 * sqrt(x * x + y * y) - 1;
}


// directions seen from the center of a cube: height over the horizon as share of a right angle, of
// a pixel of a side, of the top, of the bottom
static double skySide(canvas c, int row, int col) {
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return cfi_asin(y / sqrt(1 + x * x + y * y)) / (0.5 * mjPI);
}


static double skyTop(canvas c, int row, int col) {
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return 1 - cfi_acos(1.0 / sqrt(1 + x * x + y * y)) / (0.5 * mjPI);
}


static double skyBottom(canvas c, int row, int col) {
  return -skyTop(c, row, col);
}


// a pixel that mirrors one of the given color
static inline void setMirrored(canvas c, const gradient* g, placeFunction* placeOf, int row,
                               int col, mixedColor guess) {
  if (!guess.is_firm) {
    guess = mixColors(g, bend(placeOf(c, row, col)));
  }
  setPixel(c, row, col, guess.byte);
}


// a pixel of the upper left quarter and its three mirror images: `above` is its color, `below` that
// of its images in the lower half
static inline void setFour(canvas c, const gradient* g, placeFunction* placeOf, int row, int col,
                           mixedColor above, mixedColor below) {
  const int mirror_row = c.height - 1 - row, mirror_col = c.width - 1 - col;
  setMirrored(c, g, placeOf, mirror_row, mirror_col, below);
  setMirrored(c, g, placeOf, mirror_row, col, below);
  setMirrored(c, g, placeOf, row, mirror_col, above);
  setPixel(c, row, col, above.byte);
}


static void paintRadial(canvas c, const mjsTexture* attr) {
  const gradient g = newGradient(attr->rgb2, attr->rgb1);
  for (int row = 0; row < (c.height + 1) / 2; row++) {
    for (int col = 0; col < (c.width + 1) / 2; col++) {
      const mixedColor color = mixColors(&g, bend(radialPlace(c, row, col)));
      setFour(c, &g, radialPlace, row, col, color, color);
    }
  }
}


// gradient of a sky: first color in the zenith, second in the nadir; all four sides look the same
static void paintSky(canvas cube[6], const mjsTexture* attr) {
  enum { RIGHT, LEFT, UP, DOWN, FRONT, BACK };
  const gradient g = newGradient(attr->rgb1, attr->rgb2);
  const canvas c = cube[RIGHT];
  for (int row = 0; row < (c.height + 1) / 2; row++) {
    for (int col = 0; col < (c.width + 1) / 2; col++) {
      const double side = bend(skySide(c, row, col)), top = bend(skyTop(c, row, col));
      const mixedColor up = mixColors(&g, top), down = mixColors(&g, -top);
      setFour(c, &g, skySide, row, col, mixColors(&g, side), mixColors(&g, -side));
      setFour(cube[UP], &g, skyTop, row, col, up, up);
      setFour(cube[DOWN], &g, skyBottom, row, col, down, down);
    }
  }
  const size_t bytes = 3 * (size_t)c.width * (size_t)c.height;
  memcpy(cube[LEFT].data, c.data, bytes);
  memcpy(cube[FRONT].data, c.data, bytes);
  memcpy(cube[BACK].data, c.data, bytes);
}


//---------------------------------- plain patterns ------------------------------------------------

static void paintChecker(canvas c, const unsigned char first[3], const unsigned char second[3]) {
  for (int row = 0; row < c.height; row++) {
    for (int col = 0; col < c.width; col++) {
      const bool is_first = (row < c.height / 2) == (col < c.width / 2);
      setPixel(c, row, col, is_first ? first : second);
    }
  }
}


static void paintFlat(canvas c, const unsigned char color[3]) {
  paintChecker(c, color, color);
}


//---------------------------------- marks ---------------------------------------------------------

static void paintRow(canvas c, int row, const unsigned char color[3]) {
  CF_ASSERT_INDEX(row, c.height);
  for (int col = 0; col < c.width; col++) {
    setPixel(c, row, col, color);
  }
}


static void paintColumn(canvas c, int col, const unsigned char color[3]) {
  CF_ASSERT_INDEX(col, c.width);
  for (int row = 0; row < c.height; row++) {
    setPixel(c, row, col, color);
  }
}


static void paintLines(canvas c, int mark, const unsigned char color[3]) {
  if (mark == mjMARK_EDGE) {
    paintRow(c, 0, color);
    paintRow(c, c.height - 1, color);
    paintColumn(c, 0, color);
    paintColumn(c, c.width - 1, color);
  } else if (mark == mjMARK_CROSS) {
    paintRow(c, c.height / 2, color);
    paintColumn(c, c.width / 2, color);
  }
}


// Mersenne twister of 64 bits (Nishimura 2000), from a seed
enum { TWISTER_WORDS = 312, TWISTER_SHIFT = 156 };
typedef struct {
  uint64_t word[TWISTER_WORDS];
  int next;
} twister;


static void seedTwister(twister* t, uint64_t seed) {
  t->word[0] = seed;
  for (uint64_t i = 1; i < TWISTER_WORDS; i++) {
    const uint64_t before = t->word[i - 1];
    t->word[i] = 6364136223846793005u * (before ^ before >> 62) + i;
  }
  t->next = TWISTER_WORDS;
}


static inline uint64_t turnWord(uint64_t word, uint64_t next, uint64_t far) {
  const uint64_t low = 0x7FFFFFFFu, matrix = 0xB5026F5AA96619E9u;
  const uint64_t joined = (word & ~low) | (next & low);
  return far ^ joined >> 1 ^ (matrix & (0 - (joined & 1)));
}


static void turnTwister(twister* t) {
  enum { REST = TWISTER_WORDS - TWISTER_SHIFT };
  uint64_t* word = t->word;
  for (int i = 0; i < REST; i++) {
    word[i] = turnWord(word[i], word[i + 1], word[i + TWISTER_SHIFT]);
  }
  for (int i = REST; i < TWISTER_WORDS - 1; i++) {
    word[i] = turnWord(word[i], word[i + 1], word[i - REST]);
  }
  word[TWISTER_WORDS - 1] = turnWord(word[TWISTER_WORDS - 1], word[0], word[TWISTER_SHIFT - 1]);
  t->next = 0;
}


static inline uint64_t twist(twister* t) {
  if (t->next == TWISTER_WORDS) {
    turnTwister(t);
  }
  uint64_t x = t->word[t->next++];
  x ^= x >> 29 & 0x5555555555555555u;
  x ^= x << 17 & 0x71D67FFFEDA60000u;
  x ^= x << 37 & 0xFFF7EEE000000000u;
  return x ^ x >> 43;
}


// the smallest number whose share of all, as a double, is no less than a probability; largest
// number when all are less
static uint64_t smallestNotBelow(double probability) {
  uint64_t limit = 0;
  for (int bit = 63; bit >= 0; bit--) {
    const uint64_t smaller = limit + ((uint64_t)1 << bit) - 1;
    if ((double)smaller / 18446744073709551616.0 < probability) {
      limit += (uint64_t)1 << bit;
    }
  }
  return limit;
}


// dots at random, the same in every texture
static void paintDots(canvas c, double probability, const unsigned char color[3]) {
  twister t;
  seedTwister(&t, 42);
  const uint64_t limit = smallestNotBelow(probability);
  const bool is_full = probability > 1;
  for (int row = 0; row < c.height; row++) {
    for (int col = 0; col < c.width; col++) {
      if (twist(&t) < limit || is_full) {
        setPixel(c, row, col, color);
      }
    }
  }
}


//---------------------------------- textures ------------------------------------------------------

// one color pattern on a face; plane textures have side -1
static void paintSide(canvas c, const mjsTexture* attr, const palette* p, int side) {
  enum { DOWN = 3, FRONT = 4 };
  if (attr->builtin == mjBUILTIN_CHECKER) {
    const bool is_swapped = side >= FRONT;
    paintChecker(c, is_swapped ? p->second : p->first, is_swapped ? p->first : p->second);
  } else if (attr->builtin == mjBUILTIN_FLAT) {
    paintFlat(c, side == DOWN ? p->second : p->first);
  }
}


static void paintCube(canvas whole, const mjsTexture* attr, const palette* p) {
  canvas cube[6];
  const size_t bytes = 3 * (size_t)whole.width * (size_t)whole.width;
  for (int side = 0; side < 6; side++) {
    cube[side] = (canvas){whole.data + (size_t)side * bytes, whole.width, whole.width};
    paintSide(cube[side], attr, p, side);
  }
  if (attr->builtin == mjBUILTIN_GRADIENT) {
    paintSky(cube, attr);
  }
  for (int side = 0; side < 6; side++) {
    paintLines(cube[side], attr->mark, p->mark);
  }
}


static void paintPlane(canvas whole, const mjsTexture* attr, const palette* p) {
  paintSide(whole, attr, p, -1);
  if (attr->builtin == mjBUILTIN_GRADIENT) {
    paintRadial(whole, attr);
  }
  paintLines(whole, attr->mark, p->mark);
}


void cfi_paintTexture(const mjsTexture* attr, cfTextureData* out) {
  palette p;
  cfi_colorBytes(p.first, attr->rgb1);
  cfi_colorBytes(p.second, attr->rgb2);
  cfi_colorBytes(p.mark, attr->markrgb);
  canvas whole = {out->data, out->width, out->height};
  if (out->type == mjTEXTURE_2D) {
    paintPlane(whole, attr, &p);
  } else {
    paintCube(whole, attr, &p);
  }
  if (attr->mark == mjMARK_RANDOM && attr->random > 0) {
    paintDots(whole, attr->random, p.mark);
  }
}
