// Differences between the libraries that attributes can meet and docs/switching.md lists.
#ifndef CF_SWEEP_KNOWN_H
#define CF_SWEEP_KNOWN_H

#include <stdbool.h>
#include <string.h>

// value NULL: the attribute is left out; message: of the library that refuses
static inline bool cf_isKnownDifference(const char* tag, const char* attribute, const char* value,
                                        bool ours, bool theirs, const char* message) {
  // words that MuJoCo does not read at all
  if (!ours && theirs && value && !strcmp(tag, "joint") && !strcmp(attribute, "limited") &&
      strstr(message, "invalid keyword")) {
    return true;
  }

  // an empty name is no object, and an index into texture coordinates has to be one
  if (!ours && theirs && value && !*value &&
      (strstr("body1 body2 geom1 geom2 cranklength slidersite", attribute))) {
    return true;
  }
  if (!ours && theirs && strstr(message, "elemtexcoord")) {
    return true;
  }

  // corners of a mesh whose texture coordinates do not exist have none
  if (ours && theirs && value && !strcmp(tag, "mesh") && !strcmp(attribute, "texcoord")) {
    return true;
  }

  // numbers that are infinite, or none, spread by the order of sums
  if (ours && !theirs && value && !strcmp(attribute, "texcoord") && strstr(value, "nan")) {
    return true;
  }
  return ours && theirs && value && (strstr(value, "inf") || strstr(value, "nan"));
}

#endif  // CF_SWEEP_KNOWN_H
