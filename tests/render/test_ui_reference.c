// The user interface of this library and of the reference: the same definitions and the same random
// events give the same places, values, cursors and pictures.
//
// Letters are our own, so both get the widths of the reference's and fonts without letters.
#include "cf_test.h"

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "cf_guard.h"
#include "cf_reference.h"
#include "offscreen.h"
#include "render/gl.h"

// functions of the reference are looked up by name
#pragma GCC diagnostic ignored "-Wpedantic"

enum { WIDTH = 340, HEIGHT = 500, NO_LETTERS = 1 << 24 };

// values that items show
typedef struct {
  int check, radio, line, select, slide, integer[2];
  mjtByte byte;
  mjtNum number, real[3];
  float single;
  char text[mjMAXUINAME];
} values;

// one library with its interface
typedef struct {
  bool is_ours;
  cliOffscreen gl;
  mjrContext con;
  mjUI ui;
  mjuiState state;
  values v;
  mjuiItem* changed;
  unsigned char rgb[3 * WIDTH * HEIGHT];
} side;

static side sides[2];

#define CALL(s, function) ((s)->is_ours ? function : CF_REF(function))


static bool openSides(void) {
  char why[256] = "";
  for (int k = 0; k < 2; k++) {
    sides[k].is_ours = k == 0;
    if (!sides[k].gl.library && !cli_openOffscreen(&sides[k].gl, 0, 0, why)) {
      print_message("%s\n", why);
      return false;
    }
  }
  return true;
}


static int isEnabled(int category, void* data) {
  (void)data;
  return category != 3;
}


// some items of every kind
static void define(side* s) {
  values* v = &s->v;
  *v = (values){.number = 0.3, .real = {1, 2.5, -3}, .slide = 2, .integer = {4, 5}};
  snprintf(v->text, sizeof(v->text), "some text");
  const mjuiDef defs[] = {{mjITEM_SECTION, "First", mjSECT_OPEN, NULL, "AF", 0},
                          {mjITEM_STATIC, "Static", 1, NULL, "one\ntwo\nthree", 0},
                          {mjITEM_BUTTON, "Press", 1, NULL, " #32", 7},
                          {mjITEM_BUTTON, "Help", 1, NULL, "C#290", 0},
                          {mjITEM_BUTTON, "Alone", 3, NULL, " q", 0},
                          {mjITEM_SEPARATOR, "Folding", mjSEPCLOSED + 1, NULL, "", 0},
                          {mjITEM_CHECKINT, "Check", 1, &v->check, "SB", 0},
                          {mjITEM_CHECKINT, "Off", 3, &v->check, "", 0},
                          {mjITEM_CHECKBYTE, "Byte", 2, &v->byte, " w", 0},
                          {mjITEM_SEPARATOR, "Closed", mjSEPCLOSED, NULL, "", 0},
                          {mjITEM_SLIDERINT, "Hidden", 1, &v->slide, "0 5", 0},
                          {mjITEM_SEPARATOR, "Plain", 1, NULL, "", 0},
                          {mjITEM_RADIO, "Radio", 1, &v->radio, "a\nbc\ndef\ng\nh", 0},
                          {mjITEM_RADIOLINE, "Line", 1, &v->line, "x\nyy\nzzz", 0},
                          {mjITEM_SELECT, "Select", 1, &v->select, "red\ngreen\nblue\nwhite", 0},
                          {mjITEM_SECTION, "Second", mjSECT_OPEN, NULL, "AG", 1},
                          {mjITEM_SLIDERINT, "Whole", 1, &v->slide, "-3 5", 0},
                          {mjITEM_SLIDERNUM, "Real", 1, &v->number, "-1 1", 0},
                          {mjITEM_SLIDERNUM, "", 1, &v->number, "-1 1 10", 0},
                          {mjITEM_SLIDERNUM, "Gray", 0, &v->number, "-1 1 10", 0},
                          {mjITEM_SECTION, "Third", mjSECT_CLOSED, NULL, "", 2},
                          {mjITEM_EDITINT, "Int", 1, v->integer, "2", 0},
                          {mjITEM_EDITNUM, "Num", 1, v->real, "3 -10 10 0 5 0 0", 0},
                          {mjITEM_EDITFLOAT, "Float", 1, &v->single, "1 0 1", 0},
                          {mjITEM_EDITTXT, "Text", 1, v->text, "", 0},
                          {mjITEM_SECTION, "Fixed", mjSECT_FIXED, NULL, "", 0},
                          {mjITEM_EDITNUM, "", 1, &v->number, "1", 0},
                          {mjITEM_BUTTON, "End", 1, NULL, "", 0},
                          {mjITEM_END, "", 0, NULL, "", 0}};
  const mjuiDef more[] = {{mjITEM_CHECKBYTE, "More", 1, &v->byte, "", 0},
                          {mjITEM_END, "", 0, NULL, "", 0}};
  CALL(s, mjui_add)(&s->ui, defs);
  CALL(s, mjui_addToSection)(&s->ui, 1, more);
}


static void start(side* s, int theme, int scale, int columns) {
  cli_useOffscreen(&s->gl);
  memset(&s->con, 0, sizeof(s->con));
  memset(&s->ui, 0, sizeof(s->ui));
  memset(&s->state, 0, sizeof(s->state));
  CALL(s, mjr_makeContext)(NULL, &s->con, scale);
  memcpy(s->con.charWidth, sides[1].con.charWidth, sizeof(s->con.charWidth));
  s->con.baseFontNormal = s->con.baseFontShadow = NO_LETTERS;
  s->con.readPixelFormat = GL_RGB;
  s->ui.spacing = CALL(s, mjui_themeSpacing)(theme % 2);
  s->ui.color = CALL(s, mjui_themeColor)(theme);
  s->ui.predicate = isEnabled;
  s->ui.rectid = 1;
  s->ui.auxid = 2;
  s->ui.radiocol = columns;
  s->state.nrect = 2;
  s->state.rect[0] = (mjrRect){0, 0, WIDTH, HEIGHT};
  define(s);
  CALL(s, mjui_resize)(&s->ui, &s->con);
  s->state.rect[1] = (mjrRect){10, 20, s->ui.width, 420};
  CALL(s, mjr_addAux)(2, s->ui.width, s->ui.maxheight, 0, &s->con);
  CALL(s, mjr_setBuffer)(mjFB_OFFSCREEN, &s->con);
  CALL(s, mjr_rectangle)(s->state.rect[0], 0, 0, 0, 1);
  CALL(s, mjui_update)(-1, -1, &s->ui, &s->state, &s->con);
}


static unsigned int randomNumber(unsigned int n) {
  static unsigned int x = 12345;
  x = x * 1103515245u + 12345u;
  return (x >> 16) % n;
}


// one event for both: the mouse moves with and without a button, the wheel turns, keys are pressed
static void makeEvent(mjuiState* state) {
  static const int keys[] = {' ',
                             'B',
                             'F',
                             'G',
                             'q',
                             'w',
                             '1',
                             '2',
                             '.',
                             '-',
                             '=',
                             'E',
                             'A',
                             '[',
                             '/',
                             mjKEY_ENTER,
                             mjKEY_LEFT,
                             mjKEY_RIGHT,
                             mjKEY_HOME,
                             mjKEY_END,
                             mjKEY_DELETE,
                             mjKEY_BACKSPACE,
                             mjKEY_ESCAPE,
                             mjKEY_F1,
                             mjKEY_NUMPAD_0 + 7};
  const unsigned int kind = randomNumber(12);
  state->dx = state->dy = state->sy = 0;
  state->doubleclick = randomNumber(20) == 0;
  state->control = randomNumber(8) == 0;
  state->shift = randomNumber(4) == 0;
  state->alt = randomNumber(6) == 0;
  state->button = randomNumber(15) ? mjBUTTON_LEFT : mjBUTTON_RIGHT;
  if (kind < 7) {
    const double x = randomNumber(WIDTH), y = randomNumber(HEIGHT);
    state->type = kind < 3 ? mjEVENT_PRESS : (kind < 5 ? mjEVENT_MOVE : mjEVENT_RELEASE);
    if (kind != 5) {
      state->dx = x - state->x;
      state->dy = y - state->y;
      state->x = x;
      state->y = y;
    }
  } else if (kind < 11) {
    state->type = mjEVENT_KEY;
    state->key = keys[randomNumber(sizeof(keys) / sizeof(keys[0]))];
  } else {
    state->type = randomNumber(4) ? mjEVENT_SCROLL : mjEVENT_RESIZE;
    state->sy = (double)randomNumber(9) - 4;
  }
}


static void expectSameRect(const char* what, int step, mjrRect a, mjrRect b) {
  if (memcmp(&a, &b, sizeof(a))) {
    CF_FAIL("step %d: %s at %d %d %d %d, expected %d %d %d %d\n", step, what, a.left, a.bottom,
            a.width, a.height, b.left, b.bottom, b.width, b.height);
  }
}


// everything but pointers
static void expectSameState(int step) {
  const mjUI *a = &sides[0].ui, *b = &sides[1].ui;
#define SAME(field)                                                                            \
  do {                                                                                         \
    if (a->field != b->field) {                                                                \
      CF_FAIL("step %d: " #field " is %d, expected %d\n", step, (int)a->field, (int)b->field); \
    }                                                                                          \
  } while (0)
  SAME(width);
  SAME(height);
  SAME(maxheight);
  SAME(scroll);
  SAME(mousesect);
  SAME(mouseitem);
  SAME(mousehelp);
  SAME(mouseclicks);
  SAME(mousesectcheck);
  SAME(editsect);
  SAME(nsect);
  if (a->editsect) {
    SAME(edititem);
    SAME(editcursor);
    SAME(editscroll);
    CF_EQ_STR(a->edittext, b->edittext);
  }
  for (int n = 0; n < b->nsect; n++) {
    SAME(sect[n].state);
    SAME(sect[n].nitem);
    SAME(sect[n].lastclick);
    SAME(sect[n].checkbox);
    SAME(sect[n].modifier);
    SAME(sect[n].shortcut);
    expectSameRect("title", step, a->sect[n].rtitle, b->sect[n].rtitle);
    expectSameRect("content", step, a->sect[n].rcontent, b->sect[n].rcontent);
    for (int k = 0; k < b->sect[n].nitem; k++) {
      SAME(sect[n].item[k].state);
      SAME(sect[n].item[k].skip);
      SAME(sect[n].item[k].type);
      SAME(sect[n].item[k].userid);

      expectSameRect(b->sect[n].item[k].name, step, a->sect[n].item[k].rect,
                     b->sect[n].item[k].rect);
    }
  }
#undef SAME
  CF_EQ_INT(sides[0].state.key, sides[1].state.key);
  CF_EQ_INT(memcmp(&sides[0].v, &sides[1].v, sizeof(values)), 0);
  const mjuiItem *ours = sides[0].changed, *theirs = sides[1].changed;
  if ((ours != NULL) != (theirs != NULL) ||
      (ours && (ours->sectionid != theirs->sectionid || ours->itemid != theirs->itemid))) {
    CF_FAIL("step %d: changed item %s, expected %s\n", step, ours ? ours->name : "none",
            theirs ? theirs->name : "none");
  }
}


static void expectSamePicture(int step) {
  for (int k = 0; k < 2; k++) {
    side* s = sides + k;
    cli_useOffscreen(&s->gl);
    CALL(s, mjui_render)(&s->ui, &s->state, &s->con);
    CALL(s, mjr_readPixels)(s->rgb, NULL, s->state.rect[0], &s->con);
    CF_EQ_INT(CALL(s, mjr_getError)(), 0);
  }
  int differ = 0, lit = 0;
  for (int k = 0; k < 3 * WIDTH * HEIGHT; k++) {
    differ += sides[0].rgb[k] != sides[1].rgb[k];
    lit += sides[1].rgb[k] != 0;
  }
  if (differ || lit < 1000) {
    CF_FAIL("step %d: %d of %d values differ, %d are not black\n", step, differ, 3 * WIDTH * HEIGHT,
            lit);
  }
}


// one event for both, then the comparison
static void passEvent(int step) {
  const mjuiState shared = sides[0].state;
  sides[1].state = shared;
  for (int k = 0; k < 2; k++) {
    side* s = sides + k;
    cli_useOffscreen(&s->gl);
    s->changed = CALL(s, mjui_event)(&s->ui, &s->state, &s->con);
  }
  expectSameState(step);
}


// press the left button on an item, brought to the middle of the window with its section open
static void pressItem(int sect, int item, int step) {
  mjuiState* state = &sides[0].state;
  for (int k = 0; k < 2; k++) {
    cli_useOffscreen(&sides[k].gl);
    sides[k].ui.sect[sect].state = mjSECT_OPEN;
    CALL(sides + k, mjui_resize)(&sides[k].ui, &sides[k].con);
  }
  const mjUI* ui = &sides[0].ui;
  const mjrRect field = ui->sect[sect].item[item].rect, whole = state->rect[1];
  const int most = mjMAX(0, ui->height - whole.height);
  const int scroll = mjMIN(most, mjMAX(0, ui->height - field.bottom - whole.height / 2));
  sides[0].ui.scroll = sides[1].ui.scroll = scroll;
  memset(&state->left, 0, sizeof(*state) - offsetof(mjuiState, left));
  state->button = mjBUTTON_LEFT;
  state->x = whole.left + field.left + field.width / 2;
  state->y = whole.bottom + whole.height - ui->height + scroll + field.bottom + field.height / 2;
  state->type = mjEVENT_PRESS;
  passEvent(step);
}


// the menu of a selection, with the mouse on each of its lines
static void openMenu(void) {
  mjuiState* state = &sides[0].state;
  int item = 0;
  while (sides[0].ui.sect[0].item[item].type != mjITEM_SELECT) {
    item++;
  }
  pressItem(0, item, 70000);
  CF_EQ_INT(sides[0].ui.mousesect, 1);
  CF_EQ_INT(sides[0].ui.mouseitem, item);
  for (int k = 0; k < 6; k++) {
    expectSamePicture(70000 + k);
    state->type = mjEVENT_MOVE;
    state->y -= sides[0].con.charHeight;
    passEvent(70001 + k);
  }
  state->type = mjEVENT_RELEASE;
  passEvent(70009);
}


// a window that is lower than the interface by one pixel
static void scrollByOne(void) {
  mjuiState* state = &sides[0].state;
  const mjrRect before = state->rect[1];
  state->rect[1].height = sides[0].ui.height - 1;
  state->type = mjEVENT_SCROLL;
  state->sy = -1;
  passEvent(80000);
  CF_EQ_INT(sides[0].ui.scroll, 1);
  state->rect[1] = before;
}


// click into an item of the third section and type until the text does not fit any more
static void typeInto(int item, int letters) {
  mjuiState* state = &sides[0].state;
  pressItem(2, item, 10000 + item);
  CF_EQ_INT(sides[0].ui.editsect, 3);
  state->type = mjEVENT_RELEASE;
  passEvent(20000 + item);
  for (int k = 0; k < 2 * 96; k++) {
    state->type = mjEVENT_KEY;
    state->shift = k % 2;
    state->key = 32 + k / 2;
    passEvent(50000 + k);
    state->key = mjKEY_BACKSPACE;
    passEvent(60000 + k);
  }
  for (int k = 0; k < letters; k++) {
    static const int moves[] = {mjKEY_LEFT, mjKEY_RIGHT, mjKEY_BACKSPACE, mjKEY_DELETE};
    state->type = mjEVENT_KEY;
    state->shift = randomNumber(2);
    state->key = randomNumber(4) ? 32 + (int)randomNumber(96) : moves[randomNumber(4)];
    passEvent(30000 + k);
    if (k % 9 == 0) {
      expectSamePicture(30000 + k);
    }
  }
  state->shift = 0;
  state->key = mjKEY_ENTER;
  passEvent(40000 + item);
}


static void play(int theme, int scale, int columns, int steps) {
  // the reference first: its letters have the widths for both
  start(sides + 1, theme, scale, columns);
  start(sides, theme, scale, columns);
  expectSameState(-1);
  expectSamePicture(-1);
  for (int step = 0; step < steps; step++) {
    makeEvent(&sides[0].state);
    passEvent(step);
    if (step % 5 == 0) {
      expectSamePicture(step);
    }
  }
  for (int item = 0; item < 4; item++) {
    typeInto(item, 90);
  }
  openMenu();
  scrollByOne();
  for (int k = 0; k < 2; k++) {
    cli_useOffscreen(&sides[k].gl);
    CALL(sides + k, mjr_freeContext)(&sides[k].con);
  }
}


CF_TEST(ui__random_events__as_the_reference) {
  CF_NEED_REFERENCE();
  CF_NEED(openSides(), "an OpenGL driver (libegl1, libgl1-mesa-dri)");
  play(0, 100, 0, 600);
  play(1, 150, 3, 300);
  play(2, 100, 1, 300);
  play(3, 100, 0, 300);
}

CF_TEST(ui__themes__as_the_reference) {
  CF_NEED_REFERENCE();
  for (int k = -1; k < 5; k++) {
    const mjuiThemeColor a = mjui_themeColor(k), b = CF_REF(mjui_themeColor)(k);
    const mjuiThemeSpacing c = mjui_themeSpacing(k), d = CF_REF(mjui_themeSpacing)(k);
    CF_EQ_INT(memcmp(&a, &b, sizeof(a)), 0);
    CF_EQ_INT(memcmp(&c, &d, sizeof(c)), 0);
  }
}

//---------------------------------- without the reference -----------------------------------------

static mjUI bad_ui;


static void addOne(int type, const char* other, void* data) {
  mjuiDef defs[3] = {{mjITEM_SECTION, "S", 1, NULL, "", 0},
                     {type, "I", 1, data, "", 0},
                     {mjITEM_END, "", 0, NULL, "", 0}};
  snprintf(defs[1].other, sizeof(defs[1].other), "%s", other);
  memset(&bad_ui, 0, sizeof(bad_ui));
  mjui_add(&bad_ui, defs);
}

CF_TEST(ui__bad_definitions__one_message_each) {
  int data = 0;
  const mjuiDef outside[] = {{mjITEM_BUTTON, "B", 1, NULL, "", 0},
                             {mjITEM_END, "", 0, NULL, "", 0}};
  memset(&bad_ui, 0, sizeof(bad_ui));
  CF_RAISES(mjui_add(&bad_ui, outside), "item defined outside section");
  CF_RAISES(addOne(mjITEM_BUTTON, "Xq", NULL), "invalid shortcut modifier");
  CF_RAISES(addOne(mjITEM_BUTTON, "C#x", NULL), "invalid shortcut numeric code");
  CF_RAISES(addOne(mjITEM_BUTTON, " qq", NULL), "invalid shortcut");
  CF_RAISES(addOne(mjITEM_BUTTON, "", &data), "data pointer for item without data");
  CF_RAISES(addOne(mjITEM_CHECKINT, "", NULL), "no data pointer");
  CF_RAISES(addOne(mjITEM_SLIDERINT, "1", &data), "slider expects");
  CF_RAISES(addOne(mjITEM_EDITINT, "", &data), "edit length missing");
  CF_RAISES(addOne(mjITEM_EDITINT, "9", &data), "invalid edit length");
  CF_RAISES(addOne(mjITEM_EDITINT, "2 0 1", &data), "number of edit ranges");
  CF_RAISES(addOne(mjITEM_SELECT, "a\n\nb", &data), "invalid multi element name");
  CF_RAISES(addOne(mjNITEM, "", &data), "invalid item type");
  CF_RAISES(mjui_addToSection(&bad_ui, 99, outside), "invalid section");
}

CF_TEST(fonts__every_size__letters_as_wide_and_lines_as_high_as_the_references) {
  CF_NEED_REFERENCE();
  CF_NEED(openSides(), "an OpenGL driver (libegl1, libgl1-mesa-dri)");
  for (int k = 0; k < 2; k++) {
    cli_useOffscreen(&sides[k].gl);
    memset(&sides[k].con, 0, sizeof(sides[k].con));
    CALL(sides + k, mjr_makeContext)(NULL, &sides[k].con, 100);
  }
  for (int scale = 50; scale <= 300; scale += 50) {
    for (int k = 0; k < 2; k++) {
      cli_useOffscreen(&sides[k].gl);
      CALL(sides + k, mjr_changeFont)(scale, &sides[k].con);
    }
    const mjrContext *ours = &sides[0].con, *theirs = &sides[1].con;
    CF_EQ_INT(ours->charHeight, theirs->charHeight);
    CF_EQ_INT(ours->charHeightBig, theirs->charHeightBig);
    for (int letter = 32; letter < 127; letter++) {
      CF_EQ_INT(ours->charWidth[letter], theirs->charWidth[letter]);
      CF_EQ_INT(ours->charWidthBig[letter], theirs->charWidthBig[letter]);
    }
  }
  for (int k = 0; k < 2; k++) {
    cli_useOffscreen(&sides[k].gl);
    CALL(sides + k, mjr_freeContext)(&sides[k].con);
  }
}


CF_TEST_MAIN("ui")
