// Bodies and what hangs on them.
//
// A body is written in the order of MuJoCo: what stands directly in it, type by type; child bodies
// up to the first that stands in a frame; frames with what stands in them, in the same order; the
// rest of the bodies.  Poses are those inside the body, so a frame has none, and one that has
// neither a name nor a class leaves no trace.
#include "mjcf/writer.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/sort.h"

// a body, or a frame of it, that is being written
typedef struct {
  const cfElement* body;
  const cfElement* frame;   // NULL: the body itself
  const char* surrounding;  // class that holds where none is named
  const char* tag;          // to be closed, NULL where none was opened
  int next_body, next_frame;
  bool has_frames;  // its frames are done
} cfOpenPlace;

typedef struct {
  cfWriter* w;
  cfOpenPlace* level;
  int depth, room;
  cfList* fused;  // children of every body by kind, where bodies were fused; NULL otherwise
} cfWalk;

// children of a body, as they stand in the model where bodies were fused
static const cfList* childList(const cfWalk* walk, const cfElement* body, int slot) {
  return walk->fused ? &walk->fused[body->id * CF_TREE_KINDS + slot] : &body->part.body.child[slot];
}

// frame of an element; those of bodies that are gone are of no account
static const cfElement* frameOf(const cfWalk* walk, const cfElement* e) {
  return walk->fused ? NULL : e->frame;
}

static const char* classOf(const cfElement* e) {
  return cfi_text(&e->classname);
}

//---------------------------------- attributes ----------------------------------------------------

void cfi_saveBodyPos(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const double* pos = ((const mjsBody*)target)->pos;
  (void)base;
  if (pos[0] != 0 || pos[1] != 0 || pos[2] != 0) {
    cfi_writeField(w, row, target, NULL);
  }
}

// policies that somebody has chosen
void cfi_saveSleep(cfWriter* w, const cfRow* row, const void* target, const void* base) {
  const int sleep = (int)((const mjsBody*)target)->sleep;
  (void)base;
  if (sleep != mjSLEEP_AUTO && sleep != mjSLEEP_AUTO_NEVER && sleep != mjSLEEP_AUTO_ALLOWED) {
    cfi_writeField(w, row, target, NULL);
  }
}

// where asked for, or given and not replaced by that of the geoms
static void writeInertial(cfWriter* w, const cfElement* e) {
  const mjsCompiler* compiler = &w->spec->kept.compiler;
  const bool is_given = ((const mjsBody*)cfi_finalAttributes(e))->explicitinertial &&
                        compiler->inertiafromgeom != mjINERTIAFROMGEOM_TRUE;
  if (compiler->saveinertial || is_given) {
    cfi_openTag(&w->out, "inertial");
    cfi_writeAttributes(w, TAG_BODY_INERTIAL, e, cfi_pristine(w, mjOBJ_BODY));
    cfi_closeTag(&w->out, "inertial");
  }
}

static void openBodyTag(cfWriter* w, const cfElement* body, const char* surrounding) {
  cfi_openTag(&w->out, "body");
  cfi_writeName(w, body);
  if (strcmp(classOf(body), surrounding) != 0 && strcmp(classOf(body), "main") != 0) {
    cfi_writeWord(w, "childclass", classOf(body));
  }
  cfi_writeAttributes(w, TAG_BODY, body, cfi_pristine(w, mjOBJ_BODY));
  writeInertial(w, body);
}

// tag of a frame, NULL where it needs none
static const char* openFrameTag(cfWriter* w, const cfElement* frame) {
  const bool has_class = *classOf(frame) && strcmp(classOf(frame), "main") != 0;
  if (!cfi_length(&frame->name) && !has_class) {
    return NULL;
  }
  cfi_openTag(&w->out, "frame");
  cfi_writeName(w, frame);
  if (has_class) {
    cfi_writeText(&w->out, "childclass", classOf(frame));
  }
  return "frame";
}

//---------------------------------- leaves --------------------------------------------------------

static void writeLeaf(cfWriter* w, const cfElement* e, const char* surrounding) {
  static const struct {
    mjtObj type;
    cftTag tag;
  } kinds[] = {{mjOBJ_JOINT, TAG_BODY_JOINT},
               {mjOBJ_GEOM, TAG_BODY_GEOM},
               {mjOBJ_SITE, TAG_BODY_SITE},
               {mjOBJ_CAMERA, TAG_BODY_CAMERA},
               {mjOBJ_LIGHT, TAG_BODY_LIGHT}};
  int k = 0;
  while (kinds[k].type != e->head.elemtype) {
    k++;
    CF_ASSERT(k < (int)(sizeof(kinds) / sizeof(kinds[0])));
  }
  const cfElement* base = cfi_defaultElement(cfi_defaultOf(e), kinds[k].type);
  const char* tag = cfi_tags[kinds[k].tag].tag;
  cfi_openTag(&w->out, tag);
  cfi_writeName(w, e);
  cfi_writeClass(w, e, surrounding);
  cfi_writeAttributes(w, kinds[k].tag, e, base);
  if (kinds[k].type == mjOBJ_GEOM) {
    cfi_writeContactValues(w, e, base);
    cfi_writePlugin(w, &((const mjsGeom*)e->attr)->plugin);
  }
  cfi_closeTag(&w->out, tag);
}

// class that holds inside a body or frame
static const char* innerClass(const cfElement* body, const cfElement* frame,
                              const char* surrounding) {
  if (frame && *classOf(frame)) {
    return classOf(frame);
  }
  return *classOf(body) ? classOf(body) : surrounding;
}

static void writeLeaves(const cfWalk* walk, const cfOpenPlace* place) {
  cfWriter* w = walk->w;
  const char* inner = innerClass(place->body, place->frame, place->surrounding);
  for (int slot = 1; slot < CF_TREE_KINDS; slot++) {
    const cfList* list = childList(walk, place->body, slot);
    for (int i = 0; i < list->count && cfi_treeTypes[slot] != mjOBJ_FRAME; i++) {
      if (frameOf(walk, list->item[i]) == place->frame && !list->item[i]->is_dropped) {
        writeLeaf(w, list->item[i], inner);
      }
    }
  }
  if (!place->frame) {
    cfi_writePlugin(w, &((const mjsBody*)place->body->attr)->plugin);
  }
}

//---------------------------------- bodies --------------------------------------------------------

static void pushPlace(cfWalk* walk, cfOpenPlace place) {
  if (walk->depth == walk->room) {
    const int room = walk->room ? 2 * walk->room : 64;
    cfOpenPlace* level = (cfOpenPlace*)realloc(walk->level, (size_t)room * sizeof(cfOpenPlace));
    if (!level) {
      walk->w->trouble = "could not allocate memory for writing bodies";
      return;
    }
    walk->level = level;
    walk->room = room;
  }
  walk->level[walk->depth++] = place;
  writeLeaves(walk, &walk->level[walk->depth - 1]);
}

static void enterBody(cfWalk* walk, const cfElement* body, const char* surrounding) {
  if (body == walk->w->spec->world) {
    cfi_openTag(&walk->w->out, "worldbody");
  } else {
    openBodyTag(walk->w, body, surrounding);
  }
  const char* tag = body == walk->w->spec->world ? "worldbody" : "body";
  pushPlace(walk, (cfOpenPlace){.body = body, .surrounding = surrounding, .tag = tag});
}

// the next child body that stands here; frames come behind the first body that stands in any
static bool enterNextBody(cfWalk* walk, cfOpenPlace* place) {
  const cfList* bodies = childList(walk, place->body, 0);
  bool is_at_frame = place->next_body > 0 && frameOf(walk, bodies->item[place->next_body - 1]);
  while (place->next_body < bodies->count && (place->has_frames || !is_at_frame)) {
    const cfElement* child = bodies->item[place->next_body++];
    is_at_frame = frameOf(walk, child) != NULL;
    if (frameOf(walk, child) == place->frame && !child->is_dropped) {
      enterBody(walk, child, innerClass(place->body, place->frame, place->surrounding));
      return true;
    }
  }
  return false;
}

static bool enterNextFrame(cfWalk* walk, cfOpenPlace* place) {
  const cfList* frames = childList(walk, place->body, 1);
  CF_ASSERT(cfi_treeTypes[1] == mjOBJ_FRAME);
  while (place->next_frame < frames->count) {
    const cfElement* frame = frames->item[place->next_frame++];
    if (frame->frame == place->frame) {
      const cfOpenPlace inner = {.body = place->body,
                                 .frame = frame,
                                 .surrounding = place->surrounding,
                                 .tag = openFrameTag(walk->w, frame)};
      pushPlace(walk, inner);
      return true;
    }
  }
  place->has_frames = true;
  return false;
}

//---------------------------------- fused bodies --------------------------------------------------

static int byPlaceInModel(const void* a, const void* b) {
  return (*(cfElement* const*)a)->model_id - (*(cfElement* const*)b)->model_id;
}

// elements of every kind on the bodies that the model has, in its order
static void listFused(cfWalk* walk) {
  cfSpec* spec = walk->w->spec;
  const cfList* bodies = cfi_list(spec, mjOBJ_BODY);
  cfElement** at = (cfElement**)calloc((size_t)bodies->count + 1, sizeof(cfElement*));
  walk->fused = (cfList*)calloc((size_t)bodies->count * CF_TREE_KINDS, sizeof(cfList));
  for (int i = 0; at && i < bodies->count; i++) {
    if (bodies->item[i]->model_id > 0 && bodies->item[i]->model_id <= bodies->count) {
      at[bodies->item[i]->model_id - 1] = bodies->item[i];
    }
  }
  for (int slot = 0; at && walk->fused && slot < CF_TREE_KINDS; slot++) {
    const cfList* list = cfi_list(spec, cfi_treeTypes[slot]);
    for (int i = 0; i < list->count && cfi_treeTypes[slot] != mjOBJ_FRAME; i++) {
      cfElement* e = list->item[i];
      const cfElement* body = e->kept.attr && !e->is_dropped ? at[e->kept.body] : NULL;
      if (body && e != spec->world) {
        cfi_pushElement(&walk->fused[body->id * CF_TREE_KINDS + slot], e);
      }
    }
    for (int i = 0; i < bodies->count; i++) {
      cfList* sorted = &walk->fused[i * CF_TREE_KINDS + slot];
      if (sorted->count) {
        cfi_sort(sorted->item, (size_t)sorted->count, sizeof(sorted->item[0]), byPlaceInModel);
      }
    }
  }
  if (!at || !walk->fused) {
    walk->w->trouble = "could not allocate memory for writing bodies";
  }
  free(at);
}

void cfi_writeWorld(cfWriter* w) {
  cfWalk walk = {.w = w};
  if (w->spec->is_fused) {
    listFused(&walk);
  }
  if (w->trouble) {
    free(walk.fused);
    return;
  }
  enterBody(&walk, w->spec->world, "");
  while (walk.depth && !w->trouble) {
    cfOpenPlace* place = &walk.level[walk.depth - 1];
    if (enterNextBody(&walk, place) || (!place->has_frames && enterNextFrame(&walk, place)) ||
        place->next_body < childList(&walk, place->body, 0)->count) {
      continue;
    }
    if (place->tag) {
      cfi_closeTag(&w->out, place->tag);
    }
    walk.depth--;
  }
  const int count = walk.fused ? cfi_list(w->spec, mjOBJ_BODY)->count * CF_TREE_KINDS : 0;
  for (int i = 0; i < count; i++) {
    cfi_freeList(&walk.fused[i]);
  }
  free(walk.fused);
  free(walk.level);
}
