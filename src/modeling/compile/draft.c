// Draft of a model: copying the specification, finding elements by name.
#include "compile/draft.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/assert.h"
#include "base/path.h"

// how one kind of element is drafted
typedef struct {
  mjtObj type;
  size_t draft_bytes, attr_offset, attr_bytes;
} draftKind;

#define KIND(object, name) \
  { mjOBJ_##object, sizeof(cf##name##Draft), offsetof(cf##name##Draft, attr), sizeof(mjs##name) }

static const draftKind draft_kinds[] = {
    KIND(BODY, Body),         KIND(JOINT, Joint),       KIND(GEOM, Geom),
    KIND(SITE, Site),         KIND(CAMERA, Camera),     KIND(LIGHT, Light),
    KIND(MESH, Mesh),         KIND(SKIN, Skin),         KIND(HFIELD, HField),
    KIND(TEXTURE, Texture),   KIND(MATERIAL, Material), KIND(PAIR, Pair),
    KIND(EXCLUDE, Exclude),   KIND(TENDON, Tendon),     KIND(EQUALITY, Equality),
    KIND(ACTUATOR, Actuator), KIND(SENSOR, Sensor),     KIND(NUMERIC, Numeric),
    KIND(TEXT, Text),         KIND(TUPLE, Tuple),       KIND(KEY, Key),
    KIND(FLEX, Flex),         KIND(PLUGIN, Plugin),
};
static const draftKind frame_kind = KIND(FRAME, Frame);
#undef KIND


void cfi_pushPart(cfDraft* draft, cfPartList* list, cfPart* part) {
  CF_ASSERT(list && part);
  if (list->count == list->room) {
    const int room = list->room ? 2 * list->room : 4;
    cfPart** item = (cfPart**)cfi_poolAlloc(&draft->pool, room, sizeof(cfPart*));
    if (list->count) {
      memcpy(item, list->item, list->count * sizeof(cfPart*));
    }
    list->item = item;
    list->room = room;
  }
  list->item[list->count++] = part;
}


void cfi_renumber(cfPartList* list) {
  for (int i = 0; i < list->count; i++) {
    list->item[i]->id = i;
  }
}


// copy every element of one kind
static void draftKindList(cfDraft* draft, const draftKind* kind, cfPartList* to) {
  const cfList* from = cfi_list(draft->spec, kind->type);
  for (int i = 0; i < from->count; i++) {
    char* memory = (char*)cfi_poolAlloc(&draft->pool, 1, kind->draft_bytes);
    cfPart* part = (cfPart*)memory;
    *part = (cfPart){.origin = from->item[i],
                     .name = cfi_text(&from->item[i]->name),
                     .type = kind->type,
                     .id = i};
    memcpy(memory + kind->attr_offset, from->item[i]->attr, kind->attr_bytes);
    cfi_pushPart(draft, to, part);
  }
}


// body that an element of the tree belongs to
static cfBodyDraft* bodyOf(const cfDraft* draft, const cfPart* part) {
  return cfi_bodyAt(draft, part->origin->body->id);
}


// hang the elements of one kind on their bodies; offsets of the link to the body and of the body's
// list
static void hangOnBodies(cfDraft* draft, mjtObj type, size_t link, size_t children) {
  cfPartList* list = cfi_parts(draft, type);
  for (int i = 0; i < list->count; i++) {
    cfBodyDraft* body = bodyOf(draft, list->item[i]);
    *(cfBodyDraft**)(void*)((char*)list->item[i] + link) = body;
    cfi_pushPart(draft, (cfPartList*)(void*)((char*)body + children), list->item[i]);
  }
}


// parents and children
static void linkTree(cfDraft* draft) {
  cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 1; i < bodies->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    body->parent = bodyOf(draft, &body->part);
    cfi_pushPart(draft, &body->parent->bodies, &body->part);
  }
  hangOnBodies(draft, mjOBJ_JOINT, offsetof(cfJointDraft, body), offsetof(cfBodyDraft, joints));
  hangOnBodies(draft, mjOBJ_GEOM, offsetof(cfGeomDraft, body), offsetof(cfBodyDraft, geoms));
  hangOnBodies(draft, mjOBJ_SITE, offsetof(cfSiteDraft, body), offsetof(cfBodyDraft, sites));
  hangOnBodies(draft, mjOBJ_CAMERA, offsetof(cfCameraDraft, body), offsetof(cfBodyDraft, cameras));
  hangOnBodies(draft, mjOBJ_LIGHT, offsetof(cfLightDraft, body), offsetof(cfBodyDraft, lights));
}


// name of an asset that was given by its file alone: the file's name without folder and extension
static const char* fileStem(cfDraft* draft, const char* file) {
  const char* start = file;
  for (const char* p = file; *p; p++) {
    if (*p == '/' || *p == '\\') {
      start = p + 1;
    }
  }
  char* stem = cfi_poolText(&draft->pool, start);
  char* dot = strrchr(stem, '.');
  if (dot) {
    *dot = 0;
  }
  return stem;
}


// remember the file of each asset, name it after the file where it has no name
static void nameAssets(cfDraft* draft, mjtObj type, size_t file_attr, size_t file_text) {
  cfPartList* list = cfi_parts(draft, type);
  for (int i = 0; i < list->count; i++) {
    cfPart* part = list->item[i];
    const char* file = cfi_text(*(void**)(void*)((char*)part + file_attr));
    file = draft->spec->pub.strippath ? cfi_fileName(file) : file;
    *(const char**)(void*)((char*)part + file_text) = file;
    if (!part->name[0]) {
      part->name = fileStem(draft, file);
    }
  }
}


// assets are referred to by name and must have one
static void requireNames(cfDraft* draft, mjtObj type, const char* what) {
  cfPartList* list = cfi_parts(draft, type);
  for (int i = 0; i < list->count; i++) {
    bool is_sky =
        type == mjOBJ_TEXTURE && ((cfTextureDraft*)list->item[i])->attr.type == mjTEXTURE_SKYBOX;
    if (!list->item[i]->name[0] && !is_sky) {
      cfi_fail(draft, list->item[i], "empty name in %s", what);
    }
  }
}


void cfi_draftElements(cfDraft* draft) {
  for (size_t k = 0; k < sizeof(draft_kinds) / sizeof(draft_kinds[0]); k++) {
    draftKindList(draft, &draft_kinds[k], cfi_parts(draft, draft_kinds[k].type));
  }
  draftKindList(draft, &frame_kind, &draft->frames);
  linkTree(draft);

#define NAME_ASSETS(object, name)                                         \
  nameAssets(draft, mjOBJ_##object, offsetof(cf##name##Draft, attr.file), \
             offsetof(cf##name##Draft, file))
  NAME_ASSETS(MESH, Mesh);
  NAME_ASSETS(SKIN, Skin);
  NAME_ASSETS(HFIELD, HField);
  NAME_ASSETS(TEXTURE, Texture);
#undef NAME_ASSETS
  requireNames(draft, mjOBJ_MESH, "mesh");
  requireNames(draft, mjOBJ_HFIELD, "height field");
  requireNames(draft, mjOBJ_TEXTURE, "texture");
  requireNames(draft, mjOBJ_MATERIAL, "material");
}


// slot where the search for a name starts
static unsigned startSlot(const cfDraft* draft, mjtObj type, const char* name) {
  CF_ASSERT(name != NULL);
  uint64_t hash = 14695981039346656037u ^ (uint64_t)type;
  for (; *name; name++) {
    hash = (hash ^ (unsigned char)*name) * 1099511628211u;
  }
  return (unsigned)(hash >> 20) & (unsigned)(draft->nindex - 1);
}


// slot of a name, or the empty slot where it would be
static unsigned findSlot(const cfDraft* draft, mjtObj type, const char* name) {
  CF_ASSERT(name != NULL);
  unsigned slot = startSlot(draft, type, name);
  while (draft->index[slot] &&
         (draft->index[slot]->type != type || strcmp(draft->index[slot]->name, name) != 0)) {
    slot = (slot + 1) & (unsigned)(draft->nindex - 1);
  }
  return slot;
}


// can a message tell more of a part than its kind and its name?
static bool hasPlace(const cfPart* part) {
  const cfElement* origin = part->origin;
  return origin && (origin->source.line > 0 || !cfi_isEmptyString(&origin->info));
}


// enter one list into the index; a name may stand there once
static void indexList(cfDraft* draft, const cfPartList* list) {
  for (int i = 0; i < list->count; i++) {
    cfPart* part = list->item[i];
    if (!part->name[0]) {
      continue;
    }
    const unsigned slot = findSlot(draft, part->type, part->name);
    if (draft->index[slot]) {
      cfi_fail(draft, hasPlace(part) ? part : NULL, "repeated name '%s' in %s", part->name,
               part->type == mjOBJ_FRAME ? "frame" : mju_type2Str(part->type));
    }
    draft->index[slot] = part;
  }
}


void cfi_indexParts(cfDraft* draft) {
  int total = draft->frames.count;
  for (int type = 0; type < mjNOBJECT; type++) {
    total += draft->list[type].count;
  }
  draft->nindex = 16;
  while (draft->nindex < 2 * total) {
    draft->nindex *= 2;
  }
  draft->index = (cfPart**)cfi_poolAlloc(&draft->pool, draft->nindex, sizeof(cfPart*));
  for (int type = 0; type < mjNOBJECT; type++) {
    indexList(draft, &draft->list[type]);
  }
  indexList(draft, &draft->frames);
}


cfPart* cfi_findPart(const cfDraft* draft, mjtObj type, const char* name) {
  CF_ASSERT(draft->index);
  if (!name[0]) {
    return NULL;
  }
  cfPart* part = draft->index[findSlot(draft, type == mjOBJ_XBODY ? mjOBJ_BODY : type, name)];
  const bool is_placed = type == mjOBJ_JOINT || type == mjOBJ_GEOM || type == mjOBJ_SITE;
  if (part && is_placed && draft->has_named_places) {
    return draft->list[type].item[part->named_place];
  }
  return part;
}
