// Where the mouse is: sections, items, choices, the scroll bar.
#include <math.h>

#include "base/assert.h"
#include "ui/interface.h"


// both edges belong to a rectangle
static bool isInRect(int x, int y, mjrRect r) {
  return x >= r.left && x <= r.left + r.width && y >= r.bottom && y <= r.bottom + r.height;
}


// rectangle with half circles at its ends
static bool isInOval(int x, int y, mjrRect r) {
  const int radius = r.height / 2;
  const int before = r.left + radius - x, behind = x - (r.left + r.width - radius);
  const int dx = before > 0 ? before : (behind > 0 ? behind : 0), dy = y - (r.bottom + radius);
  return isInRect(x, y, r) && (dx == 0 || dx * dx + dy * dy < radius * radius);
}


// mouse in the picture of the whole interface
static void mouseInPicture(const mjUI* ui, const mjuiState* state, int at[2]) {
  const mjrRect rect = state->rect[ui->rectid];
  const int scroll = ui->height > rect.height ? ui->scroll : 0;
  at[0] = (int)state->x - rect.left;
  at[1] = (int)state->y - scroll - (rect.height - ui->height + rect.bottom);
}


void cfi_uiMouseIn(mjrRect rect, const mjUI* ui, const mjuiState* state, double part[2]) {
  int at[2];
  mouseInPicture(ui, state, at);
  part[0] = (at[0] - rect.left) / (double)rect.width;
  part[1] = (at[1] - rect.bottom) / (double)rect.height;
}


void cfi_uiScrollBar(mjrRect rect, const mjUI* ui, const mjrContext* con, mjrRect* bar,
                     mjrRect* thumb) {
  const int width = cfi_uiScale(ui->spacing.scroll, con);
  const double start = ui->scroll / (double)ui->height;
  const double end = (ui->scroll + rect.height) / (double)ui->height;
  *bar = (mjrRect){rect.left + rect.width - width, rect.bottom, width, rect.height};
  *thumb = *bar;
  thumb->bottom += mju_round(rect.height * (1 - end));
  thumb->height = mju_round(rect.height * (end - start));
}


// section code of a point in the scroll bar, 0 outside of it
static int placeInBar(const mjUI* ui, const mjuiState* state, const mjrContext* con) {
  const mjrRect rect = state->rect[ui->rectid];
  const int x = (int)state->x, y = (int)state->y;
  mjrRect bar, thumb;
  if (ui->height <= rect.height) {
    return 0;
  }
  cfi_uiScrollBar(rect, ui, con, &bar, &thumb);
  if (!isInRect(x, y, bar)) {
    return 0;
  }
  if (isInRect(x, y, thumb)) {
    return CF_MOUSE_THUMB;
  }
  return y < thumb.bottom ? CF_MOUSE_BELOW : CF_MOUSE_ABOVE;
}


// item of a section at a point, -1 for none
static int itemAt(const mjuiSection* s, int x, int y) {
  for (int k = 0; k < s->nitem; k++) {
    const mjuiItem* item = s->item + k;
    if (item->type == mjITEM_BUTTON ? isInOval(x, y, item->rect) : isInRect(x, y, item->rect)) {
      return k;
    }
  }
  return -1;
}


cfUiPlace cfi_uiFindMouse(const mjUI* ui, const mjuiState* state, const mjrContext* con) {
  int at[2];
  const int bar = placeInBar(ui, state, con);
  if (bar) {
    return (cfUiPlace){bar, CF_MOUSE_TITLE};
  }
  mouseInPicture(ui, state, at);
  for (int n = 0; n < ui->nsect; n++) {
    const mjuiSection* s = ui->sect + n;
    if (s->state < mjSECT_FIXED && isInRect(at[0], at[1], s->rtitle)) {
      mjrRect box = s->rtitle;
      box.width = box.height < box.width ? box.height : box.width;
      const bool is_box = s->checkbox > 0 && isInRect(at[0], at[1], box);
      return (cfUiPlace){n + 1, is_box ? CF_MOUSE_BOX : CF_MOUSE_TITLE};
    }
    if (s->state != mjSECT_CLOSED && isInRect(at[0], at[1], s->rcontent)) {
      const int item = itemAt(s, at[0], at[1]);
      if (item >= 0) {
        return (cfUiPlace){n + 1, item};
      }
    }
  }
  return (cfUiPlace){0, 0};
}


//---------------------------------- choices -------------------------------------------------------

static int clampTo(int k, int most) {
  return k < 0 ? 0 : (k > most ? most : k);
}


mjrRect cfi_uiRadioCell(const mjuiItem* item, int k, const mjUI* ui, const mjrContext* con) {
  const cfUiSizes z = cfi_uiSizes(ui, con);
  CF_ASSERT_INDEX(k, item->multi.nelem);
  const int columns = ui->radiocol ? ui->radiocol : 2;
  const int rows = (item->multi.nelem - 1) / columns + 1;
  const int width = (item->rect.width - (columns - 1) * z.itemmid) / columns;
  const int left = k % columns * (width + z.itemmid);
  const bool is_last = k % columns == columns - 1;
  return (mjrRect){item->rect.left + left, item->rect.bottom + (rows - 1 - k / columns) * z.cell,
                   is_last ? item->rect.width - left : width, z.cell};
}


// what is left of the width is shared out evenly
void cfi_uiLineEdges(const mjuiItem* item, const mjrContext* con, int edge[mjMAXUIMULTI + 1]) {
  const int n = item->multi.nelem;
  int letters = 0;
  CF_ASSERT(n <= mjMAXUIMULTI);
  for (int k = 0; k < n; k++) {
    letters += cfi_uiTextWidth(item->multi.name[k], -1, con);
  }
  const double extra = n ? (item->rect.width - letters) / (double)n : 0;
  edge[0] = 0;
  for (int k = 0; k < n; k++) {
    edge[k + 1] = edge[k] + cfi_uiTextWidth(item->multi.name[k], -1, con) +
                  mju_round((k + 1) * extra) - mju_round(k * extra);
  }
  edge[n] = item->rect.width;
}


static int pointedRadio(const mjuiItem* item, const mjUI* ui, const double part[2]) {
  const int columns = ui->radiocol ? ui->radiocol : 2;
  const int rows = (item->multi.nelem - 1) / columns + 1;
  const int row = clampTo((int)floor((1 - part[1]) * rows), rows - 1);
  const int column = clampTo((int)floor(part[0] * columns), columns - 1);
  const int k = row * columns + column;
  return k < item->multi.nelem ? k : -1;
}


static int pointedInLine(const mjuiItem* item, const mjrContext* con, double part) {
  int edge[mjMAXUIMULTI + 1], passed = 0;
  const int x = mju_round(part * item->rect.width), n = item->multi.nelem;
  cfi_uiLineEdges(item, con, edge);
  while (passed < n && x >= edge[passed + 1]) {
    passed++;
  }
  return x >= 0 && passed < n ? passed : -1;
}


// of a menu that hangs below its item while the mouse button is down
static int pointedInMenu(const mjuiItem* item, const mjUI* ui, const mjuiState* state,
                         const mjrContext* con) {
  const int n = item->multi.nelem;
  mjrRect menu = item->rect;
  double part[2];
  if (ui->mousesect <= 0 || ui->mouseitem < 0) {
    return -1;
  }
  menu.height = n * cfi_uiSizes(ui, con).cell;
  menu.bottom -= menu.height;
  cfi_uiMouseIn(menu, ui, state, part);
  if (!(part[0] > 0 && part[0] < 1 && part[1] > 0 && part[1] < 1)) {
    return -1;
  }
  return n - 1 - clampTo((int)floor(part[1] * n), n - 1);
}


int cfi_uiPointedChoice(const mjuiItem* item, const mjUI* ui, const mjuiState* state,
                        const mjrContext* con) {
  double part[2];
  CF_ASSERT(cfi_isChoice(item->type) && item->type != mjITEM_STATIC);
  if (item->type == mjITEM_SELECT) {
    return pointedInMenu(item, ui, state, con);
  }
  cfi_uiMouseIn(item->rect, ui, state, part);
  return item->type == mjITEM_RADIO ? pointedRadio(item, ui, part)
                                    : pointedInLine(item, con, part[0]);
}
