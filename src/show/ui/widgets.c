// What items are drawn with: rectangles, ovals, corners, arrows, letters.
#include <math.h>
#include <stdio.h>

#include "math/libm.h"
#include "render/flat.h"
#include "render/gl.h"
#include "ui/interface.h"

// width of outlines, and straight pieces of a half circle and of a rounded corner
enum { OUTLINE = 2, OVAL_PIECES = 15, CORNER_PIECES = 10 };


void cfi_uiCanvas(mjrRect rect) {
  cfi_flatState();
  cfi_gl.ShadeModel(GL_SMOOTH);
  cfi_flatFrame(0, rect.width, 0, rect.height);
  cfi_gl.MatrixMode(GL_MODELVIEW);
  cfi_gl.Viewport(rect.left, rect.bottom, rect.width, rect.height);
}


//---------------------------------- letters -------------------------------------------------------

int cfi_uiTextWidth(const char* text, int limit, const mjrContext* con) {
  int width = 0;
  for (int k = 0; text[k] && (limit < 0 || k < limit); k++) {
    width += cfi_letterWidth(text[k], false, con);
  }
  return width;
}


// as many letters as fit
void cfi_uiText(const char* text, int x, int y, int width, const float rgb[3],
                const mjrContext* con) {
  int n = 0, used = 0;
  for (; text[n]; n++) {
    used += cfi_letterWidth(text[n], false, con);
    if (used >= width) {
      break;
    }
  }
  cfi_gl.Color3fv(rgb);
  cfi_gl.RasterPos2i(x, y);
  cfi_drawLetters(con->baseFontNormal, text, n);
}


//---------------------------------- shapes --------------------------------------------------------

static void emitRect(mjrRect r) {
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Vertex2i(r.left, r.bottom);
  cfi_gl.Vertex2i(r.left + r.width, r.bottom);
  cfi_gl.Vertex2i(r.left + r.width, r.bottom + r.height);
  cfi_gl.Vertex2i(r.left, r.bottom + r.height);
  cfi_gl.End();
}


void cfi_uiFill(mjrRect rect, const float rgb[3]) {
  cfi_gl.Color3fv(rgb);
  emitRect(rect);
}


// full without a color for the inside, else an outline
void cfi_uiBox(mjrRect rect, const float rgb[3], const float inside[3], const mjrContext* con) {
  cfi_uiFill(rect, rgb);
  if (inside) {
    const int margin = cfi_uiScale(OUTLINE, con);
    const mjrRect inner = {rect.left + margin, rect.bottom + margin, rect.width - 2 * margin,
                           rect.height - 2 * margin};
    cfi_uiFill(inner, inside);
  }
}


// half circles around two centers, from the top over the left
static void emitOval(const double left[2], const double right[2], double radius,
                     const float rgb[3]) {
  cfi_gl.Color3fv(rgb);
  cfi_gl.Begin(GL_POLYGON);
  for (int k = 0; k < 2 * (OVAL_PIECES + 1); k++) {
    const bool is_left = k <= OVAL_PIECES;
    const double* center = is_left ? left : right;
    const int piece = is_left ? k : k - OVAL_PIECES - 1;
    const double angle = mjPI * ((is_left ? 0.5 : 1.5) + piece / (double)OVAL_PIECES);
    cfi_gl.Vertex2f((float)(center[0] + radius * cfi_cos(angle)),
                    (float)(center[1] + radius * cfi_sin(angle)));
  }
  cfi_gl.End();
}


void cfi_uiOval(mjrRect rect, const float rgb[3], const float inside[3], const mjrContext* con) {
  const double radius = 0.5 * rect.height;
  const double left[2] = {rect.left + radius, rect.bottom + radius};
  const double right[2] = {rect.left + rect.width - radius, rect.bottom + radius};
  if (rect.height > rect.width) {
    return;
  }
  emitOval(left, right, radius, rgb);
  if (inside) {
    emitOval(left, right, radius - cfi_uiScale(OUTLINE, con), inside);
  }
}


void cfi_uiGradient(mjrRect r, const float low[3], const float high[3]) {
  cfi_gl.Begin(GL_QUADS);
  cfi_gl.Color3fv(low);
  cfi_gl.Vertex2i(r.left, r.bottom);
  cfi_gl.Vertex2i(r.left + r.width, r.bottom);
  cfi_gl.Color3fv(high);
  cfi_gl.Vertex2i(r.left + r.width, r.bottom + r.height);
  cfi_gl.Vertex2i(r.left, r.bottom + r.height);
  cfi_gl.End();
}


// what is outside of a quarter circle in a corner; quarter 0 is the lower left, then around
static void emitCorner(double x, double y, int quarter, double radius) {
  const double angle = quarter * 0.5 * mjPI;
  const double cx = x + sqrt(2.0) * radius * cfi_cos(angle + 0.25 * mjPI);
  const double cy = y + sqrt(2.0) * radius * cfi_sin(angle + 0.25 * mjPI);
  cfi_gl.Begin(GL_TRIANGLE_FAN);
  cfi_gl.Vertex2f((float)x, (float)y);
  for (int k = 0; k <= CORNER_PIECES; k++) {
    const double a = angle + mjPI + 0.5 * mjPI * k / (double)CORNER_PIECES;
    cfi_gl.Vertex2f((float)(cx + radius * cfi_cos(a)), (float)(cy + radius * cfi_sin(a)));
  }
  cfi_gl.End();
}


// round the corners of what is there by painting over them
void cfi_uiCorners(mjrRect r, int radius, bool top_only, const float rgb[3],
                   const mjrContext* con) {
  const double scaled = radius * 0.01 * con->fontScale;
  if (!radius) {
    return;
  }
  cfi_gl.Color3fv(rgb);
  for (int quarter = top_only ? 2 : 0; quarter < 4; quarter++) {
    const bool is_right = quarter == 1 || quarter == 2, is_top = quarter >= 2;
    emitCorner(r.left + (is_right ? r.width : 0), r.bottom + (is_top ? r.height : 0), quarter,
               scaled);
  }
}


// a triangle at the right end of a title: full and down if open, an outline to the left if not
void cfi_uiArrow(mjrRect r, bool is_open, double part, const float inside[3], const mjUI* ui,
                 const mjrContext* con) {
  const int x = r.left + r.width - cfi_uiScale(ui->spacing.texthor, con);
  const int y = r.bottom + r.height / 2, d = mju_round(con->charHeight * part);
  cfi_gl.Color3fv(ui->color.sectsymbol);
  cfi_gl.Begin(GL_TRIANGLES);
  cfi_gl.Vertex2i(x, is_open ? y + d : y - d);
  cfi_gl.Vertex2i(is_open ? x - 2 * d : x, y + d);
  cfi_gl.Vertex2i(is_open ? x - d : x - 2 * d, is_open ? y - d : y);
  cfi_gl.End();
  if (!is_open) {
    const double margin = con->fontScale * 0.015, slant = 0.5 * sqrt(5.0) * margin;
    const double half = d - slant - 0.5 * margin;
    cfi_gl.Color3fv(inside);
    cfi_gl.Begin(GL_TRIANGLES);
    cfi_gl.Vertex2f((float)(x - margin), (float)(y - half));
    cfi_gl.Vertex2f((float)(x - margin), (float)(y + half));
    cfi_gl.Vertex2f((float)(x - 2 * d + 2 * slant), (float)y);
    cfi_gl.End();
  }
}


//---------------------------------- shortcuts -----------------------------------------------------

// name of a key that is not a letter, "" for those without one
static const char* keyName(int key) {
  static const struct {
    int key;
    const char* name;
  } names[] = {{' ', "Space"},       {mjKEY_ESCAPE, "Esc"},   {mjKEY_ENTER, "Enter"},
               {mjKEY_TAB, "Tab"},   {mjKEY_INSERT, "Ins"},   {mjKEY_DELETE, "Del"},
               {mjKEY_LEFT, "Left"}, {mjKEY_RIGHT, "Right"},  {mjKEY_UP, "Up"},
               {mjKEY_DOWN, "Down"}, {mjKEY_PAGE_UP, "PgUp"}, {mjKEY_PAGE_DOWN, "PgDn"},
               {mjKEY_HOME, "Home"}, {mjKEY_END, "End"},      {mjKEY_BACKSPACE, "BackSpace"}};
  for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
    if (names[k].key == key) {
      return names[k].name;
    }
  }
  return "";
}


// key at the right end of an item
void cfi_uiShortcut(mjrRect r, int modifier, int key, const mjUI* ui, const mjrContext* con) {
  const char* before =
      modifier == 1 ? "Ctrl " : (modifier == 2 ? "Shift " : (modifier == 4 ? "Alt " : ""));
  const int gap = cfi_uiScale(ui->spacing.textver, con);
  char text[40];
  if (key > ' ' && key <= '~') {
    snprintf(text, sizeof(text), "%s%c", before, key);
  } else if (key >= mjKEY_F1 && key <= mjKEY_F12) {
    snprintf(text, sizeof(text), "%sF%d", before, key - mjKEY_F1 + 1);
  } else {
    snprintf(text, sizeof(text), "%s%s", before, keyName(key));
  }
  const int width = cfi_uiTextWidth(text, -1, con) + 2 * gap;
  const mjrRect box = {r.left + r.width - width, r.bottom + gap, width, r.height - 2 * gap};
  cfi_uiFill(box, ui->color.shortcut);
  cfi_uiText(text, box.left + gap, box.bottom, box.width, ui->color.fontactive, con);
}
