// Drawing in the plane of the picture: state, rectangles, letters.
#ifndef CF_RENDER_FLAT_H
#define CF_RENDER_FLAT_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

// state for flat drawing, coordinates from 0 to 1 in both directions
void cfi_flatState(void);

// coordinates of the current viewport from (0, 0) to (right, top), modelview left alone
void cfi_flatFrame(double left, double right, double bottom, double top);

// filled rectangle from the lower left to the upper right corner, blended with what is there
void cfi_fillRect(float left, float bottom, float right, float top, const float rgba[4]);

// width of a text [pixel], and of its first n bytes
int cfi_textWidth(const char* text, bool is_big, const mjrContext* con);
int cfi_letterWidth(char letter, bool is_big, const mjrContext* con);

// letters at the raster position, n bytes; what no font has is left out
void cfi_drawLetters(unsigned int base, const char* text, int n);

#endif  // CF_RENDER_FLAT_H
