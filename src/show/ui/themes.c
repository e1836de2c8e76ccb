// Themes, and questions that all parts of the interface ask.
#include "render/flat.h"
#include "ui/interface.h"

static const mjuiThemeSpacing theme_spacings[2] = {
    {
#define CF_SPACING(name, tight, wide) .name = tight,
#define CF_COLOR(...)
#include "ui/themes.def"
#undef CF_SPACING
    },
    {
#define CF_SPACING(name, tight, wide) .name = wide,
#include "ui/themes.def"
#undef CF_SPACING
#undef CF_COLOR
    },
};

#define PERCENT(r, g, b) \
  { (float)((r) / 100.0), (float)((g) / 100.0), (float)((b) / 100.0) }
#define CF_SPACING(...)
static const mjuiThemeColor theme_colors[4] = {
    {
#define CF_COLOR(name, r0, g0, b0, r1, g1, b1, r2, g2, b2, r3, g3, b3) .name = PERCENT(r0, g0, b0),
#include "ui/themes.def"
#undef CF_COLOR
    },
    {
#define CF_COLOR(name, r0, g0, b0, r1, g1, b1, r2, g2, b2, r3, g3, b3) .name = PERCENT(r1, g1, b1),
#include "ui/themes.def"
#undef CF_COLOR
    },
    {
#define CF_COLOR(name, r0, g0, b0, r1, g1, b1, r2, g2, b2, r3, g3, b3) .name = PERCENT(r2, g2, b2),
#include "ui/themes.def"
#undef CF_COLOR
    },
    {
#define CF_COLOR(name, r0, g0, b0, r1, g1, b1, r2, g2, b2, r3, g3, b3) .name = PERCENT(r3, g3, b3),
#include "ui/themes.def"
#undef CF_COLOR
    },
};
#undef CF_SPACING
#undef PERCENT


// numbers that no theme has mean the last one
mjuiThemeSpacing mjui_themeSpacing(int ind) {
  return theme_spacings[ind == 0 ? 0 : 1];
}


mjuiThemeColor mjui_themeColor(int ind) {
  return theme_colors[ind < 0 || ind > 3 ? 3 : ind];
}


int cfi_uiScale(int size, const mjrContext* con) {
  const int scaled = mju_round(size * 0.01 * con->fontScale);
  return scaled > 0 ? scaled : 0;
}


cfUiSizes cfi_uiSizes(const mjUI* ui, const mjrContext* con) {
  cfUiSizes z;
  z.total = cfi_uiScale(ui->spacing.total, con);
  z.scroll = cfi_uiScale(ui->spacing.scroll, con);
  z.label = cfi_uiScale(ui->spacing.label, con);
  z.section = cfi_uiScale(ui->spacing.section, con);
  z.itemside = cfi_uiScale(ui->spacing.itemside, con);
  z.itemmid = cfi_uiScale(ui->spacing.itemmid, con);
  z.itemver = cfi_uiScale(ui->spacing.itemver, con);
  z.texthor = cfi_uiScale(ui->spacing.texthor, con);
  z.textver = cfi_uiScale(ui->spacing.textver, con);
  z.cell = con->charHeight + 2 * z.textver;
  z.column = (z.total - z.scroll - 2 * (z.section + z.itemside) - z.itemmid) / 2;
  return z;
}


// states above one are categories that the program decides about
bool cfi_uiEnabled(const mjUI* ui, const mjuiItem* item) {
  if (item->state > 1 && ui->predicate) {
    return ui->predicate(item->state, ui->userdata);
  }
  return item->state > 0;
}


bool cfi_isPair(int type) {
  return type == mjITEM_BUTTON || type == mjITEM_CHECKINT || type == mjITEM_CHECKBYTE;
}


bool cfi_isSlider(int type) {
  return type == mjITEM_SLIDERINT || type == mjITEM_SLIDERNUM;
}


bool cfi_isEdit(int type) {
  return type >= mjITEM_EDITINT && type <= mjITEM_EDITTXT;
}


bool cfi_isChoice(int type) {
  return type == mjITEM_STATIC || (type >= mjITEM_RADIO && type <= mjITEM_SELECT);
}
