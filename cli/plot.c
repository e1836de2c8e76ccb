// Plots of recorded signals as SVG: time to the right, one colored line per signal, ticks at round
// numbers.
#include <errno.h>
#include <math.h>
#include <string.h>

#include "cli.h"

// page in pixels, with room for tick labels left and below and for the legend right
enum {
  WIDTH = 900,
  HEIGHT = 480,
  LEFT = 80,
  RIGHT = 220,
  TOP = 40,
  BOTTOM = 50,
  POINTS_MAX = 1500,
  TICKS_MAX = 20
};
static const char* const colors[] = {"#1f77b4", "#d62728", "#2ca02c", "#ff7f0e",
                                     "#9467bd", "#8c564b", "#17becf", "#7f7f7f"};

typedef struct {
  double low, high;    // data range
  double start, size;  // pixel range; size is negative for upward axes
} plotAxis;


static double toPixel(const plotAxis* a, double value) {
  return a->start + a->size * (value - a->low) / (a->high - a->low);
}


// smallest of 1, 2, 5 times a power of ten that gives at most eight ticks
static double tickStep(double range) {
  const double step = pow(10, floor(log10(range / 8)));
  const double factors[] = {1, 2, 5, 10};
  for (int k = 0; k < 4; k++) {
    if (range / (factors[k] * step) <= 8) {
      return factors[k] * step;
    }
  }
  return 10 * step;
}


static void findRange(const cliSeries* s, int first, int last, plotAxis* axis) {
  const size_t width = (size_t)s->count + 1;
  axis->low = INFINITY;
  axis->high = -INFINITY;
  for (int row = 0; row < s->rows; row++) {
    for (int k = first; k <= last; k++) {
      const double v = s->value[(size_t)row * width + (size_t)k];
      if (isfinite(v)) {
        axis->low = fmin(axis->low, v);
        axis->high = fmax(axis->high, v);
      }
    }
  }
  if (!(axis->low <= axis->high)) {
    axis->low = 0;
    axis->high = 1;
  }
  if (axis->high - axis->low < 1e-12 * fmax(1, fabs(axis->high))) {
    axis->low -= 0.5;
    axis->high += 0.5;
  }
}


// text of a file, in which names may have any characters
static void writeEscaped(FILE* f, const char* text) {
  for (const char* p = text; *p; p++) {
    const char* entity = *p == '<' ? "&lt;" : *p == '>' ? "&gt;" : *p == '&' ? "&amp;" : NULL;
    if (entity) {
      fputs(entity, f);
    } else {
      fputc(*p, f);
    }
  }
}


// place of tick k of an axis; false behind the last one
static bool tickAt(const plotAxis* a, double step, int k, double* value) {
  const double first = ceil(a->low / step);
  *value = (first + k) * step;
  return k < TICKS_MAX && *value <= a->high + 1e-9 * step;
}


static void drawTicks(FILE* f, const plotAxis* x, const plotAxis* y) {
  double v, step = tickStep(x->high - x->low);
  for (int k = 0; tickAt(x, step, k, &v); k++) {
    const double p = toPixel(x, v);
    fprintf(f, "<line x1='%.1f' y1='%d' x2='%.1f' y2='%d' stroke='#ddd'/>", p, TOP, p,
            HEIGHT - BOTTOM);
    fprintf(f, "<text x='%.1f' y='%d' text-anchor='middle'>%g</text>\n", p, HEIGHT - BOTTOM + 18,
            fabs(v) < 1e-9 * step ? 0 : v);
  }
  step = tickStep(y->high - y->low);
  for (int k = 0; tickAt(y, step, k, &v); k++) {
    const double p = toPixel(y, v);
    fprintf(f, "<line x1='%d' y1='%.1f' x2='%d' y2='%.1f' stroke='#ddd'/>", LEFT, p, WIDTH - RIGHT,
            p);
    fprintf(f, "<text x='%d' y='%.1f' text-anchor='end'>%g</text>\n", LEFT - 8, p + 4,
            fabs(v) < 1e-9 * step ? 0 : v);
  }
}


static void drawLine(FILE* f, const cliSeries* s, int k, const plotAxis* x, const plotAxis* y) {
  const size_t width = (size_t)s->count + 1;
  const int stride = s->rows > POINTS_MAX ? s->rows / POINTS_MAX : 1;
  const char* color = colors[k % (int)(sizeof(colors) / sizeof(colors[0]))];
  fprintf(f, "<polyline fill='none' stroke-width='1.5' stroke='%s' points='", color);
  for (int row = 0; row < s->rows; row += stride) {
    const double* v = s->value + (size_t)row * width;
    if (isfinite(v[k + 1])) {
      fprintf(f, "%.1f,%.1f ", toPixel(x, v[0]), toPixel(y, v[k + 1]));
    }
  }
  const int legend = TOP + 14 + 18 * k;
  fprintf(f, "'/>\n<line x1='%d' y1='%d' x2='%d' y2='%d' stroke='%s' stroke-width='3'/>",
          WIDTH - RIGHT + 12, legend - 4, WIDTH - RIGHT + 32, legend - 4, color);
  fprintf(f, "<text x='%d' y='%d'>", WIDTH - RIGHT + 38, legend);
  writeEscaped(f, s->signal[k].label);
  fputs("</text>\n", f);
}


bool cli_writePlot(const cliSeries* s, const char* path, const char* title) {
  FILE* f = cfi_fileOpen(path, "w");
  if (!f) {
    cli_error("%s: %s", path, strerror(errno));
    return false;
  }
  plotAxis x = {.start = LEFT, .size = WIDTH - LEFT - RIGHT};
  plotAxis y = {.start = HEIGHT - BOTTOM, .size = -(HEIGHT - TOP - BOTTOM)};
  findRange(s, 0, 0, &x);
  findRange(s, 1, s->count, &y);
  fprintf(
      f,
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
      "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
      WIDTH, HEIGHT, WIDTH, HEIGHT);
  fprintf(f, "<text x='%d' y='24' font-size='15'>", LEFT);
  writeEscaped(f, title);
  fputs("</text>\n", f);
  drawTicks(f, &x, &y);
  for (int k = 0; k < s->count; k++) {
    drawLine(f, s, k, &x, &y);
  }
  fprintf(f, "<text x='%d' y='%d' text-anchor='middle'>time (s)</text>\n</svg>\n",
          (WIDTH + LEFT - RIGHT) / 2, HEIGHT - 12);
  const bool is_cut = ferror(f);
  if (fclose(f) || is_cut) {
    cli_error("could not write %s: %s", path, strerror(errno));
    return false;
  }
  return true;
}
