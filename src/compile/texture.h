// Textures: patterns made by formula, and images.
#ifndef CF_COMPILE_TEXTURE_H
#define CF_COMPILE_TEXTURE_H

#include "compile/asset.h"

// bytes of a texture, checked against what is sensible; memory for at least three channels
unsigned char* cfi_newPixels(cfDraft* draft, const cfTextureDraft* texture, int width, int height);

// color given as three numbers in [0, 1], as bytes
void cfi_colorBytes(unsigned char to[3], const double rgb[3]);

// patterns; the data has its size and memory
void cfi_paintTexture(const mjsTexture* attr, cfTextureData* out);

#endif  // CF_COMPILE_TEXTURE_H
