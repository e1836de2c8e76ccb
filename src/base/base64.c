// Bytes as text in base 64: three bytes are four digits, '=' fills the last four.
#include "base/base64.h"

#include <stdbool.h>
#include <string.h>

#include "base/assert.h"

static const char digits64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";


// value of a digit, -1 if it is none
static int digitValue(char c) {
  const char* found = c ? strchr(digits64, c) : NULL;
  return found ? (int)(found - digits64) : -1;
}


size_t mju_encodeBase64(char* buf, const uint8_t* data, size_t ndata) {
  char* to = buf;
  for (size_t i = 0; i < ndata; i += 3) {
    const size_t left = ndata - i;
    const unsigned group = (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                           (left > 2 ? (unsigned)data[i + 2] : 0);
    *to++ = digits64[group >> 18];
    *to++ = digits64[group >> 12 & 63];
    *to++ = left > 1 ? digits64[group >> 6 & 63] : '=';
    *to++ = left > 2 ? digits64[group & 63] : '=';
  }
  *to++ = 0;
  return (size_t)(to - buf);
}


size_t mju_isValidBase64(const char* s) {
  size_t n = 0;
  while (digitValue(s[n]) >= 0) {
    n++;
  }
  size_t padding = 0;
  while (s[n + padding] == '=') {
    padding++;
  }
  const bool is_valid = !s[n + padding] && padding <= 2 && (n + padding) % 4 == 0;
  return is_valid ? 3 * (n + padding) / 4 - padding : 0;
}


size_t mju_decodeBase64(uint8_t* buf, const char* s) {
  const size_t ndata = mju_isValidBase64(s);
  CF_ASSERT(ndata <= strlen(s));
  for (size_t i = 0; i < ndata; i++) {
    // byte i stands in the digits 4/3 i and the next one
    const size_t digit = i / 3 * 4 + i % 3;
    const unsigned high = (unsigned)digitValue(s[digit]), low = (unsigned)digitValue(s[digit + 1]);
    const unsigned shift = 2 * (unsigned)(i % 3) + 2;
    buf[i] = (uint8_t)(high << shift | low >> (6 - shift));
  }
  return ndata;
}
