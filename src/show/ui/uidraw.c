// mjui_update: sections and items as they look.
#include <stdio.h>

#include "base/assert.h"
#include "render/gl.h"
#include "ui/interface.h"

// size of the arrow in titles and in separators, as a part of the height of letters
static const double title_arrow = 0.33, separator_arrow = 0.28;

// more steps than this are not marked on a slider
enum { MOST_MARKS = 20 };

// an item that is being drawn
typedef struct {
  const mjUI* ui;
  const mjrContext* con;
  const mjuiSection* section;
  const mjuiItem* item;
  cfUiSizes z;
  bool is_enabled;
  bool is_pressed;  // the mouse went down on it and is still there
  const float* font;
} itemView;


// color of an item, gray while it is disabled
static const float* colorOf(const itemView* v, const float enabled[3]) {
  return v->is_enabled ? enabled : v->ui->color.decorinactive;
}


static void meanColor(float mean[3], const float a[3], const float b[3]) {
  for (int k = 0; k < 3; k++) {
    mean[k] = (float)((a[k] + b[k]) * 0.5);
  }
}


// name to the left of an item, `up` above the lowest line
static void drawLabel(const itemView* v, int up) {
  cfi_uiText(v->item->name, v->section->rcontent.left + v->z.itemside + v->z.texthor,
             v->item->rect.bottom + v->z.textver + up, v->z.label - 2 * v->z.texthor, v->font,
             v->con);
}


// text in a rectangle, from its left edge
static void drawIn(const itemView* v, mjrRect r, const char* text) {
  cfi_uiText(text, r.left + v->z.texthor, r.bottom + v->z.textver, r.width - 2 * v->z.texthor,
             v->font, v->con);
}


//---------------------------------- items ---------------------------------------------------------

static void drawSeparator(const itemView* v) {
  const mjuiThemeColor* color = &v->ui->color;
  const mjrRect r = v->item->rect;
  cfi_uiGradient(r, color->separator2, color->separator);
  cfi_uiText(v->item->name, r.left + v->z.texthor, r.bottom + v->z.textver,
             r.width - 2 * v->z.texthor, color->sectfont, v->con);
  if (v->item->state >= mjSEPCLOSED) {
    const bool is_open = v->item->state == mjSEPCLOSED + 1;
    float inside[3];
    meanColor(inside, color->separator, color->separator2);
    cfi_uiArrow(r, is_open, separator_arrow, inside, v->ui, v->con);
    cfi_uiCorners(r, v->ui->spacing.cornersep, is_open, color->sectpane, v->con);
  }
}


static void drawStatic(const itemView* v) {
  const int line = v->con->charHeight + v->z.textver, n = v->item->multi.nelem;
  mjrRect r = v->item->rect;
  drawLabel(v, (n - 1) * line);
  cfi_uiFill(r, v->ui->color.sectpane);
  for (int k = 0; k < n; k++) {
    r.bottom = v->item->rect.bottom + (n - 1 - k) * line;
    drawIn(v, r, v->item->multi.name[k]);
  }
}


static bool isChecked(const mjuiItem* item) {
  return item->type == mjITEM_CHECKINT ? *(const int*)item->pdata : *(const mjtByte*)item->pdata;
}


// buttons and check boxes
static void drawPairItem(const itemView* v) {
  const mjuiItem* item = v->item;
  const mjuiThemeColor* color = &v->ui->color;
  const int width = (v->section->rtitle.width - 2 * v->z.itemside - v->z.itemmid) / 2;
  if (item->type == mjITEM_BUTTON) {
    cfi_uiOval(item->rect, colorOf(v, color->button), v->is_pressed ? NULL : color->sectpane,
               v->con);
  } else {
    cfi_uiBox(item->rect, colorOf(v, color->check), isChecked(item) ? NULL : color->sectpane,
              v->con);
  }
  cfi_uiText(item->name, item->rect.left + v->z.texthor, item->rect.bottom + v->z.textver,
             width - 2 * v->z.texthor, v->font, v->con);
  if (v->ui->mousehelp && item->single.shortcut) {
    cfi_uiShortcut(item->rect, item->single.modifier, item->single.shortcut, v->ui, v->con);
  }
}


static void drawRadio(const itemView* v) {
  const mjuiItem* item = v->item;
  const float* rgb = colorOf(v, v->ui->color.radio);
  const int chosen = *(const int*)item->pdata;
  drawLabel(v, item->rect.height - v->z.cell);
  cfi_uiBox(item->rect, rgb, v->ui->color.sectpane, v->con);
  if (chosen >= 0 && chosen < item->multi.nelem) {
    cfi_uiFill(cfi_uiRadioCell(item, chosen, v->ui, v->con), rgb);
  }
  for (int k = 0; k < item->multi.nelem; k++) {
    drawIn(v, cfi_uiRadioCell(item, k, v->ui, v->con), item->multi.name[k]);
  }
}


static void drawRadioLine(const itemView* v) {
  const mjuiItem* item = v->item;
  const float* rgb = colorOf(v, v->ui->color.radio);
  const int chosen = *(const int*)item->pdata;
  int edge[mjMAXUIMULTI + 1];
  drawLabel(v, 0);
  cfi_uiBox(item->rect, rgb, v->ui->color.sectpane, v->con);
  cfi_uiLineEdges(item, v->con, edge);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < item->multi.nelem; k++) {
      const char* name = item->multi.name[k];
      mjrRect r = item->rect;
      r.left += edge[k];
      r.width = edge[k + 1] - edge[k];
      if (pass == 0 && k == chosen) {
        cfi_uiFill(r, rgb);
      } else if (pass == 1) {
        const int gap = (r.width - cfi_uiTextWidth(name, -1, v->con)) / 2, left = gap > 0 ? gap : 0;
        cfi_uiText(name, r.left + left, r.bottom + (r.height - v->con->charHeight) / 2,
                   r.width - left, v->font, v->con);
      }
    }
  }
}


// the menu itself is drawn by mjui_render
static void drawSelect(const itemView* v) {
  const int chosen = *(const int*)v->item->pdata;
  drawLabel(v, 0);
  cfi_uiFill(v->item->rect, colorOf(v, v->ui->color.select));
  if (chosen >= 0 && chosen < v->item->multi.nelem) {
    drawIn(v, v->item->rect, v->item->multi.name[chosen]);
  }
}


static void drawMarks(const itemView* v) {
  const int steps = (int)v->item->slider.divisions;
  mjrRect mark = v->item->rect;
  mark.width = cfi_uiScale(2, v->con);
  mark.height = v->z.textver;
  for (int k = 1; k < steps; k++) {
    mark.left = (int)(v->item->rect.left - mark.width / 2 +
                      v->item->rect.width * k / v->item->slider.divisions);
    cfi_uiFill(mark, v->ui->color.sectpane);
  }
}


static void drawSlider(const itemView* v) {
  const mjuiItem* item = v->item;
  const bool is_int = item->type == mjITEM_SLIDERINT;
  const mjtNum value = is_int ? *(const int*)item->pdata : *(const mjtNum*)item->pdata;
  const double* range = item->slider.range;
  const mjtNum part = (value - range[0]) / mju_max(1e-10, range[1] - range[0]);
  mjrRect done = item->rect;
  char text[mjMAXUITEXT];
  cfi_uiFill(done, colorOf(v, v->ui->color.slider));
  done.width = mju_round(done.width * mju_min(1, mju_max(0, part)));
  cfi_uiFill(done, v->is_enabled ? v->ui->color.slider2 : v->ui->color.decorinactive2);
  if (item->slider.divisions <= MOST_MARKS) {
    drawMarks(v);
  }
  drawLabel(v, 0);
  if (is_int) {
    snprintf(text, sizeof(text), "%d", *(const int*)item->pdata);
  } else {
    snprintf(text, sizeof(text), "%.3g", value);
  }
  drawIn(v, item->rect, text);
}


static void drawCursor(const itemView* v) {
  const mjUI* ui = v->ui;
  const mjrRect box = v->item->rect;
  const int thin = cfi_uiScale(1, v->con), gap = v->z.textver / 2;
  const int before =
      cfi_uiTextWidth(ui->edittext + ui->editscroll, ui->editcursor - ui->editscroll, v->con);
  const mjrRect cursor = {box.left + v->z.texthor + before - thin, box.bottom + gap, 2 * thin,
                          box.height - 2 * gap};
  cfi_uiFill(cursor, ui->color.cursor);
}


static void drawEdit(const itemView* v) {
  const mjUI* ui = v->ui;
  const mjuiItem* item = v->item;
  const float* rgb = colorOf(v, ui->color.edit);
  drawLabel(v, 0);
  if (ui->editsect == item->sectionid + 1 && ui->edititem == item->itemid) {
    cfi_uiFill(item->rect, cfi_uiIsValid(ui->edittext, item) ? rgb : ui->color.edit2);
    drawCursor(v);
    drawIn(v, item->rect, ui->edittext + ui->editscroll);
  } else {
    char text[mjMAXUITEXT];
    cfi_uiPrint(text, item);
    cfi_uiBox(item->rect, rgb, ui->color.sectpane, v->con);
    drawIn(v, item->rect, text);
  }
}


static void drawItem(const itemView* v) {
  static void (*const by_type[mjNITEM])(const itemView*) = {
      drawSeparator, drawStatic, drawPairItem, drawPairItem, drawPairItem, drawRadio, drawRadioLine,
      drawSelect,    drawSlider, drawSlider,   drawEdit,     drawEdit,     drawEdit,  drawEdit};
  if (v->item->type < 0 || v->item->type >= mjNITEM) {
    mju_error("mjui_update: internal error: unexpected item type");
    return;
  }
  by_type[v->item->type](v);
}


//---------------------------------- sections ------------------------------------------------------

// title with its arrow, box and name
static void drawTitleBar(const mjuiSection* s, const mjUI* ui, const cfUiSizes* z,
                         const mjrContext* con) {
  const mjuiThemeColor* color = &ui->color;
  const mjrRect r = s->rtitle;
  const int half = (r.width - 2 * z->itemside - z->itemmid) / 2 - 2 * z->texthor;
  const int start = s->checkbox ? r.height : z->texthor;
  const bool is_empty = s->checkbox == 1;
  const float* high = !s->checkbox ? color->secttitle
                                   : (is_empty ? color->secttitleuncheck : color->secttitlecheck);
  const float* low = !s->checkbox ? color->secttitle2
                                  : (is_empty ? color->secttitleuncheck2 : color->secttitlecheck2);
  float mean[3];
  meanColor(mean, high, low);
  cfi_uiGradient(r, low, high);
  cfi_uiArrow(r, s->state, title_arrow, mean, ui, con);
  cfi_uiText(s->name, r.left + start, r.bottom + z->textver,
             2 * half - (s->checkbox ? r.height : 0), color->sectfont, con);
  if (s->checkbox) {
    const int gap = r.height / 4, side = r.height - 2 * gap;
    const mjrRect box = {r.left + gap, r.bottom + gap, side, side};
    cfi_uiBox(box, color->sectsymbol, is_empty ? mean : NULL, con);
  }
  if (ui->mousehelp && s->shortcut) {
    cfi_uiShortcut(r, s->modifier, s->shortcut, ui, con);
  }
}


// title and pane
static void drawSectionFrame(const mjuiSection* s, const mjUI* ui, const cfUiSizes* z,
                             const mjrContext* con) {
  mjrRect whole = s->rtitle;
  if (s->state != mjSECT_FIXED) {
    drawTitleBar(s, ui, z, con);
  } else {
    whole = s->rcontent;
  }
  if (s->state != mjSECT_CLOSED) {
    cfi_uiFill(s->rcontent, ui->color.sectpane);
  }
  if (s->state == mjSECT_OPEN) {
    whole.bottom = s->rcontent.bottom;
    whole.height += s->rcontent.height;
  }
  cfi_uiCorners(whole, ui->spacing.cornersect, false, ui->color.master, con);
}


// one item, or all for item < 0
static void drawItems(const mjuiSection* s, int section, int item, const mjUI* ui, cfUiPlace mouse,
                      const mjrContext* con) {
  const int first = item < 0 ? 0 : item, end = item < 0 ? s->nitem : item + 1;
  for (int k = first; k < end && k < s->nitem; k++) {
    itemView v = {.ui = ui, .con = con, .section = s, .item = s->item + k};
    if (v.item->rect.height == 0) {
      continue;
    }
    v.z = cfi_uiSizes(ui, con);
    v.is_enabled = cfi_uiEnabled(ui, v.item);
    v.is_pressed = ui->mousesect == section + 1 && ui->mouseitem == k &&
                   mouse.sect == section + 1 && mouse.item == k;
    v.font = v.is_enabled ? ui->color.fontactive : ui->color.fontinactive;
    drawItem(&v);
  }
}


void mjui_update(int section, int item, const mjUI* ui, const mjuiState* state,
                 const mjrContext* con) {
  const cfUiSizes z = cfi_uiSizes(ui, con);
  const cfUiPlace mouse = cfi_uiFindMouse(ui, state, con);
  const mjrRect whole = {0, 0, ui->width, ui->height};
  const int first = section < 0 ? 0 : section, end = section < 0 ? ui->nsect : section + 1;
  CF_ASSERT(ui->nsect <= mjMAXUISECT);
  mjr_setAux(ui->auxid, con);
  if (ui->auxid < 0 || ui->auxid >= mjNAUX || !con->auxFBO[ui->auxid]) {
    return;
  }
  cfi_uiCanvas(whole);
  if (section < 0) {
    cfi_gl.ClearColor(ui->color.master[0], ui->color.master[1], ui->color.master[2], 1);
    cfi_gl.Clear(GL_COLOR_BUFFER_BIT);
  }
  for (int n = first; n < end && n < ui->nsect; n++) {
    const mjuiSection* s = ui->sect + n;
    if (section < 0 || item < 0) {
      drawSectionFrame(s, ui, &z, con);
    }
    if (s->state != mjSECT_CLOSED) {
      drawItems(s, n, section < 0 ? -1 : item, ui, mouse, con);
    }
  }
  mjr_restoreBuffer(con);
}
