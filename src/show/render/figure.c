// mjr_figure: diagrams with lines over two axes.
//
// The picture is built from outside: background, title above, label of the x axis below, labels of
// ticks left and below, then the pane with grid, lines and legend in what is left.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"
#include "render/draw.h"
#include "render/flat.h"
#include "render/gl.h"

enum {
  MOST_GRID_LINES = 20,
  TEXT_BYTES = 100,
  TITLE_BYTES = sizeof(((mjvFigure*)0)->title),
};

// smallest range of an axis, and room beside the first and the last value as a part of the range
static const float least_range = 1e-5f, range_margin = 0.001f;

// a figure that is being drawn
typedef struct {
  mjvFigure* fig;
  const mjrContext* con;
  mjrRect rect;       // what is left
  float range[2][2];  // of x and y
  int gap;            // distance between things: half a line
} figurePlot;


//---------------------------------- ranges --------------------------------------------------------

// widen a range until all points are in it; without a range start from the first point
static void coverCurves(const mjvFigure* fig, int axis, float range[2], bool has_range) {
  for (int line = 0; line < mjMAXLINE; line++) {
    for (int k = 0; k < fig->linepnt[line] && k < mjMAXLINEPNT; k++) {
      const float value = fig->linedata[line][2 * k + axis];
      if (!isfinite(value)) {
        continue;
      }
      range[0] = !has_range || value < range[0] ? value : range[0];
      range[1] = !has_range || value > range[1] ? value : range[1];
      has_range = true;
    }
  }
}


// largest power of ten that is not above a positive number
static float powerOfTen(float size) {
  double power = 1;
  int n = 0;
  for (; n < FLT_MAX_10_EXP && power * 10 <= (double)size; n++) {
    power *= 10;
  }
  for (; n > FLT_MIN_10_EXP && power > (double)size; n--) {
    power = cfi_pow(10, n - 1);
  }
  return (float)power;
}


// the y axis ends at round numbers
static void roundRange(float range[2], bool is_symmetric) {
  const float size = range[1] - range[0];
  if (size > 0) {
    const float power = powerOfTen(size);
    range[0] = floorf(range[0] / power) * power;
    range[1] = ceilf(range[1] / power) * power;
  }
  if (is_symmetric) {
    const float most =
        (float)cfi_fmax(range[0] < 0 ? -range[0] : range[0], range[1] < 0 ? -range[1] : range[1]);
    range[0] = -most;
    range[1] = most;
  }
}


static void findRanges(figurePlot* f) {
  mjvFigure* fig = f->fig;
  for (int axis = 0; axis < 2; axis++) {
    float* range = f->range[axis];
    memcpy(range, fig->range[axis], 2 * sizeof(float));
    const bool is_given = range[0] < range[1];
    if (!is_given || fig->flg_extend) {
      coverCurves(fig, axis, range, is_given);
    }
    const float lacking = least_range - (range[1] - range[0]);
    if (lacking > 0) {
      range[0] -= 0.5f * lacking;
      range[1] += 0.5f * lacking;
    }
  }
  roundRange(f->range[1], fig->flg_symmetric);
  memcpy(fig->xaxisdata, f->range[0], sizeof(fig->xaxisdata));
  memcpy(fig->yaxisdata, f->range[1], sizeof(fig->yaxisdata));
}


//---------------------------------- frames --------------------------------------------------------

static void showRect(mjrRect r) {
  cfi_gl.Viewport(r.left, r.bottom, r.width, r.height);
}


// coordinates in pixels; false if nothing is left to draw in
static bool pixelFrame(const figurePlot* f) {
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.LoadIdentity();
  if (f->rect.width <= 1 || f->rect.height <= 1) {
    return false;
  }
  cfi_flatFrame(0, f->rect.width - 1, 0, f->rect.height - 1);
  return true;
}


// coordinates of the data
static void dataFrame(const figurePlot* f) {
  double edge[4];
  for (int axis = 0; axis < 2; axis++) {
    const float margin = (f->range[axis][1] - f->range[axis][0]) * range_margin;
    edge[2 * axis] = f->range[axis][0] - margin;
    edge[2 * axis + 1] = f->range[axis][1] + margin;
  }
  cfi_flatFrame(edge[0], edge[1], edge[2], edge[3]);
}


//---------------------------------- title ---------------------------------------------------------

static char titleAt(const mjvFigure* fig, int k) {
  return k >= 0 && k < TITLE_BYTES ? fig->title[k] : '\0';
}


// titles of subplots are separated by two or more blanks: where the chosen one begins
static int subtitleStart(const mjvFigure* fig) {
  int at = 0;
  for (int found = 0; found < fig->subplot && titleAt(fig, at);) {
    while (titleAt(fig, at) && titleAt(fig, at) != ' ') {
      at++;
    }
    const int word_end = at;
    while (titleAt(fig, at) == ' ') {
      at++;
    }
    found += at - word_end > 1;
  }
  return at;
}


// its length: up to two blanks or the end
static int subtitleLength(const mjvFigure* fig, int start) {
  int n = 0;
  for (;; n++) {
    const char here = titleAt(fig, start + n), next = titleAt(fig, start + n + 1);
    const bool is_letter = here && here != ' ', goes_on = next && next != ' ';
    if (!is_letter && !goes_on) {
      return n;
    }
  }
}


static int titleWidth(const figurePlot* f, int start, int n) {
  int width = 0;
  for (int k = start; k < start + n; k++) {
    width += cfi_letterWidth(titleAt(f->fig, k), false, f->con);
  }
  return width;
}


static void drawTitleText(const figurePlot* f, int left, int start, int n, float own) {
  const float* text = f->fig->textrgb;
  const float* ground = f->fig->figurergba;
  const float rest = 1 - own;
  cfi_gl.Color4f(own * text[0] + rest * ground[0], own * text[1] + rest * ground[1],
                 own * text[2] + rest * ground[2], 1);
  cfi_gl.RasterPos3f((float)left, (float)(f->rect.height - f->gap - f->con->charHeight), 0);
  cfi_drawLetters(f->con->baseFontNormal, f->fig->title + start, n);
}


// the chosen title in the middle, as many letters of its neighbors as fit beside it, pale; returns
// the height that it takes
static int drawTitle(const figurePlot* f) {
  const int start = subtitleStart(f->fig), n = subtitleLength(f->fig, start);
  if (!f->fig->title[0] || !n) {
    return 0;
  }
  const int middle = f->rect.width / 2 - titleWidth(f, start, n) / 2;
  const int left = middle > 0 ? middle : 0;
  int pale_start = start, pale_left = left, pale_n = 0, right;
  while (pale_start > 0 && pale_left >= titleWidth(f, pale_start - 1, 1)) {
    pale_left -= titleWidth(f, --pale_start, 1);
  }
  right = pale_left;
  while (titleAt(f->fig, pale_start + pale_n) &&
         right + titleWidth(f, pale_start + pale_n, 1) < f->rect.width) {
    right += titleWidth(f, pale_start + pale_n++, 1);
  }
  drawTitleText(f, pale_left, pale_start, pale_n, 0.4f);
  drawTitleText(f, left, start, n, 1);
  return f->con->charHeight;
}


// returns the height that it takes
static int drawAxisLabel(const figurePlot* f) {
  const char* label = f->fig->xlabel;
  if (!label[0]) {
    return 0;
  }
  const int left = f->rect.width / 2 - cfi_textWidth(label, false, f->con) / 2;
  const float pos[3] = {(float)(left > 0 ? left : 0), (float)f->gap, 0};
  cfi_drawText(mjFONT_NORMAL, label, f->con, pos, f->fig->textrgb);
  return f->con->charHeight;
}


// title and label; false if they leave nothing
static bool drawHeadings(figurePlot* f) {
  const int above = drawTitle(f), below = drawAxisLabel(f);
  if (!above && !below) {
    return true;
  }
  const int bottom = below ? below + f->gap / 2 : 0;
  f->rect.bottom += bottom;
  f->rect.height -= bottom + (above ? above + f->gap : 0);
  if (f->rect.width <= 0 || f->rect.height <= 0) {
    return false;
  }
  showRect(f->rect);
  cfi_flatFrame(0, f->rect.width - 1, 0, f->rect.height - 1);
  return true;
}


//---------------------------------- ticks ---------------------------------------------------------

// zeros behind the last digit of a fraction say nothing
static void dropZeros(char* text) {
  size_t end = strlen(text);
  while (end > 0 && text[end - 1] == '0') {
    end--;
  }
  if (end <= 1) {
    return;
  }
  size_t digits = end;
  while (digits > 0 && text[digits - 1] >= '0' && text[digits - 1] <= '9') {
    digits--;
  }
  if (digits > 0 && text[digits - 1] == '.') {
    text[digits == end ? end - 1 : end] = '\0';
  }
}


// formats come from the user of the library, as with printf
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void formatNumber(char text[TEXT_BYTES], const char* format, float value) {
  snprintf(text, TEXT_BYTES, format, value);
  dropZeros(text);
}
#pragma GCC diagnostic pop


static int tickCount(const mjvFigure* fig, int axis) {
  return fig->gridsize[axis] < MOST_GRID_LINES ? fig->gridsize[axis] : MOST_GRID_LINES;
}


static float tickPart(const figurePlot* f, int axis, int k) {
  return (float)k / (float)(tickCount(f->fig, axis) - 1);
}


// label of tick k; returns its width
static int tickText(const figurePlot* f, int axis, int k, char text[TEXT_BYTES]) {
  const float* range = f->range[axis];
  const int n = tickCount(f->fig, axis);
  formatNumber(text, axis ? f->fig->yformat : f->fig->xformat,
               range[0] + (range[1] - range[0]) * (float)k / (float)(n - 1));
  return cfi_textWidth(text, false, f->con);
}


static int widestTick(const figurePlot* f) {
  char text[TEXT_BYTES];
  int widest = f->fig->minwidth[0] ? cfi_textWidth(f->fig->minwidth, false, f->con) : 0;
  for (int k = 0; k < tickCount(f->fig, 1); k++) {
    const int width = tickText(f, 1, k, text);
    widest = width > widest ? width : widest;
  }
  return widest + f->gap;
}


// labels of one axis; room is what the labels of both axes take: left, below
static void drawTicks(const figurePlot* f, int axis, const int room[2]) {
  char text[TEXT_BYTES];
  const float gray[3] = {f->fig->textrgb[0], f->fig->textrgb[0], f->fig->textrgb[0]};
  const int n = tickCount(f->fig, axis);
  for (int k = 0; k < n; k++) {
    const int width = tickText(f, axis, k, text);
    float pos[3] = {(float)(room[0] - width), (float)f->gap, 0};
    if (axis) {
      pos[1] = (float)(f->gap + room[1] - f->con->charHeight / 2) +
               (float)((f->rect.height - 2 * f->gap - room[1]) * k) / (float)(n - 1);
    } else {
      const int shift = k == 0 ? 0 : (k == n - 1 ? -width : -width / 2);
      pos[0] = (float)(f->gap + room[0] + shift) +
               (float)((f->rect.width - 2 * f->gap - room[0]) * k) / (float)(n - 1);
    }
    cfi_drawText(mjFONT_NORMAL, text, f->con, pos, gray);
  }
}


static bool hasGrid(const mjvFigure* fig) {
  return fig->gridsize[0] > 1 && fig->gridsize[1] > 1;
}


// labels of ticks, then what is left for the pane; false if that is nothing
static bool drawTickLabels(figurePlot* f) {
  if (hasGrid(f->fig)) {
    const int room[2] = {f->fig->flg_ticklabel[1] ? widestTick(f) : 0,
                         f->fig->flg_ticklabel[0] ? f->con->charHeight + f->gap : 0};
    for (int axis = 0; axis < 2; axis++) {
      if (f->fig->flg_ticklabel[axis]) {
        drawTicks(f, axis, room);
      }
    }
    f->rect.left += room[0];
    f->rect.width -= room[0];
    f->rect.bottom += room[1];
    f->rect.height -= room[1];
  }
  f->rect.left += f->gap;
  f->rect.width -= 2 * f->gap;
  f->rect.bottom += f->gap;
  f->rect.height -= 2 * f->gap;
  return f->rect.width > 0 && f->rect.height > 0;
}


//---------------------------------- pane ----------------------------------------------------------

// first and last pixel
static void setEnds(int ends[2], int start, int length) {
  ends[0] = start;
  ends[1] = start + length - 1;
}


static void openPane(const figurePlot* f) {
  mjvFigure* fig = f->fig;
  showRect(f->rect);
  setEnds(fig->xaxispixel, f->rect.left, f->rect.width);
  setEnds(fig->yaxispixel, f->rect.bottom, f->rect.height);
  cfi_flatFrame(-range_margin, 1 + range_margin, -range_margin, 1 + range_margin);
  cfi_fillRect(0, 0, 1, 1, fig->panergba);
}


// grid lines across one axis, as pairs of points
static void drawGridLines(const figurePlot* f, int axis) {
  float point[4 * MOST_GRID_LINES] = {0};
  const int n = tickCount(f->fig, axis);
  for (int k = 0; k < n; k++) {
    point[4 * k + axis] = point[4 * k + 2 + axis] = tickPart(f, axis, k);
    point[4 * k + 3 - axis] = 1;
  }
  cfi_gl.VertexPointer(2, GL_FLOAT, 0, point);
  cfi_gl.DrawArrays(GL_LINES, 0, 2 * n);
}


static void drawGrid(const figurePlot* f) {
  if (hasGrid(f->fig)) {
    cfi_gl.Color3fv(f->fig->gridrgb);
    cfi_gl.LineWidth(f->fig->gridwidth);
    drawGridLines(f, 0);
    drawGridLines(f, 1);
  }
}


static void drawCurve(const mjvFigure* fig, int line, float width) {
  const int n = fig->linepnt[line] < mjMAXLINEPNT ? fig->linepnt[line] : mjMAXLINEPNT;
  cfi_gl.VertexPointer(2, GL_FLOAT, 0, fig->linedata[line]);
  cfi_gl.Color3fv(fig->linergb[line]);
  cfi_gl.LineWidth(width);
  cfi_gl.DrawArrays(fig->flg_barplot ? GL_LINES : GL_LINE_STRIP, 0, n);
}


// the first line on top
static void drawCurves(const figurePlot* f) {
  const mjvFigure* fig = f->fig;
  dataFrame(f);
  for (int line = mjMAXLINE - 1; line >= 0; line--) {
    if (fig->linepnt[line]) {
      drawCurve(fig, line, fig->linewidth);
    }
  }
  if (fig->flg_selection) {
    cfi_gl.Color3f(1, 1, 1);
    cfi_gl.LineWidth(3);
    cfi_gl.Begin(GL_LINES);
    cfi_gl.Vertex2f(fig->selection, f->range[1][0]);
    cfi_gl.Vertex2f(fig->selection, f->range[1][1]);
    cfi_gl.End();
  }
}


//---------------------------------- legend --------------------------------------------------------

// size of the legend in letters: widest name, and names that fit
static int measureLegend(const figurePlot* f, int* widest) {
  int count = 0;
  *widest = 0;
  for (int line = f->fig->legendoffset; line < mjMAXLINE; line++) {
    const char* name = f->fig->linename[line];
    if (!name[0]) {
      continue;
    }
    const int width = cfi_textWidth(name, false, f->con);
    *widest = width > *widest ? width : *widest;
    if ((count + 1) * f->con->charHeight + 2 * f->gap >= f->rect.height) {
      break;
    }
    count++;
  }
  return count;
}


// names from above; returns the line of the name in row `pointed`, or -1
static int drawNames(const figurePlot* f, int pointed) {
  const mjvFigure* fig = f->fig;
  const int line_height = f->con->charHeight;
  int row = 0, found = -1;
  for (int line = fig->legendoffset; line < mjMAXLINE; line++) {
    if (!fig->linename[line][0]) {
      continue;
    }
    const int width = cfi_textWidth(fig->linename[line], false, f->con);
    const float pos[3] = {(float)(f->rect.width - f->gap - width),
                          (float)(f->rect.height - f->gap - (row + 1) * line_height), 0};
    cfi_drawText(mjFONT_SHADOW, fig->linename[line], f->con, pos, fig->linergb[line]);
    found = row == pointed ? line : found;
    row++;
    if ((row + 1) * line_height + 2 * f->gap >= f->rect.height) {
      break;
    }
  }
  return found;
}


// row of the legend under the mouse, -1 for none
static int pointedRow(const figurePlot* f, int width, int height) {
  const int right = f->rect.width - f->gap - (f->fig->highlight[0] - f->rect.left);
  const int down = f->rect.height - f->gap - (f->fig->highlight[1] - f->rect.bottom);
  const bool is_inside = right >= 0 && right <= width && down >= 0 && down <= height;
  return is_inside && f->con->charHeight > 0 ? down / f->con->charHeight : -1;
}


// in the upper right corner; returns the line that the mouse points at, or -1
static int drawLegend(const figurePlot* f) {
  int widest;
  const int count = measureLegend(f, &widest), height = count * f->con->charHeight;
  if (count) {
    cfi_fillRect((float)(f->rect.width - 2 * f->gap - widest),
                 (float)(f->rect.height - 2 * f->gap - height), (float)f->rect.width,
                 (float)f->rect.height, f->fig->legendrgba);
  }
  return drawNames(f, pointedRow(f, widest, height));
}


//---------------------------------- emphasis ------------------------------------------------------

// coordinates of the point closest to the selection
static void drawCoordinates(const figurePlot* f, int line) {
  const mjvFigure* fig = f->fig;
  const float(*range)[2] = (const float(*)[2])f->range;
  char text[TEXT_BYTES];
  int best = 0;
  for (int k = 1; k < fig->linepnt[line] && k < mjMAXLINEPNT; k++) {
    if (fabsf(fig->selection - fig->linedata[line][2 * k]) <
        fabsf(fig->selection - fig->linedata[line][2 * best])) {
      best = k;
    }
  }
  const float pos[3] = {0.9f * range[0][0] + 0.1f * range[0][1],
                        0.9f * range[1][0] + 0.1f * range[1][1], 0};
  snprintf(text, sizeof(text), "( %.4g : %.4g )", fig->linedata[line][2 * best],
           fig->linedata[line][2 * best + 1]);
  cfi_drawText(mjFONT_SHADOW, text, f->con, pos, fig->textrgb);
}


static void emphasize(const figurePlot* f, int line) {
  if (line < 0 || line >= mjMAXLINE) {
    return;
  }
  dataFrame(f);
  drawCurve(f->fig, line, 5 * f->fig->linewidth);
  if (f->fig->flg_selection && f->fig->linepnt[line] > 0) {
    drawCoordinates(f, line);
  }
}


static void drawPane(figurePlot* f) {
  int line = f->fig->highlightid;
  openPane(f);
  cfi_gl.EnableClientState(GL_VERTEX_ARRAY);
  drawGrid(f);
  drawCurves(f);
  if (!f->fig->flg_legend || pixelFrame(f)) {
    if (f->fig->flg_legend) {
      const int pointed = drawLegend(f);
      line = pointed >= 0 ? pointed : line;
    }
    emphasize(f, line);
  }
  cfi_gl.DisableClientState(GL_VERTEX_ARRAY);
}


void mjr_figure(mjrRect viewport, mjvFigure* fig, const mjrContext* con) {
  figurePlot f = {.fig = fig, .con = con, .rect = viewport, .gap = con->charHeight / 2};
  if (viewport.width <= 0 || viewport.height <= 0 || !cfi_needGl("mjr_figure")) {
    return;
  }
  cfi_flatState();
  showRect(viewport);
  cfi_fillRect(0, 0, 1, 1, fig->figurergba);
  findRanges(&f);
  if (!pixelFrame(&f) || !drawHeadings(&f) || !drawTickLabels(&f)) {
    return;
  }
  CF_ASSERT(f.rect.width > 0 && f.rect.height > 0);
  drawPane(&f);
  cfi_checkGl("mjr_figure");
}
