// mjui_resize: where titles and items stand.  Heights are counted from above while things are
// placed, and turned over when the whole height is known.
#include <string.h>

#include "base/assert.h"
#include "render/gl.h"
#include "ui/interface.h"


// a separator that is folded hides the items up to the next one
static void hideFolded(mjuiSection* s, bool shows_all) {
  bool is_hidden = false;
  for (int k = 0; k < s->nitem; k++) {
    const bool is_separator = s->item[k].type == mjITEM_SEPARATOR;
    if (is_separator) {
      is_hidden = s->item[k].state == mjSEPCLOSED;
    }
    if (shows_all || !is_separator) {
      s->item[k].skip = is_hidden && !shows_all;
    }
  }
}


static int itemHeight(const mjuiItem* item, const mjUI* ui, const cfUiSizes* z) {
  if (item->type == mjITEM_STATIC) {
    return (z->cell - z->textver) * item->multi.nelem;
  }
  if (item->type == mjITEM_RADIO) {
    const int columns = ui->radiocol ? ui->radiocol : 2;
    return z->cell * ((item->multi.nelem - 1) / columns + 1);
  }
  return z->cell;
}


// an item in a row of its own; labels stand to the left
static void placeAlone(mjuiItem* item, const mjuiSection* s, const mjUI* ui, const cfUiSizes* z) {
  const bool has_label =
      item->name[0] && (item->type >= mjITEM_RADIO || item->type == mjITEM_STATIC);
  const int label = has_label ? z->label : 0;
  item->rect.left = s->rcontent.left + z->itemside + label;
  item->rect.width = s->rcontent.width - 2 * z->itemside - label;
  item->rect.height = itemHeight(item, ui, z);
  if (cfi_isPair(item->type)) {
    item->rect.width = z->column;
  }
}


// items of a section below its title, which ends at `top`
static void placeItems(mjUI* ui, mjuiSection* s, int top, const cfUiSizes* z) {
  int y = 0;
  for (int k = 0; k < s->nitem; k++) {
    mjuiItem* item = s->item + k;
    memset(&item->rect, 0, sizeof(item->rect));
    if (item->skip) {
      continue;
    }
    y += item->type == mjITEM_SEPARATOR ? z->section : z->itemver;
    placeAlone(item, s, ui, z);
    item->rect.bottom = top + y + item->rect.height;
    y += item->rect.height;

    // the second of a pair stands beside the first
    if (cfi_isPair(item->type) && k + 1 < s->nitem && item[1].type == item->type) {
      item[1].rect = item->rect;
      item[1].rect.left += z->column + z->itemmid;
      k++;
    }
  }
  s->rcontent.height = y + z->itemver;
  s->rcontent.bottom = top + s->rcontent.height;
}


// place everything; returns the height, *full is what it would be with all sections open
static int placeSections(mjUI* ui, bool shows_all, int* full, const cfUiSizes* z) {
  int height = z->section;
  *full = z->section;
  for (int n = 0; n < ui->nsect; n++) {
    mjuiSection* s = ui->sect + n;
    const int title = s->state == mjSECT_FIXED ? 0 : z->cell;
    hideFolded(s, shows_all);
    s->rtitle.left = s->rcontent.left = z->section;
    s->rtitle.width = s->rcontent.width = z->total - z->scroll - 2 * z->section;
    s->rtitle.height = title;
    s->rtitle.bottom = height + title;
    placeItems(ui, s, height + title, z);
    const int content = s->rcontent.height;
    height += title + (s->state == mjSECT_CLOSED ? 0 : content) + z->section;
    *full += title + content + z->section;
  }
  return height;
}


// from "down from the top" to "up from the bottom"
static void turnUpright(mjUI* ui) {
  for (int n = 0; n < ui->nsect; n++) {
    mjuiSection* s = ui->sect + n;
    s->rtitle.bottom = ui->height - s->rtitle.bottom;
    s->rcontent.bottom = ui->height - s->rcontent.bottom;
    for (int k = 0; k < s->nitem; k++) {
      s->item[k].rect.bottom = ui->height - s->item[k].rect.bottom;
    }
  }
}


// sizes for the states that sections have, within what a buffer may be
static void layOut(mjUI* ui, int limit, const cfUiSizes* z) {
  int full, ignored;
  placeSections(ui, true, &full, z);
  ui->width = z->total;
  ui->height = placeSections(ui, false, &ignored, z);
  ui->maxheight = full < limit ? full : limit;
  turnUpright(ui);
}


// the open section that was clicked last among those that are not done yet, -1 for none
static int latestOpen(const mjUI* ui, const bool is_done[mjMAXUISECT]) {
  int latest = -1;
  for (int n = 0; n < ui->nsect; n++) {
    if (!is_done[n] && ui->sect[n].state == mjSECT_OPEN &&
        (latest < 0 || ui->sect[n].lastclick >= ui->sect[latest].lastclick)) {
      latest = n;
    }
  }
  return latest;
}


// too high for a buffer: keep the sections open that were clicked last, as many as fit
static bool closeSections(mjUI* ui, const cfUiSizes* z) {
  bool is_done[mjMAXUISECT] = {false};
  int height = (ui->nsect + 1) * z->section;
  for (int n = 0; n < ui->nsect; n++) {
    const mjuiSection* s = ui->sect + n;
    height += s->state == mjSECT_FIXED ? s->rcontent.height : s->rtitle.height;
  }
  if (height > ui->maxheight) {
    mju_error("fixed section height already too big, closing sections cannot help");
    return false;
  }
  for (int n; (n = latestOpen(ui, is_done)) >= 0;) {
    const bool fits = height + ui->sect[n].rcontent.height <= ui->maxheight;
    is_done[n] = true;
    height += fits ? ui->sect[n].rcontent.height : 0;
    ui->sect[n].state = fits ? mjSECT_OPEN : mjSECT_CLOSED;
  }
  return true;
}


void mjui_resize(mjUI* ui, const mjrContext* con) {
  const cfUiSizes z = cfi_uiSizes(ui, con);
  int limit = 0;
  CF_ASSERT(ui->nsect <= mjMAXUISECT);
  if (!cfi_needGl("mjui_resize")) {
    return;
  }
  cfi_gl.GetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &limit);
  layOut(ui, limit, &z);
  if (ui->height > ui->maxheight && closeSections(ui, &z)) {
    layOut(ui, limit, &z);
  }
}
