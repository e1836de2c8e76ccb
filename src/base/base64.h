// Bytes as text in base 64. MuJoCo 3.5.0 exports these functions without declaring them in its
// headers; timestamps of resources are written with them.
#ifndef CF_BASE_BASE64_H
#define CF_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// write ndata bytes as text with padding and a zero at its end; returns the bytes written
MJAPI size_t mju_encodeBase64(char* buf, const uint8_t* data, size_t ndata);

// number of bytes that a text stands for, 0 if it is none
MJAPI size_t mju_isValidBase64(const char* s);

// bytes of a valid text; returns their number
MJAPI size_t mju_decodeBase64(uint8_t* buf, const char* s);

#endif  // CF_BASE_BASE64_H
