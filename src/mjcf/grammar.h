// Tables of MJCF: elements, attributes, keywords, and which field an attribute fills.
#ifndef CF_MJCF_GRAMMAR_H
#define CF_MJCF_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include <mujoco/mujoco.h>

// one id per place where an element may stand
typedef enum {
  TAG_NONE = -1,
#define CF_TAG(id, parent, tag, times, fields, attributes) TAG_##id,
#include "mjcf/grammar.def"
#undef CF_TAG
  TAG_COUNT
} cftTag;

typedef enum { TIMES_ONE, TIMES_OPTIONAL, TIMES_MANY, TIMES_NESTED, TIMES_LOOSE } cftTimes;

// groups of bindings
typedef enum {
  FIELDS_NONE,
  FIELDS_COMPILER,
  FIELDS_LRANGE,
  FIELDS_OPTION,
  FIELDS_SIZE,
  FIELDS_GLOBAL,
  FIELDS_QUALITY,
  FIELDS_HEADLIGHT,
  FIELDS_MAP,
  FIELDS_SCALE,
  FIELDS_RGBA,
  FIELDS_STATISTIC,
  FIELDS_MESH,
  FIELDS_MATERIAL,
  FIELDS_HFIELD,
  FIELDS_SKIN,
  FIELDS_TEXTURE,
  FIELDS_BODY,
  FIELDS_INERTIAL,
  FIELDS_FRAME,
  FIELDS_JOINT,
  FIELDS_FREEJOINT,
  FIELDS_GEOM,
  FIELDS_SITE,
  FIELDS_CAMERA,
  FIELDS_LIGHT,
  FIELDS_FLEX,
  FIELDS_FLEXCON,
  FIELDS_FLEXEDGE,
  FIELDS_FLEXELAST,
  FIELDS_PAIR,
  FIELDS_EXCLUDE,
  FIELDS_EQUALITY,
  FIELDS_TENDON,
  FIELDS_ACTUATOR,
  FIELDS_GENERAL,
  FIELDS_SENSOR,
  FIELDS_KEYFRAME,
  FIELDS_COUNT
} cftFields;

// sets of keywords
typedef enum {
  WORDS_NONE,
  WORDS_ANGLE,
  WORDS_BIAS,
  WORDS_BOOL,
  WORDS_CAMLIGHT,
  WORDS_CAMOUT,
  WORDS_COLORSPACE,
  WORDS_COMPOSITE,
  WORDS_CONDATA,
  WORDS_CONE,
  WORDS_COORDINATE,
  WORDS_DATATYPE,
  WORDS_DYN,
  WORDS_ELASTIC2D,
  WORDS_ENABLE,
  WORDS_EQUALITY,
  WORDS_FLEXSELF,
  WORDS_FLUID,
  WORDS_GAIN,
  WORDS_GEOM,
  WORDS_INTEGRATOR,
  WORDS_INTERP,
  WORDS_JACOBIAN,
  WORDS_JOINT,
  WORDS_JOINTKIND,
  WORDS_LIGHT,
  WORDS_LRMODE,
  WORDS_MARK,
  WORDS_MESHBUILTIN,
  WORDS_MESHINERTIA,
  WORDS_PROJECTION,
  WORDS_RAYDATA,
  WORDS_REDUCE,
  WORDS_SHELL,
  WORDS_SLEEP,
  WORDS_SOLVER,
  WORDS_STAGE,
  WORDS_TEXBUILTIN,
  WORDS_TEXROLE,
  WORDS_TEXTURE,
  WORDS_TRISTATE,
  WORDS_COUNT
} cftWords;

// kinds of composite objects; only cables can still be made
enum {
  CF_COMPOSITE_PARTICLE,
  CF_COMPOSITE_GRID,
  CF_COMPOSITE_ROPE,
  CF_COMPOSITE_LOOP,
  CF_COMPOSITE_CABLE,
  CF_COMPOSITE_CLOTH
};

typedef enum {
  HOW_EXACT,
  HOW_UPTO,
  HOW_KEY,
  HOW_TEXT,
  HOW_WORDS,
  HOW_DOUBLES,
  HOW_FLOATS,
  HOW_INTS,
  HOW_QUAT,
  HOW_ORIENT,
} cftHow;

typedef enum { TYPE_DOUBLE, TYPE_FLOAT, TYPE_INT, TYPE_BYTE, TYPE_SIZE, TYPE_OTHER } cftScalar;

typedef struct {
  const char* tag;
  cftTag parent;
  cftTimes times;
  cftFields fields;
  const char* attributes;  // separated by blanks
} cfTag;

typedef struct {
  cftWords set;
  const char* word;
  int value;
} cfKeyword;

typedef struct {
  cftFields fields;
  const char* attribute;
  size_t offset;  // of the field
  size_t size;    // in bytes
  cftScalar type;
  cftHow how;
  cftWords words;
} cfBinding;

extern const cfTag cfi_tags[TAG_COUNT];

// id of an element below a parent (TAG_NONE at the top), TAG_NONE if it may not stand there
cftTag cfi_findTag(cftTag parent, const char* tag);

// tag whose children may stand below an element: those of a frame are those of a body
cftTag cfi_childrenOf(cftTag id);

// is the attribute in the blank-separated list
bool cfi_hasWord(const char* list, const char* word);

// rows of one keyword set or one group of bindings
const cfKeyword* cfi_keywords(cftWords set, int* count);
const cfBinding* cfi_bindings(cftFields fields, int* count);

// value of a keyword, -1 if the set lacks it; word of a value, "" if there is none
int cfi_wordValue(cftWords set, const char* word);
const char* cfi_valueWord(cftWords set, int value);

#endif  // CF_MJCF_GRAMMAR_H
