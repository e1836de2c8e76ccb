// Numbers in attribute values, independent of the locale.
#ifndef CF_MJCF_NUMBER_H
#define CF_MJCF_NUMBER_H

typedef enum {
  CF_NUMBER_OK,
  CF_NUMBER_END,        // nothing but blanks left
  CF_NUMBER_BAD,        // not a number, or something stuck to it
  CF_NUMBER_TOO_LARGE,  // does not fit
} cftNumber;

// read the next blank-separated number and move the cursor past it; it stays where that fails
cftNumber cfi_nextDouble(const char** cursor, double* value);
cftNumber cfi_nextFloat(const char** cursor, float* value);
cftNumber cfi_nextInt(const char** cursor, int* value);

#endif  // CF_MJCF_NUMBER_H
