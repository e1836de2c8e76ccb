// Flat drawing: texts, overlays, rectangles, labels.
#include "render/flat.h"

#include <string.h>

#include "base/assert.h"
#include "render/draw.h"
#include "render/gl.h"

// distance of an overlay from the edge, and of its lines from each other [pixel]
enum { OVERLAY_GAP = 5 };


//---------------------------------- state ---------------------------------------------------------

void cfi_flatFrame(double left, double right, double bottom, double top) {
  cfi_gl.MatrixMode(GL_PROJECTION);
  cfi_gl.LoadIdentity();
  cfi_gl.Ortho(left, right, bottom, top, -1, 1);
}


void cfi_flatState(void) {
  static const GLenum off[] = {GL_NORMALIZE, GL_DEPTH_TEST,     GL_CULL_FACE,
                               GL_LIGHTING,  GL_COLOR_MATERIAL, GL_BLEND};
  for (size_t k = 0; k < sizeof(off) / sizeof(off[0]); k++) {
    cfi_gl.Disable(off[k]);
  }
  cfi_gl.ShadeModel(GL_FLAT);
  cfi_gl.BlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
  cfi_gl.PolygonMode(GL_FRONT_AND_BACK, GL_FILL);
  cfi_flatFrame(0, 1, 0, 1);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.LoadIdentity();
}


void cfi_fillRect(float left, float bottom, float right, float top, const float rgba[4]) {
  cfi_gl.Enable(GL_BLEND);
  cfi_gl.Color4fv(rgba);
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Vertex2f(left, bottom);
  cfi_gl.Vertex2f(left, top);
  cfi_gl.Vertex2f(right, top);
  cfi_gl.Vertex2f(right, bottom);
  cfi_gl.End();
  cfi_gl.Disable(GL_BLEND);
}


//---------------------------------- letters -------------------------------------------------------

int cfi_letterWidth(char letter, bool is_big, const mjrContext* con) {
  const unsigned char code = (unsigned char)letter;
  const int* widths = is_big ? con->charWidthBig : con->charWidth;
  return code < sizeof(con->charWidth) / sizeof(con->charWidth[0]) ? widths[code] : 0;
}


int cfi_textWidth(const char* text, bool is_big, const mjrContext* con) {
  int width = 0;
  for (; *text; text++) {
    width += cfi_letterWidth(*text, is_big, con);
  }
  return width;
}


void cfi_drawLetters(unsigned int base, const char* text, int n) {
  CF_ASSERT(n >= 0);
  cfi_gl.ListBase(base);
  for (int start = 0; start < n;) {
    int end = start;
    while (end < n && (unsigned char)text[end] < 128) {
      end++;
    }
    if (end > start) {
      cfi_gl.CallLists(end - start, GL_UNSIGNED_BYTE, text + start);
    }
    start = end + 1;
  }
}


// a text in one color; a raster position takes the color that is current when it is set
static void drawLine(unsigned int base, const char* text, const float pos[3], const float rgb[3],
                     float alpha) {
  cfi_gl.Color4f(rgb[0], rgb[1], rgb[2], alpha);
  cfi_gl.RasterPos3f(pos[0], pos[1], pos[2]);
  cfi_drawLetters(base, text, (int)strlen(text));
}


void cfi_drawText(int font, const char* text, const mjrContext* con, const float pos[3],
                  const float rgb[3]) {
  static const float black[3] = {0, 0, 0};
  if (!con->rangeFont) {
    return;
  }
  if (font == mjFONT_SHADOW) {
    drawLine(con->baseFontShadow, text, pos, black, 0.5f);
  }
  drawLine(font == mjFONT_BIG ? con->baseFontBig : con->baseFontNormal, text, pos, rgb, 1);
}


void mjr_text(int font, const char* txt, const mjrContext* con, float x, float y, float r, float g,
              float b) {
  const float pos[3] = {x, y, 0}, rgb[3] = {r, g, b};
  if (!cfi_needGl("mjr_text")) {
    return;
  }
  cfi_flatState();
  cfi_drawText(font, txt, con, pos, rgb);
  cfi_checkGl("mjr_text");
}


//---------------------------------- overlays ------------------------------------------------------

// one column of an overlay
typedef struct {
  const char* text;
  int length;
  int line;           // height of a line
  int width, height;  // with margins
} overlayColumn;


static overlayColumn measureColumn(const char* text, bool is_big, const mjrContext* con) {
  overlayColumn c = {text, (int)strnlen(text, mjMAXOVERLAY), 0, 0, 0};
  int here = 0, widest = 0, lines = 1;
  c.line = is_big ? con->charHeightBig : con->charHeight;
  for (int k = 0; k < c.length; k++) {
    const bool is_break = text[k] == '\n';
    here = is_break ? 0 : here + cfi_letterWidth(text[k], is_big, con);
    widest = here > widest ? here : widest;
    lines += is_break;
  }
  c.width = OVERLAY_GAP + widest + 8;
  c.height = lines * (c.line + OVERLAY_GAP);
  return c;
}


// lower left corner of a column; skip is what another column has taken of the width
static void placeColumn(const overlayColumn* c, mjrRect v, int skip, int gridpos, int corner[2]) {
  const int from_right = v.left + v.width - skip - 1 - OVERLAY_GAP - c->width;
  const int from_top = v.bottom + v.height - 1 - OVERLAY_GAP - c->height;
  corner[0] = v.left + skip + OVERLAY_GAP;
  corner[1] = v.bottom + OVERLAY_GAP;
  if (gridpos == mjGRID_TOPRIGHT || gridpos == mjGRID_BOTTOMRIGHT || gridpos == mjGRID_RIGHT) {
    corner[0] = from_right;
  } else if (gridpos == mjGRID_TOP || gridpos == mjGRID_BOTTOM) {
    corner[0] = v.left + (v.width - skip - c->width) / 2 - 1 - OVERLAY_GAP;
  }
  if (gridpos == mjGRID_TOPLEFT || gridpos == mjGRID_TOPRIGHT || gridpos == mjGRID_TOP) {
    corner[1] = from_top;
  } else if (gridpos == mjGRID_LEFT || gridpos == mjGRID_RIGHT) {
    corner[1] = v.bottom + (v.height - c->height) / 2 - 1 - OVERLAY_GAP;
  }
}


// lines from above; an empty line before the end is one, too, the rest behind the last break is not
static void drawLinesOf(const overlayColumn* c, int font, const float rgb[3],
                        const mjrContext* con) {
  char line[mjMAXOVERLAY + 1];
  int row = 1;
  for (int start = 0; start < c->length; row++) {
    int n = 0;
    while (start + n < c->length && c->text[start + n] != '\n') {
      n++;
    }
    memcpy(line, c->text + start, (size_t)n);
    line[n] = '\0';
    const int height = row * c->line + (row - 1) * OVERLAY_GAP;
    const float pos[3] = {3, (float)(c->height - height), 0};
    cfi_drawText(font, line, con, pos, rgb);
    start += n + 1;
  }
}


// draw one column on a dark ground; returns what the next one has to leave free
static int drawColumn(const char* text, int font, int gridpos, mjrRect viewport, int skip,
                      float gray, const mjrContext* con) {
  static const float shade[4] = {0, 0, 0, 0.5f};
  const float rgb[3] = {gray, gray, gray};
  const overlayColumn c = measureColumn(text, font == mjFONT_BIG, con);
  int corner[2];
  placeColumn(&c, viewport, skip, gridpos, corner);
  cfi_gl.Viewport(corner[0], corner[1], c.width, c.height);
  cfi_flatFrame(0, c.width - 1, 0, c.height - 1);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.LoadIdentity();
  cfi_fillRect(0, 0, (float)c.width, (float)c.height, shade);
  drawLinesOf(&c, font, rgb, con);
  return c.width - 2;
}


// two columns side by side: the one with the names is darker and stands on the left
void mjr_overlay(int font, int gridpos, mjrRect viewport, const char* overlay, const char* overlay2,
                 const mjrContext* con) {
  static const float dark = 0.7f, bright = 1;
  if (viewport.width <= 0 || viewport.height <= 0 || !cfi_needGl("mjr_overlay")) {
    return;
  }
  cfi_flatState();
  if (!overlay2 || !overlay2[0]) {
    drawColumn(overlay, font, gridpos, viewport, 0, bright, con);
  } else if (gridpos == mjGRID_TOPLEFT || gridpos == mjGRID_BOTTOMLEFT) {
    const int skip = drawColumn(overlay, font, gridpos, viewport, 0, dark, con);
    drawColumn(overlay2, font, gridpos, viewport, skip, bright, con);
  } else {
    const int skip = drawColumn(overlay2, font, gridpos, viewport, 0, bright, con);
    drawColumn(overlay, font, gridpos, viewport, skip, dark, con);
  }
  cfi_checkGl("mjr_overlay");
}


//---------------------------------- rectangles ----------------------------------------------------

void mjr_rectangle(mjrRect viewport, float r, float g, float b, float a) {
  const float rgba[4] = {r, g, b, a};
  if (viewport.width <= 0 || viewport.height <= 0 || !cfi_needGl("mjr_rectangle")) {
    return;
  }
  cfi_flatState();
  cfi_gl.Viewport(viewport.left, viewport.bottom, viewport.width, viewport.height);
  cfi_fillRect(0, 0, 1, 1, rgba);
  cfi_checkGl("mjr_rectangle");
}


// rectangle with a text in the middle; blending stays on, as it always was after a label
void mjr_label(mjrRect viewport, int font, const char* txt, float r, float g, float b, float a,
               float rt, float gt, float bt, const mjrContext* con) {
  const bool is_big = font == mjFONT_BIG;
  const float rgba[4] = {r, g, b, a};
  if (viewport.width <= 0 || viewport.height <= 0 || !cfi_needGl("mjr_label")) {
    return;
  }
  cfi_flatState();
  cfi_flatFrame(0, viewport.width, 0, viewport.height);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.Viewport(viewport.left, viewport.bottom, viewport.width, viewport.height);
  cfi_fillRect(0, 0, (float)viewport.width, (float)viewport.height, rgba);
  cfi_gl.Enable(GL_BLEND);
  if (txt && con->rangeFont) {
    const int left = (viewport.width - cfi_textWidth(txt, is_big, con)) / 2;
    const int line = is_big ? con->charHeightBig : con->charHeight;
    cfi_gl.Color3f(rt, gt, bt);
    cfi_gl.RasterPos2i(left > 0 ? left : 0, (viewport.height - line) / 2);
    cfi_drawLetters(is_big ? con->baseFontBig : con->baseFontNormal, txt, (int)strlen(txt));
  }
  cfi_checkGl("mjr_label");
}
