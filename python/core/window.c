// A viewer's window for Python: the viewer of the command line over a copy of a program's model and
// data, which `sync` brings up to date in both directions.
#include <stdio.h>
#include <stdlib.h>

#include "core.h"
#include "base/platform.h"

#include "cli.h"
#include "view/glfwwindow.h"

void (*_mjPRIVATE__get_tls_warning_fn(void))(const char*);
void _mjPRIVATE__set_tls_warning_fn(void (*handler)(const char*));

enum { KEYS = 64, KIND_FIGURE = 0, KIND_TEXT, KIND_IMAGE, KINDS };

// something that is drawn over the scene
typedef struct {
  int kind;
  mjrRect rect;
  mjvFigure* figure;
  int font, place;
  char *left, *right;
  unsigned char* pixels;
} Overlay;

typedef struct {
  PyObject_HEAD cliView* v;
  viewWindow* w;
  PyObject *model, *data, *camera, *option, *pert, *scene;
  mjModel* m;
  mjData* d;
  mjModel* mirror;  // the copy that is shown; another one after a file was loaded
  mjtNum* before;   // its state when both were equal
  mjtNum* theirs;   // room for the state of the program
  mjOption opt;     // and options of the mirror then
  mjVisual vis;
  mjStatistic stat;
  int pulled;  // body that the hand pulled at the last sync, 0 for none
  int nkey, key[KEYS];
  int noverlay[KINDS];
  Overlay* overlay[KINDS];
  int upload[3][32];  // height fields, meshes, textures that changed
  int nupload[3];
} Window;

static _Thread_local mjModel* offered;      // model for the next cli_open
static _Thread_local const Window* active;  // window whose frame runs in this thread


//---------------------------------- what the viewer needs of its owner ----------------------------

mjModel* cli_open(const char* path, char* error, int size, cliExit* code) {
  mjModel* m = offered;
  char text[1000] = "";
  error[0] = '\0';
  offered = NULL;
  if (!m && active && active->v->sim.is_passive) {
    snprintf(error, (size_t)size, "the model belongs to the program that runs");
  } else if (!m && path) {
    m = cli_hasSuffix(path, ".mjb") ? mj_loadModel(path, NULL)
                                    : mj_loadXML(path, NULL, text, sizeof(text));
    snprintf(error, (size_t)size, "%s%s", m ? "" : "cannot load: ", text);
  }
  *code = m ? CLI_OK : CLI_BAD_MODEL;
  return m;
}


bool cli_hasSuffix(const char* text, const char* suffix) {
  const size_t n = strlen(text), k = strlen(suffix);
  return n >= k && strcmp(text + n - k, suffix) == 0;
}


void cli_error(const char* format, ...) {
  (void)format;  // failed screenshots are told in the window
}


static _Thread_local char* caught_text;
static _Thread_local int caught_size;
static _Thread_local void (*warning_before)(const char*);


static void keepWarning(const char* text) {
  if (!caught_text[0]) {
    snprintf(caught_text, (size_t)caught_size, "%s", text);
  }
}


void cli_catchWarnings(char* text, int size) {
  text[0] = '\0';
  caught_text = text;
  caught_size = size;
  warning_before = _mjPRIVATE__get_tls_warning_fn();
  _mjPRIVATE__set_tls_warning_fn(keepWarning);
}


void cli_releaseWarnings(void) {
  _mjPRIVATE__set_tls_warning_fn(warning_before);
}


static void fillScene(const mjModel* m, mjData* d, const mjvOption* option, const mjvPerturb* pert,
                      mjvCamera* camera, mjvScene* scn) {
  mjv_updateScene(m, d, option, pert, camera, mjCAT_ALL, scn);
  const mjvScene* more = active && active->scene != Py_None ? ((Struct*)active->scene)->p : NULL;
  for (int i = 0; more && i < more->ngeom; i++) {
    if (scn->ngeom >= scn->maxgeom) {
      scn->status = 1;
      break;
    }
    scn->geoms[scn->ngeom++] = more->geoms[i];
  }
}


// the scene of the model with the program's own geoms, with as much room as both need
void cli_updateScene(const mjModel* m, mjData* d, const mjvOption* option, const mjvPerturb* pert,
                     mjvCamera* camera, mjvScene* scn) {
  const mjWarningStat before = d->warning[mjWARN_VGEOMFULL];
  char ignored[256];
  cli_catchWarnings(ignored, sizeof(ignored));
  fillScene(m, d, option, pert, camera, scn);
  while (scn->status && scn->maxgeom < INT_MAX / 2) {
    mjtByte flags[mjNRNDFLAG];
    memcpy(flags, scn->flags, sizeof(flags));
    mjv_makeScene(m, scn, 2 * scn->maxgeom);
    memcpy(scn->flags, flags, sizeof(flags));
    fillScene(m, d, option, pert, camera, scn);
  }
  cli_releaseWarnings();
  d->warning[mjWARN_VGEOMFULL] = before;
}


static double seconds(void) {
  return cfi_clock();
}


static void onKey(void* owner, int key) {
  Window* s = owner;
  if (s->nkey < KEYS) {
    s->key[s->nkey++] = key;
  }
}


//---------------------------------- drawing -------------------------------------------------------

static void clearOverlays(Window* s, int kind) {
  for (int i = 0; i < s->noverlay[kind]; i++) {
    Overlay* o = s->overlay[kind] + i;
    free(o->figure);
    free(o->left);
    free(o->right);
    free(o->pixels);
  }
  free(s->overlay[kind]);
  s->overlay[kind] = NULL;
  s->noverlay[kind] = 0;
}


static void drawOverlays(void* owner) {
  Window* s = owner;
  const mjrContext* con = &s->v->con;
  void (*const upload[])(const mjModel*, const mjrContext*, int) = {
      mjr_uploadHField, mjr_uploadMesh, mjr_uploadTexture};
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < s->nupload[k] && s->v->sim.m == s->mirror; i++) {
      upload[k](s->mirror, con, s->upload[k][i]);
    }
    s->nupload[k] = 0;
  }
  for (int kind = 0; kind < KINDS; kind++) {
    for (int i = 0; i < s->noverlay[kind]; i++) {
      Overlay* o = s->overlay[kind] + i;
      if (o->figure) {
        mjr_figure(o->rect, o->figure, con);
      } else if (o->pixels) {
        mjr_drawPixels(o->pixels, NULL, o->rect, con);
      } else {
        mjr_overlay(o->font, o->place, s->v->ui.rect[3], o->left, o->right, con);
      }
    }
  }
}


// one thing from a tuple: (rect, figure), (font, place, left, right) or (rect, bytes)
static int takeOverlay(Overlay* o, int kind, PyObject* item) {
  const char *left, *right, *pixels;
  Py_ssize_t n;
  PyObject *rect, *figure;
  if (kind == KIND_TEXT) {
    if (!PyArg_ParseTuple(item, "iiss", &o->font, &o->place, &left, &right)) {
      return -1;
    }
    o->left = strdup(left);
    o->right = strdup(right);
    return o->left && o->right ? 0 : -1;
  }
  if (kind == KIND_FIGURE) {
    if (!PyArg_ParseTuple(item, "O!O!", core_StructType, &rect, core_StructType, &figure)) {
      return -1;
    }
    o->rect = *(mjrRect*)((Struct*)rect)->p;
    o->figure = malloc(sizeof(mjvFigure));
    if (o->figure) {
      *o->figure = *(mjvFigure*)((Struct*)figure)->p;
    }
    return o->figure ? 0 : -1;
  }
  if (!PyArg_ParseTuple(item, "O!y#", core_StructType, &rect, &pixels, &n)) {
    return -1;
  }
  o->rect = *(mjrRect*)((Struct*)rect)->p;
  if (o->rect.width < 0 || o->rect.height < 0 ||
      n != 3 * (Py_ssize_t)o->rect.width * o->rect.height) {
    PyErr_SetString(PyExc_ValueError, "an image needs three bytes for each pixel of its rectangle");
    return -1;
  }
  o->pixels = malloc((size_t)n + 1);
  if (o->pixels) {
    memcpy(o->pixels, pixels, (size_t)n);
  }
  return o->pixels ? 0 : -1;
}


// overlays(kind, [tuple...])
static PyObject* setOverlays(PyObject* self, PyObject* args) {
  Window* s = (Window*)self;
  PyObject* list;
  int kind, bad = 0;
  if (!PyArg_ParseTuple(args, "iO!", &kind, &PyList_Type, &list)) {
    return NULL;
  }
  if (kind < 0 || kind >= KINDS) {
    return PyErr_Format(PyExc_ValueError, "kind is %d", kind);
  }
  clearOverlays(s, kind);
  const Py_ssize_t n = PyList_Size(list);
  s->overlay[kind] = calloc((size_t)n + 1, sizeof(Overlay));
  for (Py_ssize_t i = 0; s->overlay[kind] && i < n && !bad; i++) {
    s->noverlay[kind]++;
    bad = takeOverlay(s->overlay[kind] + i, kind, PyList_GetItem(list, i));
  }
  if (bad || !s->overlay[kind]) {
    clearOverlays(s, kind);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}


//---------------------------------- the copy and the program --------------------------------------

static int isMirror(const Window* s) {
  return s->v->sim.m == s->mirror;
}


static void remember(Window* s) {
  s->opt = s->mirror->opt;
  s->vis = s->mirror->vis;
  s->stat = s->mirror->stat;
  mj_getState(s->mirror, s->v->sim.d, s->before, mjSTATE_INTEGRATION);
}


// What changed in the window since the last time goes to the program.
static void takeChanges(Window* s) {
  mjModel* shown = s->mirror;
  if (memcmp(&shown->opt, &s->opt, sizeof(s->opt)) != 0) {
    s->m->opt = shown->opt;
  }
  if (memcmp(&shown->vis, &s->vis, sizeof(s->vis)) != 0) {
    s->m->vis = shown->vis;
  }
  if (memcmp(&shown->stat, &s->stat, sizeof(s->stat)) != 0) {
    s->m->stat = shown->stat;
  }
  // the state element by element: a slider moves one of them
  const int n = mj_stateSize(shown, mjSTATE_INTEGRATION);
  mjtNum *now = s->theirs + n, *theirs = s->theirs;
  mj_getState(shown, s->v->sim.d, now, mjSTATE_INTEGRATION);
  mj_getState(s->m, s->d, theirs, mjSTATE_INTEGRATION);
  int is_changed = 0;
  for (int i = 0; i < n; i++) {
    if (memcmp(now + i, s->before + i, sizeof(mjtNum)) != 0) {
      theirs[i] = now[i];
      is_changed = 1;
    }
  }
  if (is_changed) {
    mj_setState(s->m, s->d, theirs, mjSTATE_INTEGRATION);
    mj_forward(s->m, s->d);
  }
}


// The hand: a force on one body, or the pose of one that the program moves.
static void applyHand(Window* s) {
  const mjvPerturb* pert = &s->v->sim.pert;
  if (s->pulled > 0 && s->pulled < s->m->nbody) {
    mju_zero(s->d->xfrc_applied + 6 * s->pulled, 6);
  }
  s->pulled = 0;
  if ((pert->active | pert->active2) && pert->select > 0 && pert->select < s->m->nbody) {
    mjv_applyPerturbPose(s->m, s->d, pert, 0);
    mjv_applyPerturbForce(s->m, s->d, pert);
    s->pulled = pert->select;
  }
}


static void synchronize(Window* s, int state_only) {
  mjData* shown = s->v->sim.d;
  takeChanges(s);
  applyHand(s);
  if (state_only) {
    mj_copyState(s->m, s->d, shown, mjSTATE_INTEGRATION);
    mj_forward(s->mirror, shown);
  } else {
    mjv_copyModel(s->mirror, s->m);
    mjv_copyData(shown, s->m, s->d);
  }
  remember(s);
}


// sync(state_only)
static PyObject* windowSync(PyObject* self, PyObject* args) {
  Window* s = (Window*)self;
  int state_only = 0;
  if (!PyArg_ParseTuple(args, "|p", &state_only)) {
    return NULL;
  }
  if (s->v && isMirror(s)) {
    GUARD(1, s->d, synchronize(s, state_only), return NULL);
  }
  Py_RETURN_NONE;
}


static void copyBack(Window* s) {
  s->m->opt = s->mirror->opt;
  s->m->vis = s->mirror->vis;
  s->m->stat = s->mirror->stat;
  mj_copyData(s->d, s->m, s->v->sim.d);
}


// frame(): draw one; false once the window is closed
static PyObject* windowFrame(PyObject* self, PyObject* unused) {
  Window* s = (Window*)self;
  (void)unused;
  if (!s->w) {
    Py_RETURN_FALSE;
  }
  cliView* v = s->v;
  volatile int is_open = 0;
  v->cam = *(mjvCamera*)((Struct*)s->camera)->p;
  v->opt = *(mjvOption*)((Struct*)s->option)->p;
  v->sim.pert = *(mjvPerturb*)((Struct*)s->pert)->p;
  active = s;
  GUARD(
      1, v->sim.d, is_open = cli_windowFrame(s->w, drawOverlays);
      if (!v->sim.is_passive && isMirror(s)) { copyBack(s); }, active = NULL; return NULL);
  active = NULL;
  *(mjvCamera*)((Struct*)s->camera)->p = v->cam;
  *(mjvOption*)((Struct*)s->option)->p = v->opt;
  *(mjvPerturb*)((Struct*)s->pert)->p = v->sim.pert;
  return PyBool_FromLong(is_open);
}


// keys(): numbers of the keys that went down since the last call
static PyObject* windowKeys(PyObject* self, PyObject* unused) {
  Window* s = (Window*)self;
  (void)unused;
  PyObject* list = PyList_New(s->nkey);
  for (int i = 0; list && i < s->nkey; i++) {
    PyList_SetItem(list, i, PyLong_FromLong(s->key[i]));
  }
  s->nkey = 0;
  return list;
}


// upload(kind, id): kind 0 height field, 1 mesh, 2 texture
static PyObject* windowUpload(PyObject* self, PyObject* args) {
  Window* s = (Window*)self;
  int kind, id;
  if (!PyArg_ParseTuple(args, "ii", &kind, &id)) {
    return NULL;
  }
  if (kind < 0 || kind > 2) {
    return PyErr_Format(PyExc_ValueError, "kind is %d", kind);
  }
  const mjModel* m = s->m;
  const mjtSize n[] = {m->nhfield, m->nmesh, m->ntex};
  if (check_range("id", id, 0, n[kind])) {
    return NULL;
  }
  if (s->v && isMirror(s) && s->nupload[kind] < 32) {
    mjModel* to = s->mirror;
    memcpy(to->hfield_data, m->hfield_data, sizeof(float) * (size_t)m->nhfielddata);
    memcpy(to->tex_data, m->tex_data, (size_t)m->ntexdata);
    memcpy(to->mesh_vert, m->mesh_vert, 3 * sizeof(float) * (size_t)m->nmeshvert);
    memcpy(to->mesh_normal, m->mesh_normal, 3 * sizeof(float) * (size_t)m->nmeshnormal);
    memcpy(to->mesh_texcoord, m->mesh_texcoord, 2 * sizeof(float) * (size_t)m->nmeshtexcoord);
    s->upload[kind][s->nupload[kind]++] = id;
  }
  Py_RETURN_NONE;
}


static PyObject* windowViewport(PyObject* self, PyObject* unused) {
  const Window* s = (Window*)self;
  (void)unused;
  const mjrRect r = s->v ? s->v->ui.rect[3] : (mjrRect){0, 0, 0, 0};
  return Py_BuildValue("(iiii)", r.left, r.bottom, r.width, r.height);
}


//---------------------------------- life ----------------------------------------------------------

static PyObject* windowClose(PyObject* self, PyObject* unused) {
  Window* s = (Window*)self;
  (void)unused;
  if (s->v) {
    cli_viewClose(s->v);
    free(s->v);
    s->v = NULL;
  }
  if (s->w) {
    cli_windowClose(s->w);
    s->w = NULL;
  }
  Py_RETURN_NONE;
}


static void windowDealloc(PyObject* self) {
  Window* s = (Window*)self;
  PyTypeObject* type = Py_TYPE(self);
  Py_XDECREF(windowClose(self, NULL));
  for (int kind = 0; kind < KINDS; kind++) {
    clearOverlays(s, kind);
  }
  free(s->before);
  free(s->theirs);
  Py_XDECREF(s->model);
  Py_XDECREF(s->data);
  Py_XDECREF(s->camera);
  Py_XDECREF(s->option);
  Py_XDECREF(s->pert);
  Py_XDECREF(s->scene);
  ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}


// Show a copy of the program's model and data; an error text, or NULL.
static const char* showCopy(Window* s, int passive, const char* path) {
  mjModel* copy = mj_copyModel(NULL, s->m);
  const size_t n = (size_t)mj_stateSize(s->m, mjSTATE_INTEGRATION) + 1;
  s->before = calloc(n, sizeof(mjtNum));
  s->theirs = calloc(2 * n, sizeof(mjtNum));
  if (!copy || !s->before || !s->theirs) {
    mj_deleteModel(copy);
    return "not enough memory";
  }
  s->v->sim.is_passive = passive;
  offered = copy;
  if (!cli_viewLoad(s->v, path[0] ? path : NULL)) {
    offered = NULL;
    return s->v->message;
  }
  s->mirror = copy;
  mj_copyData(s->v->sim.d, copy, s->d);
  remember(s);
  *(mjvCamera*)((Struct*)s->camera)->p = s->v->cam;
  return NULL;
}


static int openWindow(Window* s, int width, int height, int panels[2], int passive,
                      const char* path) {
  char why[VIEW_TEXT] = "";
  s->w = cli_windowOpen(width, height, why);
  s->v = s->w ? calloc(1, sizeof(cliView)) : NULL;
  if (!s->v) {
    PyErr_SetString(PyExc_RuntimeError, why[0] ? why : "not enough memory");
    return -1;
  }
  const char* volatile bad = NULL;
  cli_windowSize(s->w, &width, &height);
  cli_viewInit(s->v, seconds, mjFB_WINDOW, width, height);
  GUARD(0, NULL, bad = showCopy(s, passive, path), return -1);
  if (bad) {
    PyErr_SetString(PyExc_RuntimeError, bad);
    return -1;
  }
  s->v->show_left = panels[0];
  s->v->show_right = panels[1];
  cli_panelsFit(s->v);
  if (cli_windowIsSlow()) {
    s->v->scn.flags[mjRND_SHADOW] = s->v->scn.flags[mjRND_REFLECTION] = 0;
  }
  cli_simPlay(&s->v->sim, true);
  cli_windowShow(s->w, s->v);
  cli_windowListen(s->w, onKey, s);
  return 0;
}


// Window(model, data, camera, option, perturb, scene or None, (width, height), (left, right),
// passive, path)
static PyObject* windowNew(PyTypeObject* type, PyObject* args, PyObject* kw) {
  PyObject *model, *data, *camera, *option, *pert, *scene;
  int width, height, panels[2], passive;
  const char* path;
  mjModel* m;
  mjData* d;
  (void)kw;
  if (!PyArg_ParseTuple(args, "OOO!O!O!O(ii)(pp)ps", &model, &data, core_StructType, &camera,
                        core_StructType, &option, core_StructType, &pert, &scene, &width, &height,
                        panels, panels + 1, &passive, &path) ||
      to_model(model, "model", &m) || to_data(data, "data", m, &d)) {
    return NULL;
  }
  core_lastModel = core_lastData = NULL;
  Window* s = (Window*)((allocfunc)PyType_GetSlot(type, Py_tp_alloc))(type, 0);
  if (!s) {
    return NULL;
  }
  s->m = m;
  s->d = d;
  s->model = Py_NewRef(model);
  s->data = Py_NewRef(data);
  s->camera = Py_NewRef(camera);
  s->option = Py_NewRef(option);
  s->pert = Py_NewRef(pert);
  s->scene = Py_NewRef(scene);
  if (openWindow(s, width, height, panels, passive, path)) {
    Py_CLEAR(s);
  }
  return (PyObject*)s;
}


int core_initWindow(PyObject* module) {
  static PyMethodDef methods[] = {
      {"frame", windowFrame, METH_NOARGS, NULL},    {"sync", windowSync, METH_VARARGS, NULL},
      {"keys", windowKeys, METH_NOARGS, NULL},      {"overlays", setOverlays, METH_VARARGS, NULL},
      {"upload", windowUpload, METH_VARARGS, NULL}, {"viewport", windowViewport, METH_NOARGS, NULL},
      {"close", windowClose, METH_NOARGS, NULL},    {0}};
  PyType_Slot slots[] = {
      {Py_tp_dealloc, windowDealloc}, {Py_tp_new, windowNew}, {Py_tp_methods, methods}, {0, NULL}};
  PyTypeObject* type = core_makeType("cortenforge._core.Window", sizeof(Window), 0, slots);
  return type ? PyModule_AddObjectRef(module, "Window", (PyObject*)type) : -1;
}
