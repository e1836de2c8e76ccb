// Specifications edited at random, in both libraries by the same calls: what is compiled in between
// has to be equal, and what one refuses the other has to refuse.
//
//   specedit [SCRIPTS [FIRST [-v]]]   scripts with seeds FIRST, FIRST + 1, …; -v prints the calls
#include <stdbool.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_compare.h"
#include "cf_reference.h"

//---------------------------------- two libraries -------------------------------------------------

// clang-format off
#define FUNCTIONS(X) \
  X(mj_makeSpec) X(mj_parseXMLString) X(mj_copySpec) X(mj_deleteSpec) X(mj_compile) \
  X(mj_deleteModel) X(mjs_attach) X(mjs_delete) X(mjs_addBody) X(mjs_addGeom) X(mjs_addSite) \
  X(mjs_addJoint) X(mjs_addFreeJoint) X(mjs_addCamera) X(mjs_addLight) X(mjs_addFrame) \
  X(mjs_addActuator) X(mjs_addSensor) X(mjs_addTendon) X(mjs_addEquality) X(mjs_addExclude) \
  X(mjs_addPair) X(mjs_addMaterial) X(mjs_addNumeric) X(mjs_addText) X(mjs_addTuple) \
  X(mjs_addKey) X(mjs_addDefault) X(mjs_wrapJoint) X(mjs_wrapSite) X(mjs_wrapGeom) \
  X(mjs_firstElement) X(mjs_nextElement) X(mjs_findBody) X(mjs_getSpecDefault) X(mjs_getName) \
  X(mjs_getString) X(mjs_setString) X(mjs_setDouble) X(mjs_setName) X(mjs_setFrame) \
  X(mjs_setDefault) X(mjs_getDefault) X(mjs_findDefault) X(mjs_bodyToFrame) X(mjs_setDeepCopy) \
  X(mjs_getError) X(mjs_asBody) X(mjs_asFrame) X(mjs_asSite) X(mjs_asJoint) X(mjs_asGeom) \
  X(mjs_setToPosition) X(mjs_getParent) X(mjs_appendString) X(mjs_getWrapNum) \
  X(mjs_getWrap) X(mjs_firstChild) X(mjs_nextChild) X(mjs_asTendon) X(mjs_asMaterial) \
  X(mjs_asActuator) X(mjs_asSensor) X(mjs_asCamera)
// clang-format on

typedef struct {
#define X(name) __typeof__(&name) name;
  FUNCTIONS(X)
#undef X
} library;

static library lib[2];

static void openLibraries(void) {
#define X(fn)     \
  lib[0].fn = fn; \
  lib[1].fn = CF_REF(fn);
  FUNCTIONS(X)
#undef X
}

// scripts run in processes of their own: what the reference does not survive is counted, not judged
typedef struct {
  int turn;  // library that is being called
  int ncompared, nrefused, ngiven_up;
} sharedState;

static sharedState* shared;

static int turn(int k) {
  shared->turn = k;
  return k;
}

//---------------------------------- chance --------------------------------------------------------

static uint64_t dice;
static bool is_talking;
static char history[20000];

static unsigned roll(unsigned n) {
  dice ^= dice >> 12;
  dice ^= dice << 25;
  dice ^= dice >> 27;
  return (unsigned)((dice * 0x2545F4914F6CDD1Du >> 33) % n);
}


static double number(void) {
  return ((int)roll(201) - 100) / 50.0;
}


static void say(const char* format, ...) {
  va_list args;
  const size_t used = strlen(history);
  va_start(args, format);
  if (used + 200 < sizeof(history)) {
    vsnprintf(history + used, 200, format, args);
  }
  va_end(args);
  if (is_talking) {
    fputs(history + used, stdout);
    fflush(stdout);
  }
}

//---------------------------------- a specification in both libraries -----------------------------

// s[0] ours, s[1] theirs; every handle is such a pair
typedef struct {
  mjSpec* s[2];
} twinSpec;

typedef struct {
  mjsElement* e[2];
} twinElement;

static bool has_failed;

static void differ(const char* what) {
  has_failed = true;
  printf("%s\n", what);
}


static twinElement noElement(void) {
  return (twinElement){{NULL, NULL}};
}


static const char* nameOf(twinElement t) {
  return t.e[0] ? lib[0].mjs_getString(lib[0].mjs_getName(t.e[0])) : "";
}


static int countOf(const twinSpec* spec, mjtObj type) {
  int count[2] = {0, 0};
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    for (mjsElement* e = lib[k].mjs_firstElement(spec->s[k], type); e;
         e = lib[k].mjs_nextElement(spec->s[k], e)) {
      count[k]++;
    }
  }
  if (count[0] != count[1]) {
    char text[100];
    snprintf(text, sizeof(text), "%d and %d elements of type %d", count[0], count[1], type);
    differ(text);
  }
  return count[0] < count[1] ? count[0] : count[1];
}


// an element of a type by chance
static twinElement pick(const twinSpec* spec, mjtObj type) {
  const int count = countOf(spec, type);
  if (!count) {
    return noElement();
  }
  twinElement t;
  const unsigned place = roll((unsigned)count);
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    t.e[k] = lib[k].mjs_firstElement(spec->s[k], type);
    for (unsigned i = 0; i < place; i++) {
      t.e[k] = lib[k].mjs_nextElement(spec->s[k], t.e[k]);
    }
  }
  const char* other = lib[1].mjs_getString(lib[1].mjs_getName(t.e[1]));
  if (strcmp(nameOf(t), other)) {
    differ("names differ");
    printf("  type %d, place %u: '%s' and '%s'\n", type, place, nameOf(t), other);
  }
  return t;
}


// keyframes of a model that was compiled, got something attached and loses a body: MuJoCo 3.5.0 has
// forgotten their size by then
static bool isKnownDefect(const twinSpec* spec) {
  return strstr(lib[1].mjs_getError(spec->s[1]), "should be 0") != NULL;
}


static void checkBoth(const twinSpec* spec, const char* what, const void* ours,
                      const void* theirs) {
  if (ours && !theirs && isKnownDefect(spec)) {
    shared->ngiven_up++;
    exit(0);
  }
  if (!ours != !theirs) {
    differ(what);
    printf("  %s here, %s there\n", ours ? "accepted" : "refused", theirs ? "accepted" : "refused");
  }
}

// what both say, where they do not agree
static void showErrors(const twinSpec* spec) {
  if (has_failed) {
    printf("  here: %s\n  there: %s\n", lib[0].mjs_getError(spec->s[0]),
           lib[1].mjs_getError(spec->s[1]));
  }
}

//---------------------------------- models to start from ------------------------------------------

static const char* const models[] = {
    "<mujoco model='one'><default><geom size='.1'/><default class='big'><geom size='.2' rgba='1 0 0 1'/>"
    "<joint damping='.3'/></default></default><worldbody><geom name='floor' type='plane' size='1 1 1'/>"
    "<body name='a' childclass='big' pos='0 0 1'><freejoint name='free'/><geom name='ga'/><site name='sa'/>"
    "<frame name='fa' pos='.1 0 0' euler='0 30 0'><body name='b'><joint name='jb'/><geom name='gb'/>"
    "</body></frame></body></worldbody><actuator><motor name='mb' joint='jb'/></actuator></mujoco>",
    "<mujoco model='two'><compiler angle='radian'/><size nkey='2'/><asset><material name='mat' rgba='0 1 0 1'/>"
    "<mesh name='mesh' vertex='0 0 0 1 0 0 0 1 0 0 0 1'/></asset>"
    "<worldbody><frame name='fw' pos='0 1 0'><geom name='gw' size='.1' material='mat'/>"
    "<body name='c' euler='.2 0 0'><joint name='jc' range='0 1'/><geom name='gc' type='box' size='.1 .2 .3'/>"
    "<body name='d'><joint name='jd' type='slide' axis='1 0 0'/><geom name='gd' size='.1'/><site name='sd'/>"
    "</body></body></frame><body name='e'><geom size='.3'/><geom type='mesh' mesh='mesh'/><body pos='.1 .2 .3' quat='1 1 0 0'><inertial pos='.1 0 0' mass='2' diaginertia='1 2 2.5'/></body></body></worldbody>"
    "<tendon><fixed name='tf'><joint joint='jc' coef='1'/><joint joint='jd' coef='2'/></fixed></tendon>"
    "<sensor><jointpos name='pos' joint='jc'/><framepos objtype='site' objname='sd'/></sensor>"
    "<contact><exclude body1='c' body2='e'/></contact><equality><weld name='w' body1='d' body2='e'/></equality>"
    "<keyframe><key name='home' qpos='.5 .25'/></keyframe></mujoco>",
    "<mujoco model='three'><worldbody><body name='m' mocap='true' pos='1 2 3'><geom size='.1'/></body>"
    "<body name='n'><joint name='jn' type='ball'/><geom name='gn' type='cylinder' size='.1 .2'/>"
    "<site name='s1' pos='.3 0 0'/><inertial pos='0 0 .1' mass='2' diaginertia='1 2 2.5'/></body>"
    "<body name='o' pos='1 0 0'><joint name='jo'/><geom size='.1'/><site name='s2'/><camera name='cam'/>"
    "<light name='light' mode='targetbody' target='n'/></body></worldbody>"
    "<tendon><spatial name='ts'><site site='s1'/><geom geom='gn'/><site site='s2'/></spatial></tendon>"
    "<actuator><position name='pt' tendon='ts' kp='3'/><velocity name='vo' joint='jo'/></actuator>"
    "<custom><numeric name='num' data='1 2'/><text name='txt' data='x'/>"
    "<tuple name='tup'><element objtype='body' objname='n'/></tuple></custom>"
    "<keyframe><key name='k' qpos='1 0 0 0 .3' ctrl='.1 .2' mpos='4 5 6'/><key name='l' time='2'/></keyframe>"
    "</mujoco>",
};
enum { NMODEL = sizeof(models) / sizeof(models[0]) };


static twinSpec parseModel(unsigned which) {
  twinSpec spec;
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    char error[1000] = "";
    spec.s[k] = lib[k].mj_parseXMLString(models[which], NULL, error, sizeof(error));
    if (!spec.s[k]) {
      printf("model %u in library %d: %s\n", which, k, error);
      exit(1);
    }
  }
  return spec;
}


static void deleteTwin(twinSpec spec) {
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    lib[k].mj_deleteSpec(spec.s[k]);
  }
}

//---------------------------------- compilation ---------------------------------------------------


// MuJoCo 3.5.0 forgets to clear one array when it compiles again: inner nodes of a tree then carry
// the geom that an earlier leaf had
static void clearInnerNodes(mjModel* m) {
  for (int i = 0; i < m->nbvhstatic; i++) {
    if (m->bvh_child[2 * i] >= 0 || m->bvh_child[2 * i + 1] >= 0) {
      m->bvh_nodeid[i] = -1;
    }
  }
}


// both refuse or both give equal models
static bool compileTwin(const twinSpec* spec) {
  mjModel* m[2];
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    m[k] = lib[k].mj_compile(spec->s[k], NULL);
  }
  say("compile: %s\n", m[1] ? "ok" : lib[1].mjs_getError(spec->s[1]));
  checkBoth(spec, "compilation", m[0], m[1]);
  showErrors(spec);
  if (m[0] && m[1]) {
    shared->ncompared++;
    clearInnerNodes(m[1]);
    if (cf_differingModels(m[0], m[1], 1e-10)) {
      differ("models differ");
    }
    if (m[0]->signature != spec->s[0]->element->signature) {
      differ("signature of the model is not that of its specification");
    }
  } else {
    shared->nrefused++;
  }
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    lib[k].mj_deleteModel(m[k]);
  }
  return m[0] && m[1];
}

//---------------------------------- edits ---------------------------------------------------------

static int serial;

static void giveName(twinElement t) {
  char name[40];
  snprintf(name, sizeof(name), "x%d", serial++);
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    lib[k].mjs_setName(t.e[k], name);
  }
}


// a class of the specification, or none
static const mjsDefault* classBy(int k, const twinSpec* spec, unsigned chance) {
  return chance % 3 == 0 ? lib[k].mjs_getSpecDefault(spec->s[k]) : NULL;
}


static twinElement addOnBody(const twinSpec* spec) {
  twinElement body = pick(spec, mjOBJ_BODY), made = noElement();
  const unsigned kind = roll(8), chance = roll(6);
  const double p[3] = {number(), number(), number()};
  say("add %u to body '%s'\n", kind, nameOf(body));
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    mjsBody* b = lib[k].mjs_asBody(body.e[k]);
    const mjsDefault* def = classBy(k, spec, chance);
    if (kind == 0 || kind == 7) {
      mjsBody* child = lib[k].mjs_addBody(b, def);
      memcpy(child->pos, p, sizeof(p));
      made.e[k] = child->element;
    } else if (kind == 1 || kind == 6) {
      mjsGeom* geom = lib[k].mjs_addGeom(b, def);
      geom->size[0] = geom->size[1] = geom->size[2] = .1 + .05 * chance;
      geom->type = chance % 2 ? mjGEOM_BOX : mjGEOM_SPHERE;
      memcpy(geom->pos, p, sizeof(p));
      made.e[k] = geom->element;
    } else if (kind == 2) {
      mjsJoint* joint = chance == 5 ? lib[k].mjs_addFreeJoint(b) : lib[k].mjs_addJoint(b, def);
      if (chance < 5) {
        joint->type = chance == 4 ? mjJNT_BALL : chance == 3 ? mjJNT_SLIDE : mjJNT_HINGE;
        joint->axis[0] = 1;
      }
      joint->armature = 0.5;  // several joints on a body leave the inertia regular
      made.e[k] = joint->element;
    } else if (kind == 3) {
      mjsSite* site = lib[k].mjs_addSite(b, def);
      memcpy(site->pos, p, sizeof(p));
      made.e[k] = site->element;
    } else if (kind == 4) {
      mjsFrame* frame = lib[k].mjs_addFrame(b, NULL);
      memcpy(frame->pos, p, sizeof(p));
      made.e[k] = frame->element;
    } else {
      made.e[k] =
          chance % 2 ? lib[k].mjs_addCamera(b, def)->element : lib[k].mjs_addLight(b, def)->element;
    }
  }
  if (chance != 1) {
    giveName(made);
  }
  return made;
}


static void addReferring(const twinSpec* spec) {
  const unsigned kind = roll(7);
  const mjtObj target_type = kind == 1 || kind == 4 ? mjOBJ_BODY
                             : kind == 5            ? mjOBJ_GEOM
                                                    : mjOBJ_JOINT;
  twinElement target = pick(spec, target_type), second = pick(spec, target_type),
              made = noElement();
  // actuators that came after the last compilation read beyond keyframes in MuJoCo 3.5.0
  const bool is_actuator = kind == 0 || kind == 6;
  if (is_actuator && countOf(spec, mjOBJ_KEY)) {
    return;
  }
  if (!target.e[0] || !*nameOf(target) || !*nameOf(second)) {
    return;
  }
  say("add referring %u to '%s', '%s'\n", kind, nameOf(target), nameOf(second));
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    mjSpec* s = spec->s[k];
    if (is_actuator) {
      mjsActuator* actuator = lib[k].mjs_addActuator(s, NULL);
      actuator->trntype = mjTRN_JOINT;
      lib[k].mjs_setString(actuator->target, nameOf(target));
      made.e[k] = actuator->element;
    } else if (kind == 1) {
      mjsExclude* exclude = lib[k].mjs_addExclude(s);
      lib[k].mjs_setString(exclude->bodyname1, nameOf(target));
      lib[k].mjs_setString(exclude->bodyname2, nameOf(second));
      made.e[k] = exclude->element;
    } else if (kind == 2) {
      mjsTendon* tendon = lib[k].mjs_addTendon(s, NULL);
      lib[k].mjs_wrapJoint(tendon, nameOf(target), 2);
      made.e[k] = tendon->element;
    } else if (kind == 3) {
      mjsSensor* sensor = lib[k].mjs_addSensor(s);
      sensor->type = mjSENS_JOINTVEL;
      sensor->objtype = mjOBJ_JOINT;
      lib[k].mjs_setString(sensor->objname, nameOf(target));
      made.e[k] = sensor->element;
    } else if (kind == 4) {
      mjsEquality* equality = lib[k].mjs_addEquality(s, NULL);
      equality->type = mjEQ_CONNECT;
      equality->objtype = mjOBJ_BODY;
      lib[k].mjs_setString(equality->name1, nameOf(target));
      made.e[k] = equality->element;
    } else {
      mjsPair* pair = lib[k].mjs_addPair(s, NULL);
      lib[k].mjs_setString(pair->geomname1, nameOf(target));
      lib[k].mjs_setString(pair->geomname2, nameOf(second));
      made.e[k] = pair->element;
    }
  }
  giveName(made);
}


static void deleteOne(const twinSpec* spec) {
  static const mjtObj types[] = {mjOBJ_BODY,    mjOBJ_JOINT,   mjOBJ_GEOM,     mjOBJ_SITE,
                                 mjOBJ_FRAME,   mjOBJ_SENSOR,  mjOBJ_ACTUATOR, mjOBJ_TENDON,
                                 mjOBJ_CAMERA,  mjOBJ_EXCLUDE, mjOBJ_KEY,      mjOBJ_MATERIAL,
                                 mjOBJ_NUMERIC, mjOBJ_BODY};
  const mjtObj type = types[roll(sizeof(types) / sizeof(types[0]))];
  twinElement t = pick(spec, type);
  if (!t.e[0] || (type == mjOBJ_BODY && !strcmp(nameOf(t), "world")) || type == mjOBJ_FRAME) {
    return;
  }
  // MuJoCo 3.5.0 keeps the tree of boxes of a body that has lost its last geom
  if (type == mjOBJ_GEOM) {
    mjsBody* body = lib[0].mjs_getParent(t.e[0]);
    mjsElement* geom = lib[0].mjs_firstChild(body, mjOBJ_GEOM, 0);
    if (!lib[0].mjs_nextChild(body, geom, 0)) {
      return;
    }
  }
  say("delete %d '%s'\n", type, nameOf(t));
  int answer[2];
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    answer[k] = lib[k].mjs_delete(spec->s[k], t.e[k]);
  }
  checkBoth(spec, "delete", answer[0] ? NULL : spec, answer[1] ? NULL : spec);
  showErrors(spec);
  if (answer[0]) {
    // keyframes wait twice after a deletion that MuJoCo 3.5.0 has refused
    shared->ngiven_up++;
    exit(0);
  }
}


static void renameOne(const twinSpec* spec) {
  static const mjtObj types[] = {mjOBJ_BODY, mjOBJ_JOINT, mjOBJ_GEOM, mjOBJ_SITE, mjOBJ_ACTUATOR};
  twinElement t = pick(spec, types[roll(5)]);
  if (t.e[0] && strcmp(nameOf(t), "world")) {
    say("rename '%s'\n", nameOf(t));
    giveName(t);
  }
}


static void moveIntoFrame(const twinSpec* spec) {
  static const mjtObj types[] = {mjOBJ_BODY, mjOBJ_JOINT, mjOBJ_GEOM, mjOBJ_SITE};
  twinElement t = pick(spec, types[roll(4)]), frame = pick(spec, mjOBJ_FRAME);
  if (!t.e[0] || !frame.e[0] || !strcmp(nameOf(t), "world") ||
      lib[1].mjs_getParent(t.e[1]) != lib[1].mjs_getParent(frame.e[1])) {
    return;
  }
  say("put '%s' into frame '%s'\n", nameOf(t), nameOf(frame));
  int answer[2];
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    answer[k] = lib[k].mjs_setFrame(t.e[k], lib[k].mjs_asFrame(frame.e[k]));
  }
  checkBoth(spec, "setFrame", answer[0] ? NULL : spec, answer[1] ? NULL : spec);
}


// frames that were compiled once keep their place in MuJoCo 3.5.0, whatever they are moved into;
// and what refers to the body finds another one
static void dissolveBody(const twinSpec* spec) {
  twinElement t = pick(spec, mjOBJ_BODY);
  mjsBody* body = lib[0].mjs_asBody(t.e[0]);
  if (*nameOf(t) || lib[0].mjs_firstChild(body, mjOBJ_FRAME, 0)) {
    return;
  }
  say("body '%s' to frame\n", nameOf(t));
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    body = lib[k].mjs_asBody(t.e[k]);
    lib[k].mjs_bodyToFrame(&body);
  }
}


static void changeNumbers(const twinSpec* spec) {
  twinElement t = pick(spec, roll(2) ? mjOBJ_BODY : mjOBJ_GEOM);
  const double x = number();
  if (!t.e[0] || !strcmp(nameOf(t), "world")) {
    return;
  }
  say("move '%s' to %g\n", nameOf(t), x);
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    mjsBody* body = lib[k].mjs_asBody(t.e[k]);
    mjsGeom* geom = lib[k].mjs_asGeom(t.e[k]);
    (body ? body->pos : geom->pos)[0] = x;
  }
}


// one number of an element that its model shows; a geom that was compiled keeps the size of its
// mesh in MuJoCo 3.5.0
static void editAny(int k, mjsElement* e, float x) {
  mjsBody* body = lib[k].mjs_asBody(e);
  mjsGeom* geom = lib[k].mjs_asGeom(e);
  mjsJoint* joint = lib[k].mjs_asJoint(e);
  mjsSite* site = lib[k].mjs_asSite(e);
  mjsTendon* tendon = lib[k].mjs_asTendon(e);
  mjsMaterial* material = lib[k].mjs_asMaterial(e);
  mjsActuator* actuator = lib[k].mjs_asActuator(e);
  mjsSensor* sensor = lib[k].mjs_asSensor(e);
  mjsCamera* camera = lib[k].mjs_asCamera(e);
  double unused = 0;
  *(body       ? &body->pos[1]
    : geom     ? &geom->pos[1]
    : joint    ? &joint->armature
    : site     ? &site->pos[1]
    : tendon   ? &tendon->armature
    : actuator ? &actuator->gear[0]
    : sensor   ? &sensor->noise
    : camera   ? &camera->pos[1]
               : &unused) = x;
  if (material) {
    material->shininess = x;
  }
}


static void addKeyframe(const twinSpec* spec) {
  say("add keyframe\n");
  twinElement made;
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    mjsKey* key = lib[k].mjs_addKey(spec->s[k]);
    key->time = serial;
    made.e[k] = key->element;
  }
  giveName(made);
}


// what was attached by reference is edited through the lists of the child
static void editThroughChild(const twinSpec* child) {
  static const mjtObj types[] = {mjOBJ_BODY,     mjOBJ_JOINT,    mjOBJ_GEOM,
                                 mjOBJ_SITE,     mjOBJ_MATERIAL, mjOBJ_TENDON,
                                 mjOBJ_ACTUATOR, mjOBJ_SENSOR,   mjOBJ_CAMERA};
  for (unsigned i = 0; i < 4; i++) {
    twinElement t = pick(child, types[roll(sizeof(types) / sizeof(types[0]))]);
    const float x = (float)(1 + roll(50)) / 50;
    if (!t.e[0] || !strcmp(nameOf(t), "world")) {
      continue;
    }
    say("edit '%s' of the child\n", nameOf(t));
    for (int k = turn(0); k < 2; k = turn(k + 1)) {
      editAny(k, t.e[k], x);
    }
  }
}


// attach part of a new model to a frame, site or body; the child lives as long as the script
static void attachSome(const twinSpec* spec, twinSpec* children, int* nchild) {
  enum { MAX_CHILD = 8 };
  if (*nchild == MAX_CHILD) {
    return;
  }
  twinSpec child = parseModel(roll(NMODEL));
  children[(*nchild)++] = child;
  const bool is_copy = roll(3) == 0, is_compiled = roll(3) == 0;
  const unsigned what = roll(3), where = roll(3);
  twinElement parent = pick(spec, where == 0 ? mjOBJ_SITE : where == 1 ? mjOBJ_BODY : mjOBJ_FRAME);
  twinElement part = what == 0   ? pick(&child, mjOBJ_BODY)
                     : what == 1 ? pick(&child, mjOBJ_FRAME)
                                 : noElement();
  if (!parent.e[0] || (what == 0 && !strcmp(nameOf(part), "world"))) {
    return;
  }
  char prefix[20];
  snprintf(prefix, sizeof(prefix), "p%d_", serial++);
  if (!part.e[0]) {
    part = (twinElement){{child.s[0]->element, child.s[1]->element}};
  }
  say("attach kind %u '%s' to '%s', prefix %s%s%s\n", what,
      part.e[0]->elemtype == mjOBJ_MODEL ? "model" : nameOf(part), nameOf(parent), prefix,
      is_copy ? ", copied" : "", is_compiled ? ", compiled before" : "");
  if (is_compiled && what == 0) {
    compileTwin(&child);
  }
  mjsElement* result[2];
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    lib[k].mjs_setDeepCopy(spec->s[k], is_copy);
    result[k] = lib[k].mjs_attach(parent.e[k], part.e[k], prefix, "");
    lib[k].mjs_setDeepCopy(spec->s[k], 0);
  }
  checkBoth(spec, "attach", result[0], result[1]);
  showErrors(spec);
  if (!has_failed &&
      (result[0] && !is_copy && (result[0] == part.e[0]) != (result[1] == part.e[1]))) {
    differ("identity of the attached element");
  }

  if (result[0] && result[1] && !is_copy && what != 1) {
    editThroughChild(&child);
  }

  // what is added to an attached body is part of the model
  if (result[0] && result[1] && what == 0 && roll(2)) {
    for (int k = turn(0); k < 2; k = turn(k + 1)) {
      lib[k].mjs_addGeom(lib[k].mjs_asBody(result[k]), NULL)->size[0] = .07;
    }
  }
}


static void copyTwin(twinSpec* spec) {
  say("copy\n");
  for (int k = turn(0); k < 2; k = turn(k + 1)) {
    mjSpec* copy = lib[k].mj_copySpec(spec->s[k]);
    lib[k].mj_deleteSpec(spec->s[k]);
    spec->s[k] = copy;
  }
}

//---------------------------------- scripts -------------------------------------------------------

static void editOnce(twinSpec* spec, twinSpec* children, int* nchild) {
  switch (roll(20)) {
    case 0:
    case 1:
    case 2:
    case 3:
      attachSome(spec, children, nchild);
      break;
    case 4:
    case 5:
      deleteOne(spec);
      break;
    case 6:
      renameOne(spec);
      break;
    case 7:
    case 8:
      moveIntoFrame(spec);
      break;
    case 9:
      dissolveBody(spec);
      break;
    case 11:
      addKeyframe(spec);
      break;
    case 12:
    case 13:
      changeNumbers(spec);
      break;
    case 14:
    case 15:
      addReferring(spec);
      break;
    default:
      addOnBody(spec);
      break;
  }
}


// of a specification that was compiled: does it have the structure of that model still?
static void compareSignatures(const twinSpec* spec) {
  const uint64_t ours = spec->s[0]->element->signature, theirs = spec->s[1]->element->signature;
  if (ours != theirs) {
    say("signature %llu, expected %llu\n", (unsigned long long)ours, (unsigned long long)theirs);
    differ("signatures differ");
  }
}


static bool runScript(uint64_t seed) {
  twinSpec children[8], spec;
  int nchild = 0;
  bool was_compiled = false;
  dice = seed * 0x9E3779B97F4A7C15u + 1;
  serial = 0;
  has_failed = false;
  history[0] = 0;
  const unsigned start = roll(NMODEL + 1);
  if (start < NMODEL) {
    spec = parseModel(start);
  } else {
    spec = (twinSpec){{lib[0].mj_makeSpec(), lib[1].mj_makeSpec()}};
  }
  say("start %u\n", start);
  const int nedit = 3 + (int)roll(12);
  for (int i = 0; i < nedit && !has_failed; i++) {
    editOnce(&spec, children, &nchild);
    if (!has_failed && was_compiled) {
      compareSignatures(&spec);
    }
    if (!has_failed && (roll(4) == 0 || i == nedit - 1)) {
      if (!compileTwin(&spec)) {
        break;
      }
      was_compiled = true;
      // keyframes that wait for a compilation are doubled by copies in MuJoCo 3.5.0
      // and a copy has to be compiled before it knows where the values of keyframes belong
      if (roll(5) == 0) {
        copyTwin(&spec);
        compileTwin(&spec);
      }
    }
  }
  if (!has_failed) {
    deleteTwin(spec);
    for (int i = 0; i < nchild; i++) {
      deleteTwin(children[i]);
    }
  } else {
    printf("script %llu:\n%s", (unsigned long long)seed, history);
  }
  return !has_failed;
}


static void quiet(const char* message) {
  (void)message;
}


// 0: agreed, 1: differed or we did not survive, 2: the reference did not survive
static int runApart(uint64_t seed) {
  int status = 0;
  fflush(stdout);
  shared->turn = 0;
  const pid_t child = fork();
  if (child == 0) {
    const bool is_ok = runScript(seed);
    fflush(stdout);
    _exit(!is_ok);
  }
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) {
    return WEXITSTATUS(status) != 0;
  }
  if (shared->turn != 1) {
    printf("script %llu ended by signal %d\n", (unsigned long long)seed, WTERMSIG(status));
  }
  return shared->turn == 1 ? 2 : 1;
}


int main(int argc, char** argv) {
  const int nscript = argc > 1 ? atoi(argv[1]) : 400;
  const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
  is_talking = argc > 3;
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  openLibraries();
  mju_user_warning = quiet;
  *(void (**)(const char*))cf_referenceSymbol("mju_user_warning") = quiet;
  shared = (sharedState*)mmap(NULL, sizeof(sharedState), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int nfailed = 0, nlost = 0;
  for (int i = 0; i < nscript && nfailed < 5; i++) {
    const int verdict = runApart(first + (uint64_t)i);
    nfailed += verdict == 1;
    nlost += verdict == 2;
  }
  printf(
      "%d scripts, %d models compared, %d refused by both; the reference ended %d, gave up %d; %d failed\n",
      nscript, shared->ncompared, shared->nrefused, nlost, shared->ngiven_up, nfailed);
  return nfailed != 0;
}
