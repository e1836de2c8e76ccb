// Life of elements: one block per element, laid out by elements.def and members.def.
#include "spec/spec.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "spec/keys.h"

//---------------------------------- tables --------------------------------------------------------

// one index per kind of element
enum {
#define CF_ELEMENT(object, name, field, home, rank) KIND_##name,
#include "spec/elements.def"
#undef CF_ELEMENT
  KIND_COUNT
};

typedef struct {
  mjtObj type;
  size_t size;  // of the mjs struct
  size_t info;  // offset of its info pointer
  void (*set_default)(void*);
} cfKind;

// the public functions leave this one out
static void mjs_defaultExclude(mjsExclude* exclude) {
  *exclude = (mjsExclude){.element = NULL};
}

#define CF_ELEMENT(object, name, field, home, rank) \
  static void default##name(void* attr) {           \
    mjs_default##name((mjs##name*)attr);            \
  }
#include "spec/elements.def"
#undef CF_ELEMENT

static const cfKind kinds[KIND_COUNT] = {
#define CF_ELEMENT(object, name, field, home, rank) \
  {mjOBJ_##object, sizeof(mjs##name), offsetof(mjs##name, info), default##name},
#include "spec/elements.def"
#undef CF_ELEMENT
};

typedef enum { NAMES_NONE, NAMES_TREE, NAMES_ASSET } cftNames;

typedef struct {
  int kind;
  size_t offset;  // of the pointer inside the mjs struct
  cftMember type;
  cftNames names;
} cfMemberInfo;

static const cfMemberInfo members[] = {
#define CF_MEMBER(element, field, kind, names) \
  {KIND_##element, offsetof(mjs##element, field), CF_MEMBER_##kind, NAMES_##names},
#include "spec/members.def"
#undef CF_MEMBER
};
enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

static int kindOf(mjtObj type) {
  for (int k = 0; k < KIND_COUNT; k++) {
    if (kinds[k].type == type) {
      return k;
    }
  }
  return -1;
}

// members of one kind stand together
static void memberRange(int kind, int* first, int* last) {
  int i = 0;
  while (i < MEMBERS && members[i].kind != kind) {
    i++;
  }
  *first = i;
  while (i < MEMBERS && members[i].kind == kind) {
    i++;
  }
  *last = i;
}

static void** memberPointer(void* attr, const cfMemberInfo* member) {
  return (void**)(void*)((char*)attr + member->offset);
}

//---------------------------------- allocation ----------------------------------------------------

static size_t padded(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

static void* zeroed(size_t bytes) {
  void* block = calloc(1, bytes);
  if (!block) {
    mju_error("could not allocate %zu bytes for a model specification", bytes);
    abort();
  }
  return block;
}

// point the struct's handles to the storage of its own element
static void bindMembers(cfElement* e, int kind, char* storage) {
  int first, last;
  memberRange(kind, &first, &last);
  for (int i = first; i < last; i++) {
    *memberPointer(e->attr, members + i) = storage;
    storage += padded(cfi_memberSize(members[i].type));
  }
}

// handles that lead to the element's own header
static void bindHeader(cfElement* e, int kind) {
  *(mjsElement**)e->attr = &e->head;
  void* info = (char*)e->attr + kinds[kind].info;
  *(void**)info = &e->info;
  if (e->head.elemtype == mjOBJ_BODY) {
    ((mjsBody*)e->attr)->childclass = &e->classname;
  } else if (e->head.elemtype == mjOBJ_FRAME) {
    ((mjsFrame*)e->attr)->childclass = &e->classname;
  } else if (e->head.elemtype == mjOBJ_PLUGIN) {
    ((mjsPlugin*)e->attr)->name = &e->name;
  }
}

static void initHeader(cfElement* e, cfSpec* spec, mjtObj type) {
  e->head.elemtype = type;
  e->spec = spec;
  e->id = -1;
  e->scope = spec ? &spec->scope : NULL;
  cfi_initString(&e->name);
  cfi_initString(&e->classname);
  cfi_initString(&e->info);
  if (type == mjOBJ_UNKNOWN) {
    cfi_initString(&e->part.wrap.sidesite);
  } else if (type == mjOBJ_FLEX) {
    cfi_initString(&e->part.flex.model[0]);
    cfi_initString(&e->part.flex.model[1]);
  } else if (type == mjOBJ_ACTUATOR) {
    cfi_initString(&e->part.actuator.gain_model);
  } else if (type == mjOBJ_GEOM || type == mjOBJ_PAIR) {
    cfi_initString(&e->part.contact.values);
  }
}

// a wrap is no object of its own: it has no defaults and no list
static cfElement* newWrap(cfSpec* spec) {
  cfElement* e = (cfElement*)zeroed(padded(sizeof(cfElement)) + sizeof(mjsWrap));
  initHeader(e, spec, mjOBJ_UNKNOWN);
  mjsWrap* wrap = (mjsWrap*)(void*)((char*)e + padded(sizeof(cfElement)));
  wrap->element = &e->head;
  wrap->info = &e->info;
  e->attr = wrap;
  return e;
}

// arrays of strings that have a place for every role
static void fillStrings(cfVec* v, int count) {
  for (int i = 0; i < count; i++) {
    cfi_pushString(v, "", 0);
  }
}

cfElement* cfi_newElement(cfSpec* spec, mjtObj type) {
  if (type == mjOBJ_UNKNOWN) {
    return newWrap(spec);
  }
  int kind = kindOf(type), first, last;
  CF_ASSERT(kind >= 0);
  memberRange(kind, &first, &last);
  size_t head = padded(sizeof(cfElement)), body = padded(kinds[kind].size), tail = 0;
  for (int i = first; i < last; i++) {
    tail += padded(cfi_memberSize(members[i].type));
  }

  char* block = (char*)zeroed(head + body + tail + 32);
  cfElement* e = (cfElement*)(void*)block;
  initHeader(e, spec, type);
  e->attr = block + head;
  kinds[kind].set_default(e->attr);
  bindHeader(e, kind);
  bindMembers(e, kind, block + head + body);
  for (int i = first; i < last; i++) {
    cfi_initMember(*memberPointer(e->attr, members + i), members[i].type);
  }
  if (type == mjOBJ_MATERIAL) {
    fillStrings((cfVec*)((mjsMaterial*)e->attr)->textures, mjNTEXROLE);
  } else if (type == mjOBJ_TEXTURE) {
    fillStrings((cfVec*)((mjsTexture*)e->attr)->cubefiles, 6);
  } else if (type == mjOBJ_PLUGIN) {
    // the name of the plugin itself has no row in members.def: its struct is also a member of
    // others
    cfString* plugin_name = (cfString*)(void*)(block + head + body + tail);
    cfi_initString(plugin_name);
    ((mjsPlugin*)e->attr)->plugin_name = plugin_name;
  }
  return e;
}

static void freeUserValues(cfElement* e) {
  while (e->user) {
    cfUserValue* value = e->user;
    e->user = value->next;
    if (value->cleanup) {
      value->cleanup(value->data);
    }
    free(value->key);
    free(value);
  }
}

// what only some kinds own
static void freePart(cfElement* e) {
  switch ((int)e->head.elemtype) {
    case mjOBJ_UNKNOWN:
      cfi_freeString(&e->part.wrap.sidesite);
      break;
    case mjOBJ_TENDON:
      for (int i = 0; i < e->part.tendon.path.count; i++) {
        cfi_freeElement(e->part.tendon.path.item[i]);
      }
      cfi_freeList(&e->part.tendon.path);
      break;
    case mjOBJ_PLUGIN:
      cfi_freeMember(&e->part.plugin.key, CF_MEMBER_STRINGVEC);
      cfi_freeMember(&e->part.plugin.value, CF_MEMBER_STRINGVEC);
      cfi_dropConfigView(e);
      cfi_freeString((cfString*)((mjsPlugin*)e->attr)->plugin_name);
      break;
    case mjOBJ_FLEX:
      cfi_freeString(&e->part.flex.model[0]);
      cfi_freeString(&e->part.flex.model[1]);
      break;
    case mjOBJ_ACTUATOR:
      cfi_freeString(&e->part.actuator.gain_model);
      break;
    case mjOBJ_GEOM:
    case mjOBJ_PAIR:
      cfi_freeString(&e->part.contact.values);
      break;
    case mjOBJ_BODY:
      for (int slot = 0; slot < CF_TREE_KINDS; slot++) {
        cfi_freeList(&e->part.body.child[slot]);
      }
      break;
    default:
      break;
  }
}

// nothing of the specification that had it can be reached from it any more
static void park(cfElement* e, cfSpec* home) {
  CF_ASSERT(home->refcount > 0 && !e->is_parked);
  for (int slot = 0; slot < CF_TREE_KINDS && e->head.elemtype == mjOBJ_BODY; slot++) {
    cfi_freeList(&e->part.body.child[slot]);
  }
  for (int i = 0; e->head.elemtype == mjOBJ_TENDON && i < e->part.tendon.path.count; i++) {
    e->part.tendon.path.item[i]->spec = home;
  }
  mjsPlugin* link = cfi_pluginOf(e);
  if (link) {
    link->element = NULL;
  }
  cfi_freeKeyStates(e);
  e->body = e->frame = NULL;
  e->spec = home;
  e->is_indexed = false;
  e->is_parked = true;
  e->id = -1;
  e->model_id = 0;
  e->moved_to = home;
  cfi_pushElement(&home->parked, e);
}

void cfi_retireElement(cfElement* e) {
  park(e, e->came_from ? e->came_from : e->spec);
}

// elements that were added to a parked body are known to nobody else
void cfi_freeParked(cfSpec* spec) {
  while (spec->parked.count) {
    cfElement* e = spec->parked.item[--spec->parked.count];
    for (int slot = 0; slot < CF_TREE_KINDS && e->head.elemtype == mjOBJ_BODY; slot++) {
      const cfList* child = &e->part.body.child[slot];
      for (int i = 0; i < child->count; i++) {
        cfi_pushElement(&spec->parked, child->item[i]);
      }
    }
    e->came_from = NULL;
    cfi_freeElement(e);
  }
  cfi_freeList(&spec->parked);
}

// place of a handle among those of an element
static int handlePlace(const cfElement* e, void* handle, int first, int last) {
  for (int i = first; i < last; i++) {
    if (*memberPointer(e->attr, members + i) == handle) {
      return i;
    }
  }
  return -1;
}

void cfi_keepAttributes(cfElement* e, const cfElement* source, const void* attr,
                        const double* number, int count) {
  CF_ASSERT(e && count >= 0);
  const int kind = kindOf(e->head.elemtype);
  const cfKept old = e->kept;
  e->kept = (cfKept){0};
  if (attr && kind >= 0) {
    const size_t head = padded(kinds[kind].size);
    char* block = (char*)zeroed(head + (size_t)count * sizeof(double));
    e->kept = (cfKept){block, (double*)(void*)(block + head), count, source->kept.body};
    memcpy(block, attr, kinds[kind].size);
    if (count) {
      memcpy(e->kept.number, number, (size_t)count * sizeof(double));
    }
    int first, last;
    memberRange(kind, &first, &last);
    for (int i = first; i < last; i++) {
      void** handle = memberPointer(block, members + i);
      const int place = handlePlace(source, *handle, first, last);
      *handle = *memberPointer(e->attr, members + (place < 0 ? i : place));
    }
  }
  free(old.attr);
}

void cfi_freeElement(cfElement* e) {
  if (e->came_from && e->came_from != e->spec) {
    park(e, e->came_from);
    return;
  }
  int kind = kindOf(e->head.elemtype), first = 0, last = 0;
  if (kind >= 0) {
    memberRange(kind, &first, &last);
  }
  for (int i = first; i < last; i++) {
    cfi_freeMember(*memberPointer(e->attr, members + i), members[i].type);
  }
  freePart(e);
  free(e->kept.attr);
  freeUserValues(e);
  cfi_freeKeyStates(e);
  cfi_freeString(&e->name);
  free(e->listed_name);
  cfi_freeString(&e->classname);
  cfi_freeString(&e->info);
  free(e);
}

//---------------------------------- copies --------------------------------------------------------

// copy the attributes, keep identity: element, handles and plugin link stay the receiver's
void cfi_copyAttributes(cfElement* to, const cfElement* from) {
  CF_ASSERT(to->head.elemtype == from->head.elemtype);
  int kind = kindOf(to->head.elemtype), first, last;
  CF_ASSERT(kind >= 0);
  memberRange(kind, &first, &last);

  void* handles[16];
  CF_ASSERT(last - first <= 16);
  for (int i = first; i < last; i++) {
    handles[i - first] = *memberPointer(to->attr, members + i);
  }
  void* plugin_name =
      to->head.elemtype == mjOBJ_PLUGIN ? ((mjsPlugin*)to->attr)->plugin_name : NULL;
  memcpy(to->attr, from->attr, kinds[kind].size);
  bindHeader(to, kind);
  for (int i = first; i < last; i++) {
    void** handle = memberPointer(to->attr, members + i);
    void* source = *handle;
    *handle = handles[i - first];
    cfi_copyMember(*handle, source, members[i].type);
  }
  if (plugin_name) {
    cfi_copyMember(plugin_name, ((mjsPlugin*)to->attr)->plugin_name, CF_MEMBER_STRING);
    ((mjsPlugin*)to->attr)->plugin_name = plugin_name;
  }
  if (to->head.elemtype == mjOBJ_ACTUATOR) {
    cfi_copyMember(&to->part.actuator.gain_model, &from->part.actuator.gain_model,
                   CF_MEMBER_STRING);
  } else if (to->head.elemtype == mjOBJ_GEOM || to->head.elemtype == mjOBJ_PAIR) {
    cfi_copyMember(&to->part.contact.values, &from->part.contact.values, CF_MEMBER_STRING);
  }
}

static void copyPart(cfElement* to, const cfElement* from) {
  if (from->head.elemtype == mjOBJ_TENDON) {
    const cfList* path = &from->part.tendon.path;
    for (int i = 0; i < path->count; i++) {
      cfElement* wrap = cfi_copyElement(to->spec, path->item[i]);
      wrap->part.wrap.tendon = to;
      cfi_pushElement(&to->part.tendon.path, wrap);
    }
  } else if (from->head.elemtype == mjOBJ_PLUGIN) {
    cfi_copyMember(&to->part.plugin.key, &from->part.plugin.key, CF_MEMBER_STRINGVEC);
    cfi_copyMember(&to->part.plugin.value, &from->part.plugin.value, CF_MEMBER_STRINGVEC);
  } else if (from->head.elemtype == mjOBJ_FLEX) {
    cfi_copyMember(&to->part.flex.model[0], &from->part.flex.model[0], CF_MEMBER_STRING);
    cfi_copyMember(&to->part.flex.model[1], &from->part.flex.model[1], CF_MEMBER_STRING);
    to->part.flex.is_implicit = from->part.flex.is_implicit;
    to->part.flex.moduli = from->part.flex.moduli;
    to->part.flex.needs_hinges = from->part.flex.needs_hinges;
  }
}

// copy of everything except links to other elements and lists of children
cfElement* cfi_copyElement(cfSpec* spec, const cfElement* source) {
  cfElement* e = cfi_newElement(spec, source->head.elemtype);
  if (source->head.elemtype == mjOBJ_UNKNOWN) {
    ((mjsWrap*)e->attr)->type = ((const mjsWrap*)source->attr)->type;
    e->part.wrap.prm = source->part.wrap.prm;
    cfi_copyMember(&e->part.wrap.sidesite, &source->part.wrap.sidesite, CF_MEMBER_STRING);
  } else {
    cfi_copyAttributes(e, source);
  }
  cfi_copyMember(&e->name, &source->name, CF_MEMBER_STRING);
  cfi_copyMember(&e->classname, &source->classname, CF_MEMBER_STRING);
  cfi_copyMember(&e->info, &source->info, CF_MEMBER_STRING);
  e->source = source->source;
  e->was_compiled = source->was_compiled;
  e->is_unlisted = source->is_unlisted;
  e->listed_name = source->listed_name ? strdup(source->listed_name) : NULL;
  e->compiled_mass = source->compiled_mass;
  e->model_id = source->model_id;
  e->is_dropped = source->is_dropped;
  cfi_keepAttributes(e, source, source->kept.attr, source->kept.number, source->kept.count);
  copyPart(e, source);
  return e;
}

//---------------------------------- names ---------------------------------------------------------

// put prefix and suffix around a name that is there
static void wrapName(cfString* name, const char* prefix, const char* suffix) {
  if (cfi_length(name)) {
    cfi_prefixSuffix(name, prefix, suffix);
  }
}

static void renameMember(void* member, cftMember type, const char* prefix, const char* suffix) {
  if (type == CF_MEMBER_STRING) {
    wrapName((cfString*)member, prefix, suffix);
    return;
  }
  const int count = cfi_countStrings(member);
  for (int i = 0; i < count; i++) {
    wrapName(cfi_strings(member) + i, prefix, suffix);
  }
}

void cfi_renameReferences(cfElement* e, const char* prefix, const char* suffix, bool with_assets) {
  int kind = kindOf(e->head.elemtype), first = 0, last = 0;
  if (kind >= 0) {
    memberRange(kind, &first, &last);
  }
  for (int i = first; i < last; i++) {
    if (members[i].names == NAMES_TREE || (members[i].names == NAMES_ASSET && with_assets)) {
      renameMember(*memberPointer(e->attr, members + i), members[i].type, prefix, suffix);
    }
  }
  if (e->head.elemtype == mjOBJ_TENDON) {
    const cfList* path = &e->part.tendon.path;
    for (int i = 0; i < path->count; i++) {
      wrapName(&path->item[i]->name, prefix, suffix);
      wrapName(&path->item[i]->part.wrap.sidesite, prefix, suffix);
    }
  }
}

void cfi_setElementName(cfElement* e, const char* name) {
  cfi_unlistName(e);
  cfi_dropName(e->spec, e);
  cfi_assignString(&e->name, name);
  cfi_indexName(e->spec, e);
}

//---------------------------------- user values ---------------------------------------------------

static cfUserValue** userValue(cfElement* e, const char* key) {
  cfUserValue** value = &e->user;
  while (*value && strcmp((*value)->key, key) != 0) {
    value = &(*value)->next;
  }
  return value;
}

void mjs_setUserValueWithCleanup(mjsElement* element, const char* key, const void* data,
                                 void (*cleanup)(const void*)) {
  mjs_deleteUserValue(element, key);
  cfUserValue* value = (cfUserValue*)zeroed(sizeof(cfUserValue));
  value->key = (char*)zeroed(strlen(key) + 1);
  strcpy(value->key, key);
  value->data = data;
  value->cleanup = cleanup;
  value->next = cfi_element(element)->user;
  cfi_element(element)->user = value;
}

void mjs_setUserValue(mjsElement* element, const char* key, const void* data) {
  mjs_setUserValueWithCleanup(element, key, data, NULL);
}

const void* mjs_getUserValue(mjsElement* element, const char* key) {
  cfUserValue* value = *userValue(cfi_element(element), key);
  return value ? value->data : NULL;
}

void mjs_deleteUserValue(mjsElement* element, const char* key) {
  cfUserValue** slot = userValue(cfi_element(element), key);
  cfUserValue* value = *slot;
  if (value) {
    *slot = value->next;
    if (value->cleanup) {
      value->cleanup(value->data);
    }
    free(value->key);
    free(value);
  }
}

//---------------------------------- messages ------------------------------------------------------

void cfi_setError(cfSpec* spec, bool is_warning, const char* format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(spec->error, sizeof(spec->error), format, args);
  va_end(args);
  spec->is_warning = is_warning;
}

const char* mjs_getError(mjSpec* s) {
  if (!s) {
    mju_error("spec is null");
    return NULL;
  }
  return cfi_spec(s)->error;
}

int mjs_isWarning(mjSpec* s) {
  return cfi_spec(s)->is_warning;
}
