// PNG images from memory.
#ifndef CF_COMPILE_PNG_H
#define CF_COMPILE_PNG_H

#include "compile/image.h"

// decode to 1 (red or gray), 3 or 4 channels; false with a message in the reader where the file is
// no good
bool cfi_readPng(cfFileReader* reader, int nchannel, cfImage* image);

#endif  // CF_COMPILE_PNG_H
