// Shared by the files of the user interface.
//
// Positions of sections and items are those of a picture that is as high as the interface and
// stands in an auxiliary buffer; mjui_render copies the part that is scrolled into view.  Sections
// are counted from 1 where 0 means none, as in mjUI.
#ifndef CF_UI_INTERFACE_H
#define CF_UI_INTERFACE_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// distances of a theme in pixels of the buffer
typedef struct {
  int total, scroll, label, section, itemside, itemmid, itemver, texthor, textver;
  int cell;    // a line of text with the space above and below
  int column;  // half of the width that items have
} cfUiSizes;

cfUiSizes cfi_uiSizes(const mjUI* ui, const mjrContext* con);
int cfi_uiScale(int size, const mjrContext* con);  // pixels of the theme to those of the buffer

// is an item enabled?
bool cfi_uiEnabled(const mjUI* ui, const mjuiItem* item);
bool cfi_isPair(int type);  // items that stand in pairs: buttons and check boxes
bool cfi_isSlider(int type);
bool cfi_isEdit(int type);
bool cfi_isChoice(int type);  // items with a list of names

// ---- where the mouse is
enum { CF_MOUSE_THUMB = -1, CF_MOUSE_BELOW = -2, CF_MOUSE_ABOVE = -3 };  // sections: the scroll bar
enum { CF_MOUSE_TITLE = -1, CF_MOUSE_BOX = -2 };  // items: the title of a section, the box in it
typedef struct {
  int sect, item;
} cfUiPlace;

cfUiPlace cfi_uiFindMouse(const mjUI* ui, const mjuiState* state, const mjrContext* con);

// mouse in a rectangle, 0 to 1 in both directions
void cfi_uiMouseIn(mjrRect rect, const mjUI* ui, const mjuiState* state, double part[2]);

// bar at the right edge, and its thumb
void cfi_uiScrollBar(mjrRect rect, const mjUI* ui, const mjrContext* con, mjrRect* bar,
                     mjrRect* thumb);

// place of choice k of a radio item; edges of the choices in a line, nelem + 1 of them
mjrRect cfi_uiRadioCell(const mjuiItem* item, int k, const mjUI* ui, const mjrContext* con);
void cfi_uiLineEdges(const mjuiItem* item, const mjrContext* con, int edge[mjMAXUIMULTI + 1]);

// choice under the mouse, -1 for none; of a menu that is open below its item
int cfi_uiPointedChoice(const mjuiItem* item, const mjUI* ui, const mjuiState* state,
                        const mjrContext* con);

// ---- edit fields
bool cfi_uiIsValid(const char* text, const mjuiItem* item);  // can the text become the value?
bool cfi_uiStore(const char* text, const mjuiItem* item);    // make it the value if it can
void cfi_uiPrint(char text[mjMAXUITEXT], const mjuiItem* item);
void cfi_uiSetCursor(mjUI* ui, const mjuiItem* item, const mjuiState* state, const mjrContext* con);
void cfi_uiShowCursor(mjUI* ui, const mjuiItem* item, const mjrContext* con);  // scroll to it
void cfi_uiEditKey(mjUI* ui, const mjuiItem* item, int key, const mjuiState* state);

// ---- drawing
void cfi_uiCanvas(mjrRect rect);  // flat state in pixels of a rectangle
int cfi_uiTextWidth(const char* text, int limit,
                    const mjrContext* con);  // first letters, all if < 0
void cfi_uiText(const char* text, int x, int y, int width, const float rgb[3],
                const mjrContext* con);
void cfi_uiFill(mjrRect rect, const float rgb[3]);
void cfi_uiBox(mjrRect rect, const float rgb[3], const float inside[3], const mjrContext* con);
void cfi_uiOval(mjrRect rect, const float rgb[3], const float inside[3], const mjrContext* con);
void cfi_uiGradient(mjrRect rect, const float low[3], const float high[3]);
void cfi_uiCorners(mjrRect rect, int radius, bool top_only, const float rgb[3],
                   const mjrContext* con);
void cfi_uiArrow(mjrRect rect, bool is_open, double part, const float inside[3], const mjUI* ui,
                 const mjrContext* con);
void cfi_uiShortcut(mjrRect rect, int modifier, int key, const mjUI* ui, const mjrContext* con);

#endif  // CF_UI_INTERFACE_H
