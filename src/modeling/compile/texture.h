// Textures: patterns made by formula, and images.
#ifndef CF_COMPILE_TEXTURE_H
#define CF_COMPILE_TEXTURE_H

#include "compile/asset.h"

// color given as three numbers in [0, 1], as bytes
void cfi_colorBytes(unsigned char to[3], const double rgb[3]);

// patterns; the data has its size and memory
void cfi_paintTexture(const mjsTexture* attr, cfTextureData* out);

#endif  // CF_COMPILE_TEXTURE_H
