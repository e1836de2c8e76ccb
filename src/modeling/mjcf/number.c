// Numbers in attribute values.  Plain decimals with few digits are exact products or quotients of
// two exactly representable numbers; everything else goes through the strtod of the system under
// the C locale.
#include "mjcf/number.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/platform.h"

static bool isNumberBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool isDigit(char c) {
  return c >= '0' && c <= '9';
}

static const char* skipBlanks(const char* p) {
  while (isNumberBlank(*p)) {
    p++;
  }
  return p;
}

static bool isEndOfWord(const char* p) {
  return !*p || isNumberBlank(*p);
}

// decimal digits with a point and an exponent, as mantissa * 10^exponent
typedef struct {
  uint64_t mantissa;
  int digits;  // significant digits in the mantissa
  int exponent;
  bool is_negative;
} cfDecimal;

static const char* readDigits(const char* p, cfDecimal* d, int* count) {
  CF_ASSERT(p && d && count);
  for (*count = 0; isDigit(*p); p++, (*count)++) {
    if (d->mantissa || *p != '0') {
      d->digits++;
    }
    if (d->digits <= 19) {
      d->mantissa = 10 * d->mantissa + (uint64_t)(*p - '0');
    }
  }
  return p;
}

// end of the number, NULL if it is not written that plainly
static const char* readDecimal(const char* p, cfDecimal* d) {
  *d = (cfDecimal){0, 0, 0, false};
  d->is_negative = *p == '-';
  p += *p == '-' || *p == '+';
  int whole, fraction = 0;
  p = readDigits(p, d, &whole);
  if (*p == '.') {
    p = readDigits(p + 1, d, &fraction);
  }
  if (whole + fraction == 0) {
    return NULL;
  }
  d->exponent = -fraction;
  if (*p == 'e' || *p == 'E') {
    const char* q = p + 1;
    const bool is_negative = *q == '-';
    q += *q == '-' || *q == '+';
    int power = 0;
    if (!isDigit(*q)) {
      return NULL;
    }
    for (; isDigit(*q); q++) {
      power = power < 10000 ? 10 * power + (*q - '0') : power;
    }
    d->exponent += is_negative ? -power : power;
    p = q;
  }
  return isEndOfWord(p) ? p : NULL;
}

// exact if mantissa and power of ten are both exact doubles: one rounding
static bool decimalToDouble(const cfDecimal* d, double* value) {
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  if (d->digits > 19 || d->mantissa > (UINT64_C(1) << 53) || d->exponent < -22 ||
      d->exponent > 22) {
    return false;
  }
  double x = (double)d->mantissa;
  x = d->exponent < 0 ? x / power[-d->exponent] : x * power[d->exponent];
  *value = d->is_negative ? -x : x;
  return true;
}

// both factors are exact floats: one rounding
static bool decimalToFloat(const cfDecimal* d, float* value) {
  if (d->digits > 19 || d->mantissa > (UINT64_C(1) << 24) || d->exponent < -10 ||
      d->exponent > 10) {
    return false;
  }
  const float mantissa = (float)d->mantissa;
  float scale = 1;
  for (int i = 0; i < abs(d->exponent); i++) {
    scale *= 10;
  }
  const float y = d->exponent < 0 ? mantissa / scale : mantissa * scale;
  *value = d->is_negative ? -y : y;
  return true;
}

// the next number, into one of the two: a float is rounded once, from the decimal text
static cftNumber nextReal(const char** cursor, double* value, float* narrow) {
  CF_ASSERT(cursor && *cursor && !value != !narrow);
  const char* p = skipBlanks(*cursor);
  if (!*p) {
    return CF_NUMBER_END;
  }
  cfDecimal decimal;
  const char* end = readDecimal(p, &decimal);
  if (end && (value ? decimalToDouble(&decimal, value) : decimalToFloat(&decimal, narrow))) {
    *cursor = end;
    return CF_NUMBER_OK;
  }

  char* stop;
  errno = 0;
  if (value) {
    *value = cfi_doubleFrom(p, &stop);
  } else {
    *narrow = cfi_floatFrom(p, &stop);
  }
  if (stop == p || !isEndOfWord(stop)) {
    return CF_NUMBER_BAD;
  }
  if (errno == ERANGE) {
    return CF_NUMBER_TOO_LARGE;
  }
  *cursor = stop;
  return CF_NUMBER_OK;
}

cftNumber cfi_nextDouble(const char** cursor, double* value) {
  return nextReal(cursor, value, NULL);
}

cftNumber cfi_nextFloat(const char** cursor, float* value) {
  return nextReal(cursor, NULL, value);
}

cftNumber cfi_nextInt(const char** cursor, int* value) {
  CF_ASSERT(cursor && *cursor);
  const char* p = skipBlanks(*cursor);
  if (!*p) {
    return CF_NUMBER_END;
  }
  const bool is_negative = *p == '-';
  const char* digit = p + (*p == '-' || *p == '+');
  if (!isDigit(*digit)) {
    return CF_NUMBER_BAD;
  }
  int64_t x = 0;
  bool fits = true;
  for (; isDigit(*digit); digit++) {
    x = 10 * x + (*digit - '0');
    fits = fits && x <= (int64_t)INT_MAX + 1;
    x = fits ? x : 0;
  }
  if (!isEndOfWord(digit)) {
    return CF_NUMBER_BAD;
  }
  x = is_negative ? -x : x;
  if (!fits || x > INT_MAX) {
    return CF_NUMBER_TOO_LARGE;
  }
  *value = (int)x;
  *cursor = digit;
  return CF_NUMBER_OK;
}
