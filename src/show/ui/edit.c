// Edit fields: between text and values, the cursor, keys.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "render/flat.h"
#include "ui/interface.h"


//---------------------------------- values --------------------------------------------------------

// numbers of a text; false if there are too few or too many, or one is not allowed
static bool readValues(const char* text, const mjuiItem* item, double value[mjMAXUIEDIT]) {
  int n = 0, used = 0;
  CF_ASSERT(cfi_isEdit(item->type) && item->edit.nelem <= mjMAXUIEDIT);
  while (n < mjMAXUIEDIT && sscanf(text, "%lf%n", value + n, &used) == 1) {
    text += used;
    n++;
  }
  if (n != item->edit.nelem) {
    return false;
  }
  for (int k = 0; k < n; k++) {
    const double* range = item->edit.range[k];
    const bool is_bounded = range[0] < range[1];
    const bool is_outside = value[k] < range[0] || value[k] > range[1];
    const bool is_whole =
        value[k] > -2147483649.0 && value[k] < 2147483648.0 && value[k] == (double)(int)value[k];
    if ((is_bounded && is_outside) || (item->type == mjITEM_EDITINT && !is_whole)) {
      return false;
    }
  }
  return true;
}


bool cfi_uiIsValid(const char* text, const mjuiItem* item) {
  double value[mjMAXUIEDIT];
  return item->type == mjITEM_EDITTXT || readValues(text, item, value);
}


bool cfi_uiStore(const char* text, const mjuiItem* item) {
  double value[mjMAXUIEDIT];
  if (item->type == mjITEM_EDITTXT) {
    snprintf(item->pdata, mjMAXUINAME, "%s", text);
    return true;
  }
  if (!readValues(text, item, value)) {
    return false;
  }
  for (int k = 0; k < item->edit.nelem; k++) {
    if (item->type == mjITEM_EDITINT) {
      ((int*)item->pdata)[k] = (int)value[k];
    } else if (item->type == mjITEM_EDITNUM) {
      ((mjtNum*)item->pdata)[k] = value[k];
    } else {
      ((float*)item->pdata)[k] = (float)value[k];
    }
  }
  return true;
}


void cfi_uiPrint(char text[mjMAXUITEXT], const mjuiItem* item) {
  int length = 0;
  text[0] = '\0';
  if (item->type == mjITEM_EDITTXT) {
    snprintf(text, mjMAXUINAME, "%s", (const char*)item->pdata);
    return;
  }
  for (int k = 0; k < item->edit.nelem && length < mjMAXUITEXT; k++) {
    const char* gap = k ? "  " : "";
    const size_t room = (size_t)(mjMAXUITEXT - length);
    if (item->type == mjITEM_EDITINT) {
      length += snprintf(text + length, room, "%s%d", gap, ((int*)item->pdata)[k]);
    } else {
      const double value = item->type == mjITEM_EDITNUM ? ((mjtNum*)item->pdata)[k]
                                                        : (double)((float*)item->pdata)[k];
      length += snprintf(text + length, room, "%s%.4g", gap, value);
    }
  }
}


//---------------------------------- cursor --------------------------------------------------------

// scroll as little as needed
void cfi_uiShowCursor(mjUI* ui, const mjuiItem* item, const mjrContext* con) {
  if (ui->editcursor <= ui->editscroll) {
    ui->editscroll = ui->editcursor;
    return;
  }
  int room = item->rect.width - 2 * cfi_uiScale(ui->spacing.texthor, con);
  int first = ui->editcursor;
  while (room >= 0 && first >= ui->editscroll && first > 0) {
    room -= cfi_letterWidth(ui->edittext[--first], false, con);
  }
  if (room < 0) {
    ui->editscroll = first + 1;
  }
}


// between the letters that are closest to the mouse
void cfi_uiSetCursor(mjUI* ui, const mjuiItem* item, const mjuiState* state,
                     const mjrContext* con) {
  const int margin = cfi_uiScale(ui->spacing.texthor, con), length = (int)strlen(ui->edittext);
  mjrRect inner = item->rect;
  double part[2];
  inner.left += margin;
  inner.width -= 2 * margin;
  cfi_uiMouseIn(inner, ui, state, part);
  if (part[0] < 0) {
    ui->editcursor = ui->editscroll = 0;
    return;
  }
  if (part[0] > 1) {
    ui->editcursor = length;
    cfi_uiShowCursor(ui, item, con);
    return;
  }
  const int wanted = mju_round(inner.width * part[0]);
  int best = wanted, x = 0;
  ui->editcursor = ui->editscroll;
  for (int k = ui->editscroll; k < length; k++) {
    x += cfi_letterWidth(ui->edittext[k], false, con);
    if (abs(x - wanted) < best) {
      best = abs(x - wanted);
      ui->editcursor = k + 1;
    }
  }
}


//---------------------------------- keys ----------------------------------------------------------

// letter of a key in a text; keyboards are taken for American ones, as in GLFW
static int textLetter(int key, bool has_shift) {
  static const char plain[] = "`-=[]\\;',./", shifted[] = "~_+{}|:\"<>?";
  if (key < 32 || key > 127) {
    return 0;
  }
  if (!has_shift) {
    return key >= 'A' && key <= 'Z' ? key - 'A' + 'a' : key;
  }
  const char* found = strchr(plain, key);
  return found && key ? shifted[found - plain] : key;
}


// letter of a key in a field of numbers
static int numberLetter(int key, bool is_real) {
  if (key >= mjKEY_NUMPAD_0 && key <= mjKEY_NUMPAD_9) {
    return key - mjKEY_NUMPAD_0 + '0';
  }
  if ((key >= '0' && key <= '9') || key == ' ' || key == '+' || key == '-') {
    return key;
  }
  if (key == '=') {
    return '+';
  }
  if (!is_real) {
    return 0;
  }
  return key == 'E' ? 'e' : (key == 'e' || key == '.' ? key : 0);
}


// what a key writes into a field that holds so many letters, 0 for nothing
static int letterOf(int key, int length, const mjuiItem* item, const mjuiState* state) {
  if (item->type == mjITEM_EDITTXT) {
    return length < mjMAXUINAME - 1 ? textLetter(key, state->shift) : 0;
  }
  return length < mjMAXUITEXT - 1 ? numberLetter(key, item->type != mjITEM_EDITINT) : 0;
}


static void insertLetter(mjUI* ui, int length, char letter) {
  char* at = ui->edittext + ui->editcursor++;
  CF_ASSERT(length + 1 < mjMAXUITEXT);
  memmove(at + 1, at, (size_t)(ui->edittext + length - at + 1));
  *at = letter;
}


static void removeLetter(mjUI* ui, int length, int at) {
  if (at >= 0 && at < length) {
    memmove(ui->edittext + at, ui->edittext + at + 1, (size_t)(length - at));
  }
}


// keys that move, delete or write
void cfi_uiEditKey(mjUI* ui, const mjuiItem* item, int key, const mjuiState* state) {
  const int length = (int)strlen(ui->edittext), cursor = ui->editcursor;
  if (key == mjKEY_HOME || (key == mjKEY_LEFT && state->control)) {
    ui->editcursor = 0;
  } else if (key == mjKEY_END || (key == mjKEY_RIGHT && state->control)) {
    ui->editcursor = length;
  } else if (key == mjKEY_LEFT) {
    ui->editcursor -= cursor > 0;
  } else if (key == mjKEY_RIGHT) {
    ui->editcursor += cursor < length;
  } else if (key == mjKEY_BACKSPACE) {
    removeLetter(ui, length, cursor - 1);
    ui->editcursor -= cursor > 0;
  } else if (key == mjKEY_DELETE) {
    removeLetter(ui, length, cursor);
  } else {
    const int letter = letterOf(key, length, item, state);
    if (letter) {
      insertLetter(ui, length, (char)letter);
    }
  }
}
