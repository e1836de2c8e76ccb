// Calls that MuJoCo's Python bindings make without catching errors: what ends the process there
// ends the interpreter.  Each is made with arguments that are missing, empty or of another kind, in
// both libraries and in processes of their own: where the reference survives we survive, with an
// answer that is as empty as its.
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mujoco/mujoco.h>

#include "cf_reference.h"

// clang-format off
#define FUNCTIONS(X) \
  X(mj_parseXMLString) X(mj_deleteSpec) X(mj_makeSpec) X(mj_copySpec) X(mj_compile) X(mj_recompile) \
  X(mj_deleteModel) X(mj_makeData) X(mj_deleteData) X(mj_copyData) X(mj_saveXMLString) X(mj_saveXML) \
  X(mj_saveModel) X(mj_sizeModel) X(mj_stateSize) X(mj_isDual) X(mj_defaultOption) X(mj_defaultVFS) \
  X(mj_deleteVFS) X(mj_getCache) X(mj_clearCache) X(mj_getCacheSize) X(mj_getCacheCapacity) \
  X(mj_setCacheCapacity) X(mjr_defaultContext) X(mjr_freeContext) X(mjv_defaultCamera) \
  X(mjv_defaultFigure) X(mjv_defaultOption) X(mjv_defaultPerturb) X(mjv_defaultScene) \
  X(mjv_freeScene) X(mjv_initGeom) X(mju_malloc) X(mjs_activatePlugin) X(mjs_addDefault) \
  X(mjs_addFreeJoint) X(mjs_addBody) X(mjs_addPlugin) X(mjs_addMesh) X(mjs_addTendon) \
  X(mjs_addSensor) X(mjs_asBody) X(mjs_asCamera) X(mjs_asFrame) X(mjs_asGeom) X(mjs_asJoint) \
  X(mjs_asLight) X(mjs_asMesh) X(mjs_asSite) X(mjs_asTexture) X(mjs_attach) X(mjs_bodyToFrame) \
  X(mjs_delete) X(mjs_findBody) X(mjs_findChild) X(mjs_findDefault) X(mjs_findElement) \
  X(mjs_findFrame) X(mjs_firstChild) X(mjs_firstElement) X(mjs_getDefault) X(mjs_getError) \
  X(mjs_getFrame) X(mjs_getId) X(mjs_getParent) X(mjs_getPluginAttributes) X(mjs_getSpec) \
  X(mjs_getSpecDefault) X(mjs_getString) X(mjs_getWrap) X(mjs_getWrapCoef) X(mjs_getWrapDivisor) \
  X(mjs_getWrapNum) X(mjs_getWrapSideSite) X(mjs_getWrapTarget) X(mjs_isWarning) X(mjs_makeMesh) \
  X(mjs_nextChild) X(mjs_nextElement) X(mjs_resolveOrientation) X(mjs_sensorDim) \
  X(mjs_setDeepCopy) X(mjs_setDefault) X(mjs_setFrame) X(mjs_setName) X(mjs_setPluginAttributes) \
  X(mjs_setString) X(mjs_setToAdhesion) X(mjs_setToCylinder) X(mjs_setToDamper) \
  X(mjs_setToIntVelocity) X(mjs_setToMotor) X(mjs_setToMuscle) X(mjs_setToPosition) \
  X(mjs_setToVelocity) X(mjs_addActuator) X(mjs_wrapGeom) X(mjs_wrapJoint) X(mjs_wrapPulley) \
  X(mjs_wrapSite) X(mjs_addFrame) X(mjs_asTendon) X(mjs_asSensor)
// clang-format on

typedef struct {
#define X(name) __typeof__(&name) name;
  FUNCTIONS(X)
#undef X
} library;

// what a call works on: a small specification, its parts, a model that was compiled before
typedef struct {
  mjSpec *spec, *other;
  mjsBody *world, *body;
  mjsElement *joint, *geom, *site, *tendon, *sensor, *frame, *material;
  mjsActuator* actuator;
  mjsPlugin* plugin;
  mjsMesh* mesh;
  mjModel* model;
  mjData* data;
  mjrContext context;
  mjvScene scene;
  mjVFS vfs;
  char text[100], error[100];
  double number[10];
} bench;

static const char model_xml[] =
    "<mujoco><asset><material name='m'/></asset><worldbody><frame name='f'><body name='b'>"
    "<joint name='j'/><geom name='g' size='1'/><site name='s'/></body></frame></worldbody>"
    "<tendon><fixed name='t'><joint joint='j' coef='2'/></fixed></tendon>"
    "<sensor><jointpos name='q' joint='j'/></sensor></mujoco>";

static void prepare(const library* l, bench* b) {
  memset(b, 0, sizeof(*b));
  b->spec = l->mj_parseXMLString(model_xml, NULL, NULL, 0);
  b->other = l->mj_makeSpec();
  b->model = l->mj_compile(b->spec, NULL);
  b->data = l->mj_makeData(b->model);
  b->world = l->mjs_findBody(b->spec, "world");
  b->body = l->mjs_findBody(b->spec, "b");
  b->joint = l->mjs_firstElement(b->spec, mjOBJ_JOINT);
  b->geom = l->mjs_firstElement(b->spec, mjOBJ_GEOM);
  b->site = l->mjs_firstElement(b->spec, mjOBJ_SITE);
  b->tendon = l->mjs_firstElement(b->spec, mjOBJ_TENDON);
  b->sensor = l->mjs_firstElement(b->spec, mjOBJ_SENSOR);
  b->frame = l->mjs_firstElement(b->spec, mjOBJ_FRAME);
  b->material = l->mjs_firstElement(b->spec, mjOBJ_MATERIAL);
  b->actuator = l->mjs_addActuator(b->spec, NULL);
  b->plugin = l->mjs_addPlugin(b->spec);
  b->mesh = l->mjs_addMesh(b->spec, NULL);
}

//---------------------------------- calls ---------------------------------------------------------
// Each gives whether its answer is something or nothing; a call without an answer gives 1.

#define TENDON l->mjs_asTendon(b->tendon)
// clang-format off
#define CALLS(X) \
  X(l->mjs_getPluginAttributes(b->plugin) != NULL) X(l->mjs_getPluginAttributes(&b->body->plugin) != NULL) \
  X(l->mjs_getPluginAttributes(NULL) != NULL) X((l->mjs_setPluginAttributes(b->plugin, NULL), 1)) \
  X((l->mjs_setPluginAttributes(NULL, NULL), 1)) X(l->mjs_activatePlugin(b->spec, "no.such.plugin")) \
  X(l->mjs_activatePlugin(b->spec, "")) X(l->mjs_activatePlugin(NULL, "x")) \
  X((l->mjr_defaultContext(&b->context), 1)) X((l->mjr_defaultContext(NULL), 1)) \
  X((l->mjr_freeContext(&b->context), 1)) X((l->mjr_defaultContext(&b->context), l->mjr_freeContext(&b->context), 1)) \
  X((l->mjr_freeContext(NULL), 1)) X((l->mjv_defaultScene(&b->scene), l->mjv_freeScene(&b->scene), 1)) \
  X((l->mjv_freeScene(&b->scene), 1)) X((l->mjv_freeScene(NULL), 1)) X((l->mjv_defaultCamera(NULL), 1)) \
  X((l->mj_defaultVFS(&b->vfs), l->mj_deleteVFS(&b->vfs), 1)) X((l->mj_deleteVFS(&b->vfs), 1)) \
  X((l->mj_deleteVFS(NULL), 1)) X((l->mj_defaultVFS(NULL), 1)) X((l->mj_deleteSpec(NULL), 1)) \
  X((l->mj_deleteModel(NULL), 1)) X((l->mj_deleteData(NULL), 1)) X(l->mj_copyData(NULL, b->model, b->data) != NULL) \
  X(l->mj_makeData(NULL) != NULL) X(l->mj_copySpec(b->spec) != NULL) X(l->mj_copySpec(NULL) != NULL) \
  X(l->mj_compile(b->other, NULL) != NULL) X(l->mj_compile(NULL, NULL) != NULL) \
  X(l->mj_recompile(b->spec, NULL, NULL, NULL)) X(l->mj_recompile(b->other, NULL, b->model, NULL)) \
  X(l->mj_recompile(b->spec, NULL, b->model, b->data)) \
  X(l->mj_saveXMLString(b->other, b->text, 100, b->error, 100)) X(l->mj_saveXMLString(b->spec, b->text, 0, b->error, 100)) \
  X(l->mj_saveXMLString(b->spec, b->text, 100, NULL, 0)) X(l->mj_saveXMLString(b->spec, NULL, 0, NULL, 0)) \
  X(l->mj_saveXMLString(NULL, b->text, 100, b->error, 100)) X(l->mj_saveXML(b->other, "/dev/null", b->error, 100)) \
  X(l->mj_saveXML(b->spec, "/no/such/folder/x.xml", b->error, 100)) X(l->mj_saveXML(NULL, "/dev/null", b->error, 100)) \
  X(l->mj_saveXML(b->spec, "", NULL, 0)) X((l->mj_saveModel(b->model, "/no/such/folder/x.mjb", NULL, 0), 1)) \
  X((l->mj_saveModel(b->model, NULL, b->text, 3), 1)) X((l->mj_saveModel(b->model, NULL, NULL, 0), 1)) \
  X(l->mj_stateSize(b->model, 0)) X(l->mj_stateSize(b->model, -1)) X(l->mj_stateSize(b->model, 1 << 30)) \
  X(l->mj_isDual(b->model)) X(l->mj_getCache() != NULL) X((l->mj_clearCache(NULL), 1)) \
  X(l->mj_getCacheSize(NULL) != 0) X(l->mj_getCacheCapacity(NULL) != 0) X(l->mj_setCacheCapacity(NULL, 10) != 0) \
  X(l->mj_setCacheCapacity((mjCache*)l->mj_getCache(), 0) != 0) X((l->mj_clearCache((mjCache*)l->mj_getCache()), 1)) \
  X(l->mjs_addDefault(b->spec, "main", NULL) != NULL) X(l->mjs_addDefault(b->spec, "", NULL) != NULL) \
  X(l->mjs_addDefault(b->spec, "c", NULL) != NULL) X(l->mjs_addFreeJoint(b->world) != NULL) \
  X(l->mjs_addFreeJoint(b->body) != NULL) X(l->mjs_asBody(NULL) != NULL) X(l->mjs_asGeom(b->joint) != NULL) \
  X(l->mjs_asCamera(NULL) != NULL) X(l->mjs_asFrame(b->geom) != NULL) X(l->mjs_asJoint(NULL) != NULL) \
  X(l->mjs_asLight(b->geom) != NULL) X(l->mjs_asMesh(NULL) != NULL) X(l->mjs_asSite(b->geom) != NULL) \
  X(l->mjs_asTexture(b->geom) != NULL) X(l->mjs_attach(NULL, b->geom, "", "") != NULL) \
  X(l->mjs_attach(b->frame, NULL, "", "") != NULL) X(l->mjs_attach(b->geom, b->body->element, "", "") != NULL) \
  X(l->mjs_attach(b->frame, b->geom, "", "") != NULL) X(l->mjs_attach(b->frame, b->other->element, "p", NULL) != NULL) \
  X(l->mjs_attach(b->body->element, b->other->element, NULL, "") != NULL) \
  X(l->mjs_attach(b->frame, b->spec->element, "p", "") != NULL) X(l->mjs_attach(b->site, b->world->element, "p", "") != NULL) \
  X(l->mjs_bodyToFrame(&b->body) != NULL) X(l->mjs_bodyToFrame(NULL) != NULL) X(l->mjs_delete(b->spec, NULL)) \
  X(l->mjs_delete(b->other, b->geom)) X(l->mjs_delete(b->spec, b->world->element)) X(l->mjs_delete(b->spec, b->geom)) \
  X(l->mjs_delete(NULL, b->geom)) X(l->mjs_findBody(b->spec, "") != NULL) X(l->mjs_findBody(b->spec, "nobody") != NULL) \
  X(l->mjs_findChild(b->body, "nobody") != NULL) X(l->mjs_findDefault(b->spec, "none") != NULL) \
  X(l->mjs_findElement(b->spec, mjOBJ_GEOM, "none") != NULL) X(l->mjs_findElement(b->spec, mjOBJ_UNKNOWN, "g") != NULL) \
  X(l->mjs_findElement(b->spec, (mjtObj)1000, "g") != NULL) X(l->mjs_findElement(b->spec, mjOBJ_DOF, "g") != NULL) \
  X(l->mjs_findElement(b->spec, mjOBJ_FRAME, "f") != NULL) X(l->mjs_findElement(b->spec, mjOBJ_DEFAULT, "main") != NULL) \
  X(l->mjs_findFrame(b->spec, "none") != NULL) X(l->mjs_firstChild(b->body, mjOBJ_TENDON, 0) != NULL) \
  X(l->mjs_firstChild(b->body, mjOBJ_LIGHT, 1) != NULL) X(l->mjs_firstChild(b->body, mjOBJ_UNKNOWN, 1) != NULL) \
  X(l->mjs_firstChild(NULL, mjOBJ_GEOM, 1) != NULL) X(l->mjs_nextChild(b->body, b->tendon, 0) != NULL) \
  X(l->mjs_nextChild(b->body, b->geom, 1) != NULL) X(l->mjs_nextChild(b->world, b->geom, 0) != NULL) \
  X(l->mjs_nextChild(b->body, NULL, 0) != NULL) X(l->mjs_firstElement(b->spec, mjOBJ_UNKNOWN) != NULL) \
  X(l->mjs_firstElement(b->spec, (mjtObj)1000) != NULL) X(l->mjs_firstElement(b->spec, mjOBJ_DOF) != NULL) \
  X(l->mjs_nextElement(b->spec, NULL) != NULL) X(l->mjs_nextElement(b->other, b->geom) != NULL) \
  X(l->mjs_getDefault(NULL) != NULL) X(l->mjs_getDefault(b->material) != NULL) X(l->mjs_getDefault(b->sensor) != NULL) \
  X(l->mjs_getDefault(b->frame) != NULL) X(l->mjs_getDefault(b->spec->element) != NULL) X(l->mjs_getError(b->spec) != NULL) \
  X(l->mjs_getFrame(b->geom) != NULL) X(l->mjs_getFrame(b->material) != NULL) X(l->mjs_getFrame(NULL) != NULL) \
  X(l->mjs_getId(b->geom)) X(l->mjs_getId(NULL) == 0) X(l->mjs_getId(b->spec->element) == 0) \
  X(l->mjs_getParent(b->world->element) != NULL) X(l->mjs_getParent(b->material) != NULL) X(l->mjs_getParent(NULL) != NULL) \
  X(l->mjs_getParent(b->frame) != NULL) X(l->mjs_getSpec(b->geom) != NULL) X(l->mjs_getSpec(b->material) != NULL) \
  X(l->mjs_getSpec(b->spec->element) != NULL) X(l->mjs_getSpec(NULL) != NULL) X(l->mjs_getSpecDefault(b->other) != NULL) \
  X(l->mjs_getString(NULL) != NULL) X(l->mjs_getWrap(TENDON, 0) != NULL) X(l->mjs_getWrap(TENDON, 7) != NULL) \
  X(l->mjs_getWrap(TENDON, -1) != NULL) X(l->mjs_getWrapCoef(l->mjs_getWrap(TENDON, 0)) != 0) \
  X(l->mjs_getWrapDivisor(l->mjs_getWrap(TENDON, 0)) != 0) X(l->mjs_getWrapSideSite(l->mjs_getWrap(TENDON, 0)) != NULL) \
  X(l->mjs_getWrapTarget(l->mjs_wrapPulley(TENDON, 2)) != NULL) X(l->mjs_getWrapTarget(l->mjs_wrapSite(TENDON, "none")) != NULL) \
  X(l->mjs_getWrapTarget(l->mjs_getWrap(TENDON, 0)) != NULL) X(l->mjs_wrapGeom(TENDON, "none", "") != NULL) \
  X(l->mjs_wrapJoint(TENDON, "", 0) != NULL) X(l->mjs_getWrapNum(TENDON)) X(l->mjs_isWarning(b->spec)) \
  X(l->mjs_makeMesh(b->mesh, mjMESH_BUILTIN_SPHERE, NULL, 0)) X(l->mjs_makeMesh(b->mesh, mjMESH_BUILTIN_SPHERE, b->number, 1)) \
  X(l->mjs_makeMesh(b->mesh, (mjtMeshBuiltin)99, b->number, 1)) X(l->mjs_makeMesh(NULL, mjMESH_BUILTIN_SPHERE, b->number, 1)) \
  X(l->mjs_resolveOrientation(b->number, 1, "xyz", &b->body->alt) != NULL) \
  X(l->mjs_resolveOrientation(b->number, 1, "", (b->body->alt.type = mjORIENTATION_EULER, &b->body->alt)) != NULL) \
  X(l->mjs_resolveOrientation(b->number, 1, "abc", (b->body->alt.type = mjORIENTATION_EULER, &b->body->alt)) != NULL) \
  X(l->mjs_sensorDim(l->mjs_asSensor(b->sensor))) X(l->mjs_sensorDim(l->mjs_addSensor(b->spec))) \
  X(l->mjs_setDeepCopy(b->spec, 1)) X((l->mjs_setDefault(b->geom, l->mjs_getSpecDefault(b->other)), 1)) \
  X((l->mjs_setDefault(b->sensor, l->mjs_getSpecDefault(b->spec)), 1)) X((l->mjs_setDefault(b->geom, NULL), 1)) \
  X(l->mjs_setFrame(b->geom, l->mjs_asFrame(b->frame))) X(l->mjs_setFrame(b->material, l->mjs_asFrame(b->frame))) \
  X(l->mjs_setFrame(b->geom, NULL)) X(l->mjs_setFrame(NULL, l->mjs_asFrame(b->frame))) X(l->mjs_setFrame(b->frame, l->mjs_asFrame(b->frame))) \
  X(l->mjs_setName(b->geom, "")) X(l->mjs_setName(b->geom, "s")) X(l->mjs_setName(b->world->element, "x")) \
  X(l->mjs_setName(b->body->element, "world")) X((l->mjs_setString(b->spec->modelname, ""), 1)) \
  X(*l->mjs_setToAdhesion(b->actuator, -1)) X(*l->mjs_setToAdhesion(b->actuator, 1)) X(*l->mjs_setToCylinder(b->actuator, 0, 0, 0, -1)) \
  X(*l->mjs_setToDamper(b->actuator, -1)) X(*l->mjs_setToIntVelocity(b->actuator, 1, b->number, b->number, b->number, 1)) \
  X(*l->mjs_setToIntVelocity(b->actuator, 1, NULL, NULL, NULL, 0)) X(*l->mjs_setToMotor(b->actuator)) \
  X(*l->mjs_setToMuscle(b->actuator, b->number, -1, b->number, -1, -1, -1, -1, -1, -1, -1)) \
  X(*l->mjs_setToPosition(b->actuator, 1, b->number, b->number, b->number, 0)) X(*l->mjs_setToPosition(b->actuator, -1, NULL, NULL, NULL, 2)) \
  X(*l->mjs_setToVelocity(b->actuator, -1)) X(l->mju_malloc(0) != NULL)
// clang-format on

enum { PREPARED_BADLY = 40 };

// the call of that number in a process of its own: its answer, or -1 where the process ended
static int answerOf(const library* l, int which) {
  static bench made;
  bench* b = &made;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    freopen("/dev/null", "w", stdout);
    freopen("/dev/null", "w", stderr);
    int answer = PREPARED_BADLY, count = 0;
    prepare(l, b);
#define X(call)              \
  if (which == count++) {    \
    answer = (call) ? 1 : 0; \
  }
    CALLS(X)
#undef X
    _exit(answer);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) <= 1 ? WEXITSTATUS(status) : -1;
}


// answers that differ on purpose: what cannot be written, deleted or nested is told, the world has
// no parent (there a pointer to nothing), classes are found as well
static bool isOnPurpose(const char* call) {
  static const char* const known[] = {
      "mj_saveXML(b->spec, \"/no",    "mj_saveXML(b->spec, \"\"",
      "mjs_delete(b->spec, b->world", "mjs_findElement(b->spec, mjOBJ_DEFAULT",
      "mjs_getParent(b->world",       "mjs_setFrame(b->frame, l->mjs_asFrame(b->frame))"};
  for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
    if (strstr(call, known[k])) {
      return true;
    }
  }
  return false;
}


int main(void) {
  if (!cf_referenceOpen()) {
    return cf_skipCode();
  }
  static const char* const text[] = {
#define X(call) #call,
      CALLS(X)
#undef X
  };
  static const library ours = {
#define X(name) name,
      FUNCTIONS(X)
#undef X
  };
  library theirs;
#define X(fn) theirs.fn = CF_REF(fn);
  FUNCTIONS(X)
#undef X
  const int count = sizeof(text) / sizeof(text[0]);
  int nfailed = 0, nended = 0;
  for (int i = 0; i < count; i++) {
    const int there = answerOf(&theirs, i), here = there < 0 ? -1 : answerOf(&ours, i);
    nended += there < 0;
    if (there >= 0 && here != there && !(here >= 0 && isOnPurpose(text[i]))) {
      printf("%s: %d here, %d there\n", text[i], here, there);
      nfailed++;
    }
  }
  printf("%d calls, the reference ends in %d of them; %d failed\n", count, nended, nfailed);
  return nfailed > 0 || nended > count / 2;
}
