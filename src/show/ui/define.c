// mjui_add: definitions become sections and items.  A definition that is wrong raises mju_error and
// ends the list.
#include <stdio.h>
#include <string.h>

#include "ui/interface.h"

_Static_assert(mjMAXUIEDIT == 7, "scanNumbers reads fifteen numbers");


// report what is wrong with a definition; always false
static bool refuseDefinition(const char* what) {
  mju_error("mjui_add: %s", what);
  return false;
}


// one letter for the modifier, then a letter or # and a number: "C#290", " q"
static bool parseShortcut(const char* text, int* modifier, int* key) {
  static const char letters[] = " CSA";
  static const int masks[] = {0, 1, 2, 4};
  *modifier = *key = 0;
  const size_t length = strlen(text);
  if (!length) {
    return true;
  }
  if (length < 2 || length > 5) {
    return refuseDefinition("invalid shortcut specification");
  }
  const char* letter = strchr(letters, text[0]);
  if (!letter) {
    return refuseDefinition("invalid shortcut modifier");
  }
  *modifier = masks[letter - letters];
  if (text[1] == '#') {
    return sscanf(text + 2, "%d", key) == 1 || refuseDefinition("invalid shortcut numeric code");
  }
  *key = text[1];
  return length == 2 || refuseDefinition("invalid shortcut");
}


// names of choices, one a line
static bool parseChoices(mjuiItem* item, const char* text) {
  item->multi.nelem = 0;
  while (*text) {
    const size_t length = strcspn(text, "\n");
    if (item->multi.nelem >= mjMAXUIMULTI) {
      return refuseDefinition("too many multi elements");
    }
    if (!length || length >= mjMAXUINAME - 1) {
      return refuseDefinition("invalid multi element name");
    }
    char* name = item->multi.name[item->multi.nelem++];
    memcpy(name, text, length);
    name[length] = '\0';
    text += length + (text[length] == '\n');
  }
  return true;
}


static int scanNumbers(const char* text, double x[15]) {
  int n = 0, used = 0;
  while (n < 15 && sscanf(text, "%lf%n", x + n, &used) == 1) {
    text += used;
    n++;
  }
  return n;
}


// minimum, maximum and, if given, the number of steps between them
static bool parseSlider(mjuiItem* item, const char* text) {
  double x[15];
  const int n = scanNumbers(text, x);
  if (n < 2) {
    return refuseDefinition("slider expects 'min max [div]'");
  }
  double steps = item->type == mjITEM_SLIDERINT ? x[1] - x[0] : 200;
  steps = n > 2 ? x[2] : steps;
  memcpy(item->slider.range, x, sizeof(item->slider.range));
  item->slider.divisions = steps > 1 ? steps : 1;
  return true;
}


// how many numbers, then a range for each or for none
static bool parseEdit(mjuiItem* item, const char* text) {
  double x[15];
  const int n = scanNumbers(text, x);
  if (n < 1) {
    return refuseDefinition("edit length missing");
  }
  item->edit.nelem = mju_round(x[0]);
  if (item->edit.nelem < 1 || item->edit.nelem > mjMAXUIEDIT) {
    return refuseDefinition("invalid edit length");
  }
  if (n > 1 && n != 1 + 2 * item->edit.nelem) {
    return refuseDefinition("incorrect number of edit ranges");
  }
  for (int k = 0; k < n - 1; k++) {
    item->edit.range[k / 2][k % 2] = x[1 + k];
  }
  return true;
}


// what the text of a definition says, by kind of item
static bool parseProperties(mjuiItem* item, const char* text) {
  if (cfi_isPair(item->type)) {
    return parseShortcut(text, &item->single.modifier, &item->single.shortcut);
  }
  if (cfi_isChoice(item->type)) {
    return parseChoices(item, text);
  }
  if (cfi_isSlider(item->type)) {
    return parseSlider(item, text);
  }
  return !cfi_isEdit(item->type) || item->type == mjITEM_EDITTXT || parseEdit(item, text);
}


// a section starts empty; states of items that were there survive, for separators that keep theirs
static bool addSection(mjUI* ui, const mjuiDef* def) {
  const bool keeps = def->state == mjPRESERVE;
  if (ui->nsect >= mjMAXUISECT) {
    return refuseDefinition("too many sections");
  }
  if (strnlen(def->name, mjMAXUINAME) >= mjMAXUINAME - 1) {
    return refuseDefinition("section name too long");
  }
  if (!keeps && (def->state < mjSECT_CLOSED || def->state > mjSECT_FIXED)) {
    return refuseDefinition("invalid section state");
  }
  mjuiSection* section = ui->sect + ui->nsect++;
  int states[mjMAXUIITEM];
  for (int k = 0; k < mjMAXUIITEM; k++) {
    states[k] = section->item[k].state;
  }
  const int state = keeps ? section->state : def->state;
  memset(section, 0, sizeof(*section));
  for (int k = 0; k < mjMAXUIITEM; k++) {
    section->item[k].state = states[k];
  }
  section->state = state;
  section->checkbox = def->otherint;
  memcpy(section->name, def->name, sizeof(section->name));
  return parseShortcut(def->other, &section->modifier, &section->shortcut);
}


// items with a value need to know where it is, others must not
static bool checkData(const mjuiItem* item) {
  const bool has_value = item->type > mjITEM_BUTTON;
  if (has_value && !item->pdata) {
    return refuseDefinition("no data pointer for item with data");
  }
  return has_value || !item->pdata || refuseDefinition("data pointer for item without data");
}


static bool addItem(mjUI* ui, const mjuiDef* def) {
  if (ui->nsect <= 0) {
    return refuseDefinition("item defined outside section");
  }
  mjuiSection* section = ui->sect + ui->nsect - 1;
  if (section->nitem >= mjMAXUIITEM) {
    return refuseDefinition("too many items in section");
  }
  if (strnlen(def->name, mjMAXUINAME) >= mjMAXUINAME) {
    return refuseDefinition("item name too long");
  }
  if (def->state < 0) {
    return refuseDefinition("invalid item state");
  }
  mjuiItem* item = section->item + section->nitem;
  const bool keeps = def->type == mjITEM_SEPARATOR && def->state == mjPRESERVE;
  const int old = item->state > mjSEPCLOSED ? item->state : mjSEPCLOSED;
  memset(item, 0, sizeof(*item));
  item->state = keeps ? old : def->state;
  item->type = def->type;
  item->pdata = def->pdata;
  item->sectionid = ui->nsect - 1;
  item->itemid = section->nitem++;
  item->userid = def->otherint;
  memcpy(item->name, def->name, sizeof(item->name));
  return checkData(item) && parseProperties(item, def->other);
}


void mjui_add(mjUI* ui, const mjuiDef* def) {
  bool is_good = true;
  for (; is_good && def->type != mjITEM_END; def++) {
    if (def->type == mjITEM_SECTION) {
      is_good = addSection(ui, def);
    } else if (def->type >= 0 && def->type < mjNITEM) {
      is_good = addItem(ui, def);
    } else {
      is_good = refuseDefinition("invalid item type");
    }
  }
}


void mjui_addToSection(mjUI* ui, int sect, const mjuiDef* def) {
  const int sections = ui->nsect;
  if (sect < 0 || sect >= mjMAXUISECT) {
    refuseDefinition("invalid section");
    return;
  }
  ui->nsect = sect + 1;
  mjui_add(ui, def);
  ui->nsect = sections;
}
