// Signed distance fields: what a shape has to say, and what all shapes have in common.
#ifndef CF_PLUGIN_SDF_FIELD_H
#define CF_PLUGIN_SDF_FIELD_H

#include "../config.h"

enum { FIELD_MAX_KEYS = 5 };

// a family of shapes; functions are those of mjpPlugin
typedef struct {
  const char* name;     // of the plugin
  const char* trouble;  // warning where a value is no number
  int nkey;
  int nchecked;  // keys that are checked when an instance starts
  const char* key[FIELD_MAX_KEYS];
  mjtNum initial[FIELD_MAX_KEYS];  // where a value is not given
  mjtNum (*distance)(const mjtNum p[3], const mjtNum* value);
  void (*box)(mjtNum aabb[6], const mjtNum* value);  // center and half sizes
  void (*values)(mjtNum* value, const char** key, const char** text);
  void (*gradient)(mjtNum g[3], const mjtNum p[3], const mjtNum* value);  // NULL: by differences
} fieldShape;

extern const fieldShape bolt_shape, bowl_shape, gear_shape, nut_shape, torus_shape;

// numbers of a configuration, for the function `values` of a shape
void fieldValues(const fieldShape* shape, mjtNum* value, const char** text);

// both, either, the first without the second
static inline mjtNum common(mjtNum a, mjtNum b) {
  return a > b ? a : b;
}
static inline mjtNum joined(mjtNum a, mjtNum b) {
  return a < b ? a : b;
}
static inline mjtNum without(mjtNum a, mjtNum b) {
  return common(a, -b);
}

#endif  // CF_PLUGIN_SDF_FIELD_H
