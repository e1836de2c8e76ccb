// Patterns of textures: gradient, checker, flat; marks: edge, cross, random dots.
#include "compile/texture.h"

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

// two colors to be mixed
typedef struct {
  double first[3], second[3];
  bool is_fixed[3];  // both are black or both white in a channel: so is every mix
} gradient;


static gradient newGradient(const double first[3], const double second[3]) {
  gradient g;
  for (int k = 0; k < 3; k++) {
    g.first[k] = first[k];
    g.second[k] = second[k];
    g.is_fixed[k] = first[k] == second[k] && (first[k] == 0 || first[k] == 1);
  }
  return g;
}


// mix of two colors, times 255; place -1 gives the second, +1 the first
static void mixColors(double mixed[3], const gradient* g, double place) {
  double share = 0.5 * (1 + place / sqrt(1 + place * place) / (1.0 / sqrt(2)));
  share = share < 0 ? 0 : share > 1 ? 1 : share;
  for (int k = 0; k < 3; k++) {
    mixed[k] = 255 * (share * g->first[k] + (1 - share) * g->second[k]);
  }
}


static void setMixed(canvas c, int row, int col, const double mixed[3]) {
  unsigned char* pixel = c.data + 3 * ((size_t)row * (size_t)c.width + (size_t)col);
  for (int k = 0; k < 3; k++) {
    pixel[k] = truncated(mixed[k]);
  }
}


// would the bytes be the same if the numbers were a few roundings off
static bool isFirm(const gradient* g, const double mixed[3]) {
  const double doubt = 1e-9;
  for (int k = 0; k < 3; k++) {
    double part = mixed[k] - floor(mixed[k]);
    if (!g->is_fixed[k] && !(part > doubt && part < 1 - doubt)) {
      return false;
    }
  }
  return true;
}


// coordinates of a pixel in [-1, 1], y upwards
static void pixelPlace(canvas c, int row, int col, double* x, double* y) {
  *x = 2 * col / (double)(c.width - 1) - 1;
  *y = 1 - 2 * row / (double)(c.height - 1);
}


// from the first color in the middle to the second outside
static double radialPlace(canvas c, int row, int col) {
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return 2 * sqrt(x * x + y * y) - 1;
}


// directions seen from the center of a cube: height over the horizon of a pixel of a side, of the
// top, of the bottom, as share of a right angle
static double skySide(canvas c, int row, int col) {
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return asin(y / sqrt(1 + x * x + y * y)) / (0.5 * mjPI);
}


static double skyTop(canvas c, int row, int col) {
  double x, y;
  pixelPlace(c, row, col, &x, &y);
  return 1 - acos(1.0 / sqrt(1 + x * x + y * y)) / (0.5 * mjPI);
}


static double skyBottom(canvas c, int row, int col) {
  return -skyTop(c, row, col);
}


// paint what looks the same left and right, and upside down when `sign` is 1, or upside down with
// the place negated when it is -1. One quarter tells the others, but coordinates of mirrored pixels
// differ by rounding: where that could show in a byte, the pixel gets its own formula.
static void paintMirrored(canvas c, const gradient* g, double (*placeOf)(canvas, int, int),
                          double sign) {
  for (int row = 0; row < (c.height + 1) / 2; row++) {
    for (int col = 0; col < (c.width + 1) / 2; col++) {
      const double place = placeOf(c, row, col);
      double mixed[2][3];
      mixColors(mixed[0], g, place);
      mixColors(mixed[1], g, sign * place);
      setMixed(c, row, col, mixed[0]);
      for (int image = 1; image < 4; image++) {
        const int r = image & 2 ? c.height - 1 - row : row, k = image & 1 ? c.width - 1 - col : col;
        double* guess = mixed[image >> 1];
        if (isFirm(g, guess)) {
          setMixed(c, r, k, guess);
        } else {
          double own[3];
          mixColors(own, g, placeOf(c, r, k));
          setMixed(c, r, k, own);
        }
      }
    }
  }
}


static void paintRadial(canvas c, const mjsTexture* attr) {
  const gradient g = newGradient(attr->rgb2, attr->rgb1);
  paintMirrored(c, &g, radialPlace, 1);
}


// gradient of a sky: first color in the zenith, second in the nadir; all four sides look the same
static void paintSky(canvas cube[6], const mjsTexture* attr) {
  enum { RIGHT, LEFT, UP, DOWN, FRONT, BACK };
  const gradient g = newGradient(attr->rgb1, attr->rgb2);
  paintMirrored(cube[RIGHT], &g, skySide, -1);
  paintMirrored(cube[UP], &g, skyTop, 1);
  paintMirrored(cube[DOWN], &g, skyBottom, 1);
  size_t bytes = 3 * (size_t)cube[0].width * (size_t)cube[0].height;
  memcpy(cube[LEFT].data, cube[RIGHT].data, bytes);
  memcpy(cube[FRONT].data, cube[RIGHT].data, bytes);
  memcpy(cube[BACK].data, cube[RIGHT].data, bytes);
}


//---------------------------------- plain patterns ------------------------------------------------

static void paintChecker(canvas c, const unsigned char first[3], const unsigned char second[3]) {
  for (int row = 0; row < c.height; row++) {
    for (int col = 0; col < c.width; col++) {
      bool is_first = (row < c.height / 2) == (col < c.width / 2);
      setPixel(c, row, col, is_first ? first : second);
    }
  }
}


static void paintFlat(canvas c, const unsigned char color[3]) {
  paintChecker(c, color, color);
}


//---------------------------------- marks ---------------------------------------------------------

static void paintRow(canvas c, int row, const unsigned char color[3]) {
  for (int col = 0; col < c.width; col++) {
    setPixel(c, row, col, color);
  }
}


static void paintColumn(canvas c, int col, const unsigned char color[3]) {
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
    uint64_t before = t->word[i - 1];
    t->word[i] = 6364136223846793005u * (before ^ before >> 62) + i;
  }
  t->next = TWISTER_WORDS;
}


static void turnTwister(twister* t) {
  const uint64_t low = 0x7FFFFFFFu, matrix = 0xB5026F5AA96619E9u;
  for (int i = 0; i < TWISTER_WORDS; i++) {
    uint64_t joined = (t->word[i] & ~low) | (t->word[(i + 1) % TWISTER_WORDS] & low);
    t->word[i] =
        t->word[(i + TWISTER_SHIFT) % TWISTER_WORDS] ^ joined >> 1 ^ (joined & 1 ? matrix : 0);
  }
  t->next = 0;
}


// next number in [0, 1]
static double twist(twister* t) {
  if (t->next == TWISTER_WORDS) {
    turnTwister(t);
  }
  uint64_t x = t->word[t->next++];
  x ^= x >> 29 & 0x5555555555555555u;
  x ^= x << 17 & 0x71D67FFFEDA60000u;
  x ^= x << 37 & 0xFFF7EEE000000000u;
  x ^= x >> 43;
  return (double)x / 18446744073709551616.0;
}


// dots at random, the same in every texture
static void paintDots(canvas c, double probability, const unsigned char color[3]) {
  twister t;
  seedTwister(&t, 42);
  for (int row = 0; row < c.height; row++) {
    for (int col = 0; col < c.width; col++) {
      if (twist(&t) < probability) {
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
    bool is_swapped = side >= FRONT;
    paintChecker(c, is_swapped ? p->second : p->first, is_swapped ? p->first : p->second);
  } else if (attr->builtin == mjBUILTIN_FLAT) {
    paintFlat(c, side == DOWN ? p->second : p->first);
  }
}


static void paintCube(canvas whole, const mjsTexture* attr, const palette* p) {
  canvas cube[6];
  size_t bytes = 3 * (size_t)whole.width * (size_t)whole.width;
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
