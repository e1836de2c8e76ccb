// Fuzz target: specifications edited by a script.  The bytes of the input are the script, three to
// an edit: what is done, to which element, with what.  Nothing may crash, leak or hang, and every
// model that compiles is saved, loaded and stepped.
//
// Pointers that a program may keep are kept: of every body that was attached by reference one is
// used as long as the specification it came from lives, whatever happened to the receiver.
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

#include <mujoco/mujoco.h>

#include "spec/spec.h"

// the arena of the usual 15 MB would be mapped, cleared and unmapped for every compilation
enum { SPECS = 4, EDITS_MAX = 32, ELEMENTS_MAX = 120, KEPT_MAX = 8, ARENA_BYTES = 96 << 10 };

// a pointer that stays good while its specification lives
typedef struct {
  mjsBody* body;
  int home;  // among the specifications
} keptBody;

typedef struct {
  mjSpec* spec[SPECS];
  keptBody kept[KEPT_MAX];
  int nkept, serial;
} bench;

static const char* const texts[] = {
    "<mujoco/>",
    "<mujoco><default><default class='c'><geom size='.2'/></default></default>"
    "<worldbody><body name='a'><freejoint/><geom name='g' class='c'/><site name='s'/>"
    "<body name='b' pos='1 0 0'><joint name='j'/><geom size='.1'/><camera name='e'/></body></body>"
    "</worldbody><contact><exclude body1='a' body2='b'/></contact>"
    "<sensor><jointpos joint='j'/><framepos objtype='site' objname='s'/></sensor>"
    "<actuator><motor name='m' joint='j'/></actuator>"
    "<keyframe><key name='k' qpos='0 0 1 1 0 0 0 .5' ctrl='1'/></keyframe></mujoco>",
    "<mujoco><worldbody><frame name='f' pos='0 0 1'><body name='c'><joint name='x' type='slide'/>"
    "<geom name='h' type='box' size='.1 .1 .1' material='r'/><site name='t' pos='.1 0 0'/></body>"
    "</frame><body name='d' mocap='true'><geom size='.1'/><site name='u'/></body></worldbody>"
    "<asset><material name='r' rgba='1 0 0 1'/></asset>"
    "<tendon><spatial name='w'><site site='t'/><site site='u'/></spatial>"
    "<fixed name='y'><joint joint='x' coef='2'/></fixed></tendon>"
    "<equality><weld body1='c' body2='d'/></equality>"
    "<actuator><position name='p' tendon='y'/></actuator>"
    "<custom><tuple name='v'><element objtype='body' objname='c'/></tuple></custom></mujoco>",
};
enum { TEXTS = sizeof(texts) / sizeof(texts[0]) };

// types of elements that edits choose among
static const mjtObj kinds[] = {
    mjOBJ_BODY,     mjOBJ_GEOM,    mjOBJ_JOINT, mjOBJ_SITE,    mjOBJ_CAMERA,   mjOBJ_LIGHT,
    mjOBJ_FRAME,    mjOBJ_SENSOR,  mjOBJ_PAIR,  mjOBJ_EXCLUDE, mjOBJ_EQUALITY, mjOBJ_TENDON,
    mjOBJ_ACTUATOR, mjOBJ_NUMERIC, mjOBJ_TUPLE, mjOBJ_KEY,     mjOBJ_MATERIAL};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };

//---------------------------------- memory of mjData ----------------------------------------------
// An mjData has 170 KB of its own, which the sanitizer maps and unmaps for each: a quarter of the
// time.  Blocks of that size are kept, unusable while nobody has them; at the end nobody may.

enum { POOL_BLOCKS = 8 };

static struct {
  void* block;
  int is_used;
} pool[POOL_BLOCKS];


static void* takeBlock(size_t size) {
  for (int i = 0; size == sizeof(mjData) && i < POOL_BLOCKS; i++) {
    if (!pool[i].block) {
      pool[i].block = aligned_alloc(64, (size + 63) / 64 * 64);
    }
    if (pool[i].block && !pool[i].is_used) {
      pool[i].is_used = 1;
      ASAN_UNPOISON_MEMORY_REGION(pool[i].block, sizeof(mjData));
      return pool[i].block;
    }
  }
  return aligned_alloc(64, (size + 63) / 64 * 64);
}


static void giveBlock(void* block) {
  for (int i = 0; block && i < POOL_BLOCKS; i++) {
    if (pool[i].block == block) {
      pool[i].is_used = 0;
      ASAN_POISON_MEMORY_REGION(block, sizeof(mjData));
      return;
    }
  }
  free(block);
}


static void requireUnused(void) {
  for (int i = 0; i < POOL_BLOCKS; i++) {
    if (pool[i].is_used) {
      abort();
    }
  }
}

//---------------------------------- choices -------------------------------------------------------

static int countOf(mjSpec* s, mjtObj type) {
  int n = 0;
  for (mjsElement* e = mjs_firstElement(s, type); e; e = mjs_nextElement(s, e)) {
    n++;
  }
  return n;
}


static mjsElement* chosen(mjSpec* s, mjtObj type, unsigned which) {
  const int n = countOf(s, type);
  mjsElement* e = n ? mjs_firstElement(s, type) : NULL;
  for (unsigned k = n ? which % (unsigned)n : 0; k > 0; k--) {
    e = mjs_nextElement(s, e);
  }
  return e;
}


static int isLarge(mjSpec* s) {
  int n = 0;
  for (int k = 0; k < KINDS; k++) {
    n += countOf(s, kinds[k]);
  }
  return n > ELEMENTS_MAX;
}


static const char* nameOf(const mjsElement* e) {
  return e ? mjs_getString(mjs_getName((mjsElement*)(uintptr_t)e)) : "";
}


static void newName(bench* b, mjsElement* e) {
  char name[20];
  snprintf(name, sizeof(name), "n%d", b->serial++);
  mjs_setName(e, name);
}

//---------------------------------- edits ---------------------------------------------------------

static void addToTree(bench* b, mjSpec* s, unsigned which, unsigned what) {
  mjsBody* body = mjs_asBody(chosen(s, mjOBJ_BODY, which));
  const mjsDefault* def = what & 64 ? mjs_findDefault(s, "c") : NULL;
  if (!body || isLarge(s)) {
    return;
  }
  mjsElement* e = NULL;
  switch (what % 7) {
    case 0:
      e = mjs_addBody(body, def)->element;
      break;
    case 1: {
      mjsGeom* geom = mjs_addGeom(body, def);
      geom->size[0] = geom->size[1] = geom->size[2] = 0.1;
      geom->type = what & 8 ? mjGEOM_BOX : mjGEOM_SPHERE;
      e = geom->element;
      break;
    }
    case 2:
      e = mjs_addJoint(body, def)->element;
      break;
    case 3:
      e = mjs_addSite(body, def)->element;
      break;
    case 4:
      e = mjs_addFrame(body, NULL)->element;
      break;
    case 5:
      e = mjs_addLight(body, def)->element;
      break;
    default:
      e = mjs_addCamera(body, def)->element;
      break;
  }
  if (what & 16) {
    newName(b, e);
  }
}


static void addOutside(bench* b, mjSpec* s, unsigned which, unsigned what) {
  const char* joint = nameOf(chosen(s, mjOBJ_JOINT, which));
  const char* site = nameOf(chosen(s, mjOBJ_SITE, which));
  if (isLarge(s)) {
    return;
  }
  switch (what % 6) {
    case 0: {
      mjsActuator* a = mjs_addActuator(s, NULL);
      a->trntype = mjTRN_JOINT;
      mjs_setString(a->target, joint);
      newName(b, a->element);
      break;
    }
    case 1: {
      mjsSensor* sensor = mjs_addSensor(s);
      sensor->type = mjSENS_FRAMEPOS;
      sensor->objtype = mjOBJ_SITE;
      mjs_setString(sensor->objname, site);
      break;
    }
    case 2: {
      mjsTendon* t = mjs_addTendon(s, NULL);
      mjs_wrapJoint(t, joint, 2);
      mjs_wrapJoint(t, joint, -1);
      newName(b, t->element);
      break;
    }
    case 3: {
      mjsExclude* x = mjs_addExclude(s);
      mjs_setString(x->bodyname1, nameOf(chosen(s, mjOBJ_BODY, which)));
      mjs_setString(x->bodyname2, nameOf(chosen(s, mjOBJ_BODY, which / 2 + 1)));
      break;
    }
    case 4:
      mjs_addKey(s)->time = which;
      break;
    default: {
      mjsNumeric* n = mjs_addNumeric(s);
      n->size = (int)(which % 4);
      newName(b, n->element);
      break;
    }
  }
}


// the specification that an attached element came from first, -1 if it was replaced since
static int homeOf(const bench* b, const mjsElement* e) {
  for (int k = 0; k < SPECS; k++) {
    if (cfi_element(e)->came_from == cfi_spec(b->spec[k])) {
      return k;
    }
  }
  return -1;
}


// an element of one specification onto a frame, body or site of another, or of the same
static void attach(bench* b, int to, unsigned which, unsigned what) {
  static const mjtObj places[] = {mjOBJ_FRAME, mjOBJ_SITE, mjOBJ_BODY};
  static const mjtObj parts[] = {mjOBJ_BODY, mjOBJ_FRAME, mjOBJ_UNKNOWN};
  const int from = (int)(which / 64 % SPECS);
  mjsElement* place = chosen(b->spec[to], places[what % 3], which);
  const mjtObj type = parts[what / 4 % 3];
  mjsElement* part =
      type == mjOBJ_UNKNOWN ? b->spec[from]->element : chosen(b->spec[from], type, what / 16);
  char prefix[20];
  if (!place || !part || isLarge(b->spec[to]) || isLarge(b->spec[from])) {
    return;
  }
  snprintf(prefix, sizeof(prefix), "%s%d_", what & 128 ? "" : "p", b->serial++);
  mjsElement* twin = mjs_attach(place, part, prefix, "");
  if (twin && twin == part && type == mjOBJ_BODY && b->nkept < KEPT_MAX && to != from) {
    const int home = homeOf(b, part);
    if (home >= 0) {
      b->kept[b->nkept++] = (keptBody){mjs_asBody(part), home};
    }
  }
}


static void change(bench* b, mjSpec* s, unsigned which, unsigned what) {
  mjsElement* e = chosen(s, kinds[what % KINDS], which);
  if (!e) {
    return;
  }
  switch (what / 32) {
    case 0:
      newName(b, e);
      break;
    case 1:
      mjs_setName(e, nameOf(chosen(s, kinds[what % KINDS], which + 1)));
      break;
    case 2:
      mjs_setFrame(e, mjs_asFrame(chosen(s, mjOBJ_FRAME, which)));
      break;
    case 3:
      if (mjs_findDefault(s, "c")) {
        mjs_setDefault(e, mjs_findDefault(s, "c"));
      }
      break;
    case 4: {
      mjsBody* body = mjs_asBody(e);
      if (body) {
        mjs_bodyToFrame(&body);
      }
      break;
    }
    default:
      mjs_delete(s, e);
      break;
  }
}


// pointers of a specification that goes, or that may have got its elements back and deletes some
static void forget(bench* b, int k) {
  int kept = 0;
  for (int i = 0; i < b->nkept; i++) {
    if (b->kept[i].home != k) {
      b->kept[kept++] = b->kept[i];
    }
  }
  b->nkept = kept;
}


// another specification in the place of one
static void replace(bench* b, int k, mjSpec* fresh) {
  mj_deleteSpec(b->spec[k]);
  b->spec[k] = fresh;
  forget(b, k);
}


static jmp_buf step_error;


static void jumpOut(const char* message) {
  (void)message;
  longjmp(step_error, 1);
}


// a step; the small arena may be full, which the library tells
static void useModel(mjModel* m) {
  mjData* d = mj_makeData(m);
  if (d) {
    mju_user_error = jumpOut;
    if (setjmp(step_error) == 0) {
      mj_step(m, d);
    }
    mju_user_error = NULL;
    mj_deleteData(d);
  }
}


static void compile(mjSpec* s, unsigned what) {
  mjModel* m = mj_compile(s, NULL);
  if (!m) {
    (void)strlen(mjs_getError(s));
    return;
  }
  if (what % 8 == 0) {
    useModel(m);
  }
  if (what % 4 == 1) {
    mjData* d = mj_makeData(m);
    if (d && mj_recompile(s, NULL, m, d) < 0) {
      return;  // both are gone
    }
    mj_deleteData(d);
  }
  mj_deleteModel(m);
}


// what programs do with pointers that they have
static void useKept(bench* b, unsigned which, unsigned what) {
  if (!b->nkept) {
    return;
  }
  const keptBody kept = b->kept[which % (unsigned)b->nkept];
  mjsBody* body = kept.body;
  body->pos[0] += 1;
  (void)strlen(nameOf(body->element));
  (void)mjs_getId(body->element);
  (void)mjs_getParent(body->element);
  (void)mjs_getSpec(body->element);
  (void)mjs_firstChild(body, mjOBJ_GEOM, 1);
  if (what & 1) {
    newName(b, body->element);
  }
  if (what & 2 && !isLarge(mjs_getSpec(body->element))) {
    mjs_addGeom(body, NULL)->size[0] = 0.1;
  }
}

//---------------------------------- entry ---------------------------------------------------------

static mjSpec* parse(unsigned which) {
  mjSpec* s = mj_parseXMLString(texts[which % TEXTS], NULL, NULL, 0);
  s->memory = ARENA_BYTES;
  s->compiler.usethread = 0;
  return s;
}


static void edit(bench* b, const uint8_t* code) {
  const int k = code[0] / 32 % SPECS;
  const unsigned which = code[1], what = code[2];
  mjSpec* s = b->spec[k];
  switch (code[0] % 16) {
    case 0:
    case 1:
    case 2:
      addToTree(b, s, which, what);
      break;
    case 3:
    case 4:
      addOutside(b, s, which, what);
      break;
    case 5:
    case 6:
    case 7:
      attach(b, k, which, what);
      break;
    case 8:
    case 9:
    case 10:
      if (what / 32 >= 4) {
        forget(b, k);
      }
      change(b, s, which, what);
      break;
    case 11:
      mjs_setDeepCopy(s, what & 1);
      break;
    case 12:
      replace(b, k, what & 1 ? mj_copySpec(s) : parse(which));
      break;
    case 13:
      useKept(b, which, what);
      break;
    default:
      compile(s, what);
      break;
  }
}


static void dropWarning(const char* text) {
  (void)text;
}


int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  bench b = {.nkept = 0};
  mju_user_warning = dropWarning;
  mju_user_malloc = takeBlock;
  mju_user_free = giveBlock;
  for (int k = 0; k < SPECS; k++) {
    b.spec[k] = parse((unsigned)k);
  }
  for (size_t i = 0; i + 3 <= size && i < 3 * EDITS_MAX; i += 3) {
    edit(&b, data + i);
  }
  for (int k = 0; k < SPECS; k++) {
    mj_deleteSpec(b.spec[size % 2 ? k : SPECS - 1 - k]);
  }
  requireUnused();
  return 0;
}
