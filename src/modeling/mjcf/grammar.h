// Tables of MJCF: elements, attributes, keywords, and which field an attribute fills.
#ifndef CF_MJCF_GRAMMAR_H
#define CF_MJCF_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>

#include <cortenforge/derivative.h>
#include <mujoco/mujoco.h>

#include "tables/attributes.h"

// one id per place where an element may stand
typedef enum {
  TAG_NONE = -1,
#define CF_TAG(id, parent, tag, times, group, place) TAG_##id,
#include "tables/mjcf_elements.def"
#undef CF_TAG
  TAG_COUNT
} cftTag;

typedef enum { TIMES_ONE, TIMES_OPTIONAL, TIMES_MANY, TIMES_NESTED, TIMES_LOOSE } cftTimes;

// sets of keywords
typedef enum {
  WORDS_NONE,
#define CF_WORDS(set) WORDS_##set,
#define CF_KEYWORD(set, word, value)
#include "tables/mjcf_keywords.def"
#undef CF_WORDS
#undef CF_KEYWORD
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

// what a flexcomp makes its points from, and how they move
enum {
  CF_FLEXCOMP_GRID,
  CF_FLEXCOMP_BOX,
  CF_FLEXCOMP_CYLINDER,
  CF_FLEXCOMP_ELLIPSOID,
  CF_FLEXCOMP_SQUARE,
  CF_FLEXCOMP_DISC,
  CF_FLEXCOMP_CIRCLE,
  CF_FLEXCOMP_MESH,
  CF_FLEXCOMP_GMSH,
  CF_FLEXCOMP_DIRECT
};
enum { CF_FLEXDOF_FULL, CF_FLEXDOF_RADIAL, CF_FLEXDOF_TRILINEAR, CF_FLEXDOF_QUADRATIC };

// forms of values; the first ones need a field
typedef enum {
  HOW_EXACT,
  HOW_UPTO,
  HOW_KEY,
  HOW_KEYS,
  HOW_TEXT,
  HOW_WORDS,
  HOW_DOUBLES,
  HOW_FLOATS,
  HOW_INTS,
  HOW_QUAT,
  HOW_ORIENT,
  HOW_REALS,
  HOW_UPTO_REALS,
  HOW_ANY_REALS,
  HOW_INTEGERS,
  HOW_UPTO_INTEGERS,
  HOW_ANY_INTEGERS,
  HOW_OFF,
  HOW_ON,
} cftHow;

typedef struct {
  const char* tag;
  cftTag parent;
  cftTimes times;
  cftFields fields;
  int place;
} cfTag;

typedef struct {
  const char* word;
  int value;
} cfKeyword;

struct cfReader;
struct cfNode;
struct cfRow;

// reads an attribute that needs more than its form says
typedef void cfReadCall(struct cfReader* r, const struct cfNode* node, const struct cfRow* row,
                        const char* text, void* target);

struct cfWriter;

// writes an attribute that needs more than its form says, where it differs from `base` (which may
// be NULL)
typedef void cfWriteCall(struct cfWriter* w, const struct cfRow* row, const void* target,
                         const void* base);

// when a field is saved
typedef enum {
  SAVED_CHANGED,  // where it differs from the class
  SAVED_INITIAL,  // where it differs from its initial value, whatever the class has
  SAVED_ALWAYS,
} cftSaved;

// one row of mjcf_attributes.def
typedef struct cfRow {
  const char* name;
  int places;
  cftHow how;
  cftWords words;
  int value;      // ORIENT: mjtOrientation; OFF, ON: bit; REALS, INTEGERS: how many
  size_t offset;  // of the field
  size_t size;    // in bytes, 0 without a field
  cftScalar type;
  cfReadCall* call;
  cfWriteCall* write;
  bool is_read, is_saved;  // by the table alone
  cftSaved saved;
  bool is_trimmed;  // numbers at the end that the class has as well are not saved
  bool is_own;      // not saved in classes
  bool is_ours;     // MuJoCo does not have it
  const char *unit, *doc;
} cfRow;

extern const cfTag cfi_tags[TAG_COUNT];

// id of an element below a parent (TAG_NONE at the top), TAG_NONE if it may not stand there
cftTag cfi_findTag(cftTag parent, const char* tag);

// tag whose children may stand below an element: those of a frame are those of a body
cftTag cfi_childrenOf(cftTag id);

// may the attribute of a row stand in an element of its group
static inline bool cfi_allows(const cfRow* row, cftTag tag) {
  return (cfi_tags[tag].place & ~row->places) == 0;
}

// attribute of an element, NULL if it has none of that name
const cfRow* cfi_findRow(cftTag tag, const char* name);

// where the orientation is whose alternative form a row fills
size_t cfi_orientationOffset(const cfRow* row);

// names of the attributes of an element, separated by blanks, those of our own left out on request
void cfi_listAttributes(cftTag tag, bool with_ours, char* list, size_t size);

// is the word in the blank-separated list
bool cfi_hasWord(const char* list, const char* word);

// rows of one keyword set or one group of attributes
const cfKeyword* cfi_keywords(cftWords set, int* count);
const cfRow* cfi_rows(cftFields fields, int* count);

// rows in the order of saving, NULL behind the last one
const cfRow* cfi_savedRow(cftFields fields, int k);

// value of a keyword, -1 if the set lacks it; word of a value, "" if there is none
int cfi_wordValue(cftWords set, const char* word);
const char* cfi_valueWord(cftWords set, int value);

// type of the object that an attribute of a sensor names, mjOBJ_UNKNOWN where it is not that simple
mjtObj cfi_namedObject(int objects);

// readers and writers that rows call
cfReadCall cfi_readEulerSequence, cfi_readDisabledGroups, cfi_readGridLayout, cfi_readCameraOutput,
    cfi_readSpringLength;
cfWriteCall cfi_saveAngle, cfi_saveFolder, cfi_saveMemory, cfi_saveStack, cfi_saveCount,
    cfi_writeDisabledGroups, cfi_saveName, cfi_saveUser, cfi_saveFile, cfi_saveTexture,
    cfi_saveGrid, cfi_saveElevation, cfi_saveSkinArray, cfi_savePattern, cfi_saveTextureFile,
    cfi_saveTextureSide, cfi_saveTextureGrid, cfi_saveBodyPos, cfi_saveSleep, cfi_saveJointPlace,
    cfi_saveUnlessFree, cfi_saveSize, cfi_saveShell, cfi_saveMass, cfi_saveShape, cfi_saveLens,
    cfi_saveCameraOutput, cfi_saveSpringLength, cfi_saveActivations, cfi_saveGain, cfi_savePlugin,
    cfi_saveState, cfi_saveMaterial, cfi_saveMeshType, cfi_saveElastic2d, cfi_saveFlexElements,
    cfi_saveFlexTexcoord, cfi_saveDynamics;

#endif  // CF_MJCF_GRAMMAR_H
