// The words that the tables of MJCF (mjcf_*.def) are written in, as C: where an attribute may
// stand, and which group of elements it belongs to.
#ifndef CF_TABLES_ATTRIBUTES_H
#define CF_TABLES_ATTRIBUTES_H

#include <stddef.h>
#include <stdint.h>

#include <mujoco/mujoco.h>

// What an element is among the elements of its group.  A row allows an element when it has all of
// the element's bits.
enum {
  IN_ELEMENT = 1 << 0,    // the element itself
  IN_CLASS = 1 << 1,      // in a default class
  IN_COMPOSITE = 1 << 2,  // inside a composite
  IN_FREEJOINT = 1 << 3,
  IN_FLEXCOMP = 1 << 4,  // inside a flexcomp

  // tendons
  IN_SPATIAL = 1 << 5,
  IN_FIXED = 1 << 6,

  // equality constraints
  IN_CONNECT = 1 << 7,
  IN_WELD = 1 << 8,
  IN_JOINT = 1 << 9,
  IN_TENDON = 1 << 10,
  IN_FLEX = 1 << 11,
  IN_FLEXVERT = 1 << 12,
  IN_EQUALITIES = IN_CONNECT | IN_WELD | IN_JOINT | IN_TENDON | IN_FLEX | IN_FLEXVERT,

  // actuators
  IN_GENERAL = 1 << 13,
  IN_MOTOR = 1 << 14,
  IN_POSITION = 1 << 15,
  IN_VELOCITY = 1 << 16,
  IN_INTVELOCITY = 1 << 17,
  IN_DAMPER = 1 << 18,
  IN_CYLINDER = 1 << 19,
  IN_MUSCLE = 1 << 20,
  IN_ADHESION = 1 << 21,
  IN_PLUGIN = 1 << 22,
  IN_ACTUATORS = IN_GENERAL | IN_MOTOR | IN_POSITION | IN_VELOCITY | IN_INTVELOCITY | IN_DAMPER |
                 IN_CYLINDER | IN_MUSCLE | IN_ADHESION | IN_PLUGIN,

  // sensors, by the attributes that name what they measure
  BY_NOTHING = 1 << 0,
  BY_SITE = 1 << 1,
  BY_JOINT = 1 << 2,
  BY_TENDON = 1 << 3,
  BY_ACTUATOR = 1 << 4,
  BY_BODY = 1 << 5,
  BY_FRAME = 1 << 6,   // objtype, objname, reftype, refname
  BY_OBJECT = 1 << 7,  // objtype, objname
  BY_CAMERA = 1 << 8,
  BY_RANGE = 1 << 9,
  BY_INSIDE = 1 << 10,
  BY_GEOMS = 1 << 11,
  BY_CONTACT = 1 << 12,
  BY_TACTILE = 1 << 13,
  BY_USER = 1 << 14,
  BY_PLUGIN = 1 << 15,

  IN_ALL = ~0
};

// groups of rows; elements of one group share their attributes
typedef enum {
  FIELDS_NONE,
#define CF_GROUP(group) FIELDS_##group,
#include "tables/mjcf_begin.h"
#include "tables/mjcf_attributes.def"
#include "tables/mjcf_end.h"
  FIELDS_COUNT
} cftFields;

// type of a field, or of its items where it is an array
typedef enum { TYPE_DOUBLE, TYPE_FLOAT, TYPE_INT, TYPE_BYTE, TYPE_SIZE, TYPE_OTHER } cftScalar;

#define CF_SCALAR_TYPE(field) \
  _Generic((field),             \
      double: TYPE_DOUBLE,      \
      double*: TYPE_DOUBLE,     \
      float: TYPE_FLOAT,        \
      float*: TYPE_FLOAT,       \
      int: TYPE_INT,            \
      int*: TYPE_INT,           \
      unsigned: TYPE_INT,       \
      unsigned char: TYPE_BYTE, \
      unsigned char*: TYPE_BYTE, \
      _Bool: TYPE_BYTE,         \
      int64_t: TYPE_SIZE,       \
      default: TYPE_OTHER)

// bytes of one number of a type
static inline size_t cfi_scalarSize(cftScalar type) {
  static const size_t size[] = {sizeof(double), sizeof(float), sizeof(int), 1, sizeof(int64_t), 1};
  return size[type];
}

#endif  // CF_TABLES_ATTRIBUTES_H
