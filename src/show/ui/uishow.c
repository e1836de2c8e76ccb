// mjui_render: the interface in the window, with its scroll bar and the menu that is open.
#include "ui/interface.h"


static void paintRect(mjrRect r, const float rgb[3]) {
  mjr_rectangle(r, rgb[0], rgb[1], rgb[2], 1);
}


// menu of a select item below it; `shift` is how far the picture stands from its own origin
static void showMenu(const mjUI* ui, const mjuiItem* item, mjrRect rect, int shift,
                     const mjuiState* state, const mjrContext* con) {
  const cfUiSizes z = cfi_uiSizes(ui, con);
  const int n = item->multi.nelem, height = n * z.cell;
  const int chosen = cfi_uiPointedChoice(item, ui, state, con);
  const mjrRect menu = {rect.left + item->rect.left, item->rect.bottom - height + shift,
                        item->rect.width, height};
  const mjrRect margin = {menu.left - z.itemside, menu.bottom - z.itemside,
                          menu.width + 2 * z.itemside, height + z.itemside};
  paintRect(margin, ui->color.sectpane);
  paintRect(menu, ui->color.select2);
  if (chosen >= 0) {
    const mjrRect row = {menu.left, menu.bottom + (n - 1 - chosen) * z.cell, menu.width, z.cell};
    paintRect(row, ui->color.select);
  }
  cfi_uiCanvas(rect);
  for (int k = 0; k < n; k++) {
    cfi_uiText(item->multi.name[k], item->rect.left + z.texthor,
               menu.bottom + z.textver + (n - 1 - k) * z.cell, menu.width - 2 * z.texthor,
               ui->color.fontactive, con);
  }
}


void mjui_render(mjUI* ui, const mjuiState* state, const mjrContext* con) {
  const mjrRect rect = state->rect[ui->rectid];
  paintRect(rect, ui->color.master);

  // nothing below the end
  if (ui->scroll > 0 && ui->height - ui->scroll < rect.height) {
    ui->scroll = ui->height > rect.height ? ui->height - rect.height : 0;
  }
  const int left_over = ui->height - ui->scroll - rect.height;  // picture below what is seen
  const int below = left_over > 0 ? left_over : 0, above = left_over < 0 ? -left_over : 0;
  const mjrRect seen = {0, below, ui->width, rect.height - above};
  mjr_blitAux(ui->auxid, seen, rect.left, rect.bottom + above, con);

  if (ui->height > rect.height) {
    mjrRect bar, thumb;
    cfi_uiScrollBar(rect, ui, con, &bar, &thumb);
    paintRect(thumb, ui->color.thumb);
  }
  if (ui->mousesect > 0 && ui->mousesect <= ui->nsect && ui->mouseitem >= 0) {
    const mjuiItem* item = ui->sect[ui->mousesect - 1].item + ui->mouseitem;
    if (item->type == mjITEM_SELECT) {
      showMenu(ui, item, rect, above - below, state, con);
    }
  }
}
