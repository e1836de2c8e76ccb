// Random batches beside lone worlds: every parameter of tables/worlds.def alone and in random sets,
// every field of mjData as an output, calls in random order, models of models/ with random options,
// lanes and threads.  CF_TRIALS: cases of random sets; CF_SEED: of all; CF_MODELS: a pattern of
// other files.
#include <glob.h>

#include "lanes/lanes.h"
#include "cf_courses.h"
#include "cf_worlds.h"

enum { MOST_MODELS = 400, MOST_DOFS = 60, FEW_TRIALS = 700 };

// ---------------------------------------- what is drawn

typedef enum {
  DRAW_SCALE,   // other by a tenth
  DRAW_FILL,    // the same, and what is zero sometimes not
  DRAW_ADD,     // other by a little
  DRAW_SPARSE,  // the same, not negative; zero, or not zero any more, in some worlds
  DRAW_SOFT,    // impedances, which end at 1
  DRAW_SHARE,   // of a weight
  DRAW_LENGTH,  // of springs, some of them left to the compiler
  DRAW_FORM,    // as support/cf_forms.h has it
  DRAW_FRAME,   // position or unit vector, of anything
  DRAW_VECTOR,  // of the option, sometimes zero
} drawKind;

typedef struct {
  const char* name;
  drawKind kind;
  int n;  // numbers of an object
} drawField;

// a row for every row of the table
static const drawField draws[] = {
    {"qpos0", DRAW_ADD, 1},
    {"qpos_spring", DRAW_ADD, 1},
    {"body_pos", DRAW_ADD, 3},
    {"body_quat", DRAW_FRAME, 4},
    {"body_mass", DRAW_SCALE, 1},
    {"body_inertia", DRAW_SCALE, 3},
    {"dof_armature", DRAW_SPARSE, 1},
    {"eq_data", DRAW_FILL, mjNEQDATA},
    {"tendon_armature", DRAW_SPARSE, 1},
    {"tendon_lengthspring", DRAW_LENGTH, 2},
    {"actuator_gear", DRAW_FILL, 6},
    {"actuator_gainprm", DRAW_FILL, mjNGAIN},
    {"actuator_biasprm", DRAW_FILL, mjNBIAS},
    {"actuator_cranklength", DRAW_FILL, 1},
    {"jnt_pos", DRAW_FORM, 3},
    {"jnt_axis", DRAW_FORM, 3},
    {"cam_pos", DRAW_FORM, 3},
    {"cam_quat", DRAW_FORM, 4},
    {"light_pos", DRAW_ADD, 3},
    {"light_dir", DRAW_FRAME, 3},
    {"body_ipos", DRAW_FORM, 3},
    {"body_iquat", DRAW_FORM, 4},
    {"geom_size", DRAW_FORM, 3},
    {"geom_pos", DRAW_FORM, 3},
    {"geom_quat", DRAW_FORM, 4},
    {"geom_margin", DRAW_FORM, 1},
    {"site_pos", DRAW_FORM, 3},
    {"site_quat", DRAW_FORM, 4},
    {"site_size", DRAW_FORM, 3},
    {"geom_gap", DRAW_FORM, 1},
    {"pair_margin", DRAW_FORM, 1},
    {"pair_gap", DRAW_FORM, 1},
    {"body_gravcomp", DRAW_SHARE, 1},
    {"jnt_solref", DRAW_SCALE, 2},
    {"jnt_solimp", DRAW_SOFT, 5},
    {"jnt_stiffness", DRAW_SPARSE, 1},
    {"jnt_range", DRAW_FILL, 2},
    {"jnt_actfrcrange", DRAW_FILL, 2},
    {"jnt_margin", DRAW_SPARSE, 1},
    {"dof_solref", DRAW_SCALE, 2},
    {"dof_solimp", DRAW_SOFT, 5},
    {"dof_frictionloss", DRAW_SPARSE, 1},
    {"dof_damping", DRAW_SPARSE, 1},
    {"geom_solmix", DRAW_SCALE, 1},
    {"geom_solref", DRAW_SCALE, 2},
    {"geom_solimp", DRAW_SOFT, 5},
    {"geom_friction", DRAW_FILL, 3},
    {"geom_fluid", DRAW_FILL, mjNFLUID},
    {"pair_solref", DRAW_SCALE, 2},
    {"pair_solreffriction", DRAW_FILL, 2},
    {"pair_solimp", DRAW_SOFT, 5},
    {"pair_friction", DRAW_FILL, 5},
    {"eq_solref", DRAW_SCALE, 2},
    {"eq_solimp", DRAW_SOFT, 5},
    {"tendon_solref_lim", DRAW_SCALE, 2},
    {"tendon_solimp_lim", DRAW_SOFT, 5},
    {"tendon_solref_fri", DRAW_SCALE, 2},
    {"tendon_solimp_fri", DRAW_SOFT, 5},
    {"tendon_range", DRAW_FILL, 2},
    {"tendon_actfrcrange", DRAW_FILL, 2},
    {"tendon_margin", DRAW_SPARSE, 1},
    {"tendon_stiffness", DRAW_SPARSE, 1},
    {"tendon_damping", DRAW_SPARSE, 1},
    {"tendon_frictionloss", DRAW_SPARSE, 1},
    {"actuator_dynprm", DRAW_FILL, mjNDYN},
    {"actuator_ctrlrange", DRAW_FILL, 2},
    {"actuator_forcerange", DRAW_FILL, 2},
    {"actuator_actrange", DRAW_FILL, 2},
    {"sensor_cutoff", DRAW_SPARSE, 1},
    {"opt.timestep", DRAW_SCALE, 1},
    {"opt.impratio", DRAW_SCALE, 1},
    {"opt.tolerance", DRAW_SCALE, 1},
    {"opt.ls_tolerance", DRAW_SCALE, 1},
    {"opt.gravity", DRAW_VECTOR, 3},
    {"opt.wind", DRAW_VECTOR, 3},
    {"opt.magnetic", DRAW_VECTOR, 3},
    {"opt.density", DRAW_SPARSE, 1},
    {"opt.viscosity", DRAW_SPARSE, 1},
    {"opt.o_margin", DRAW_SPARSE, 1},
    {"opt.o_solref", DRAW_SCALE, 2},
    {"opt.o_solimp", DRAW_SOFT, 5},
    {"opt.o_friction", DRAW_SCALE, 5},
};
enum { NDRAW = sizeof(draws) / sizeof(draws[0]) };

// a row of the table; FREE and FORM: nothing that follows from others is found anew
enum { ROW_FREE, ROW_FORM, ROW_BASIC, ROW_COMPLETED, ROW_FRAME, ROW_GEOMETRY };
static const struct {
  const char* name;
  int kind;
} rows[] = {
#define CF_WORLD_FIELD(name, kind, lanes) {#name, ROW_##kind},
#define CF_WORLD_OPTION(name, lanes) {"opt." #name, ROW_FREE},
#include "tables/worlds.def"
};
enum { NROW = sizeof(rows) / sizeof(rows[0]) };


static const drawField* drawOf(const char* name) {
  for (int k = 0; k < NDRAW; k++) {
    if (!strcmp(draws[k].name, name)) {
      return draws + k;
    }
  }
  return NULL;
}


static const cfFormField* formOf(const char* name) {
  for (int k = 0; k < CF_NFORM; k++) {
    if (!strcmp(cf_form_fields[k].name, name)) {
      return cf_form_fields + k;
    }
  }
  return NULL;
}


static void drawNumbers(cfDice* dice, mjtNum* x, const drawField* f, int id) {
  const int what = cf_below(dice, 4);
  const mjtNum u = cf_even(dice);
  switch (f->kind) {
    case DRAW_SCALE:
      for (int k = 0; k < f->n; k++) {
        x[k] *= 1 + 0.1 * cf_even(dice);
      }
      break;
    case DRAW_FILL:
      for (int k = 0; k < f->n; k++) {
        x[k] = x[k] != 0 ? x[k] * (1 + 0.1 * cf_even(dice)) : what ? 0 : 0.02 * cf_even(dice);
      }
      break;
    case DRAW_ADD:
      for (int k = 0; k < f->n; k++) {
        x[k] += 0.02 * cf_even(dice);
      }
      break;
    case DRAW_SPARSE:
      x[0] = what == 0 ? 0 : what == 1 ? 0.03 * fabs(u) : x[0] * (1 + 0.2 * u);
      break;
    case DRAW_SOFT:
      for (int k = 0; k < f->n; k++) {
        x[k] *= 1 - 0.05 * fabs(u);
      }
      break;
    case DRAW_SHARE:
      x[0] = what == 0 ? 0 : what == 1 ? 1 : x[0] + 0.5 * u;
      break;
    case DRAW_LENGTH:
      x[0] = what == 0 ? -1 : fabs(x[0]) * (1 + 0.1 * u);
      x[1] = what == 0 ? -1 : what == 1 ? x[0] : x[0] + 0.1 * fabs(u);
      break;
    case DRAW_FORM:
      cf_drawForm(x, formOf(f->name), id, 1 + cf_below(dice, 1000));
      break;
    case DRAW_FRAME:
      for (int k = 0; k < f->n; k++) {
        x[k] += 0.05 * cf_even(dice);
      }
      mju_normalize(x, f->n);
      break;
    case DRAW_VECTOR:
      for (int k = 0; k < f->n; k++) {
        x[k] = what == 0 ? 0 : x[k] * (1 + 0.1 * u) + 0.3 * cf_even(dice);
      }
  }
}


// may this object have other numbers: a tendon around a geom cannot have armature
static bool isFree(const mjModel* m, const drawField* f, int id) {
  bool is_free = f->kind != DRAW_FORM || cf_formIsFree(m, formOf(f->name), id);
  if (!strcmp(f->name, "tendon_armature")) {
    for (int k = m->tendon_adr[id]; k < m->tendon_adr[id] + m->tendon_num[id]; k++) {
      is_free &= m->wrap_type[k] != mjWRAP_SPHERE && m->wrap_type[k] != mjWRAP_CYLINDER;
    }
  }
  return is_free;
}


// numbers of one world, drawn about those that it has
static void drawField1(cfDice* dice, const mjModel* m, const drawField* f, mjtNum* x, int count) {
  const cfFormField* form = f->kind == DRAW_FORM ? formOf(f->name) : NULL;
  CF_TRUE(f->kind != DRAW_FORM || (form && form->n == f->n));
  CF_EQ_INT(count % f->n, 0);
  for (int id = 0; id < count / f->n; id++) {
    if (isFree(m, f, id) && cf_below(dice, 4)) {
      drawNumbers(dice, x + f->n * id, f, id);
    }
  }
}


// ---------------------------------------- calls

static long cases, skipped, refused, compared, rollouts;


// different worlds in any order
static int drawWorlds(cfDice* dice, const cfTwins* t, int* list) {
  int n = 0;
  const int first = cf_below(dice, t->n);
  for (int k = 0; k < t->n; k++) {
    if (k == 0 || cf_below(dice, 3)) {
      list[n++] = (first + k) % t->n;
    }
  }
  return n;
}


// dlpack.h of version 0.8
typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} cfTensorView;
struct DLManagedTensor {
  cfTensorView view;
  void* manager;
  void (*deleter)(struct DLManagedTensor* self);
};


static mjtNum* ownNumbers(mjModel* m, const char* name) {
  const bool is_option = !strncmp(name, "opt.", 4);
  const cfFieldInfo* info = is_option ? cfi_findField(&cfi_optionFields, name + 4)
                                      : cfi_findField(&cfi_modelFields, name);
  CF_TRUE(info && info->type == CF_TYPE_mjtNum);
  const void* found = cfi_fieldElements(info, is_option ? (const void*)&m->opt : m);
  return (mjtNum*)(uintptr_t)found;
}


// the same as cf_batchSet in place; what is refused is mended
static bool writeLive(cfTwins* t, const char* name, const int* list, int n, const mjtNum* value) {
  struct DLManagedTensor* tensor = cf_batchTensor(t->batch, name);
  CF_TRUE(tensor != NULL);
  const cfTensorView* view = (const cfTensorView*)(const void*)tensor;
  const int count = (int)view->shape[1];
  for (int k = 0; k < n; k++) {
    mjtNum* own = (mjtNum*)view->data + view->strides[0] * list[k];
    mju_copy(own, value + k * count, count);
  }
  const bool is_good = cf_batchCommit(t->batch);
  for (int k = 0; k < n && !is_good; k++) {
    mjtNum* own = (mjtNum*)view->data + view->strides[0] * list[k];
    mju_copy(own, ownNumbers(t->world[list[k]].m, name), count);
  }
  CF_TRUE(cf_batchCommit(t->batch));
  tensor->deleter(tensor);
  return is_good;
}


// a parameter of some worlds; what the batch refuses the lone worlds do not get either.  How many
// worlds have it
static int setParameterOfTwins(cfDice* dice, cfTwins* t, int row) {
  const drawField* f = drawOf(rows[row].name);
  cfBatchField field;
  if (!f || !cf_batchField(t->batch, f->name, &field)) {
    CF_FAIL("%s: %s\n", rows[row].name, f ? cf_batchError(t->batch) : "nobody draws it");
  }
  CF_EQ_STR(field.name, f->name);
  int list[CF_MOST_WORLDS];
  const int n = drawWorlds(dice, t, list), count = (int)field.count;
  mjtNum* value = calloc((size_t)(n * count) + 1, sizeof(mjtNum));
  for (int k = 0; k < n; k++) {
    mju_copy(value + k * count, ownNumbers(t->world[list[k]].m, f->name), count);
    drawField1(dice, t->world[list[k]].m, f, value + k * count, count);
  }
  const bool is_live = count && !cf_below(dice, 3);
  if (!count || !(is_live ? writeLive(t, f->name, list, n, value)
                          : cf_batchSet(t->batch, f->name, list, n, CF_ORDER_WORLD, value))) {
    refused += count > 0;
    free(value);
    return 0;
  }
  t->has_bounds |= rows[row].kind == ROW_GEOMETRY;
  for (int k = 0; k < n; k++) {
    mjModel* own = t->world[list[k]].m;
    mju_copy(ownNumbers(own, f->name), value + k * count, count);
    cf_finishLone(t, own);
  }
  free(value);
  return n;
}


// inputs that callers write: bytes of one world, drawn about what it has
static void drawInput(cfDice* dice, const mjModel* m, const cfFieldInfo* info, char* bytes,
                      int count) {
  const char* name = info->name;
  if (info->type == CF_TYPE_mjtByte) {
    for (int k = 0; k < count; k++) {
      bytes[k] = (char)cf_below(dice, 2);
    }
    return;
  }
  CF_EQ_INT(info->type, CF_TYPE_mjtNum);
  mjtNum* x = (mjtNum*)(void*)bytes;
  for (int k = 0; k < count; k++) {
    const mjtNum u = cf_even(dice);
    if (!strcmp(name, "qvel")) {
      x[k] += 0.5 * u;
    } else if (!strcmp(name, "ctrl") || !strcmp(name, "userdata")) {
      x[k] = u;
    } else if (!strcmp(name, "qfrc_applied") || !strcmp(name, "xfrc_applied")) {
      x[k] = cf_below(dice, 3) || k < (name[0] == 'x' ? 6 : 0) ? 0 : u;
    } else if (!strcmp(name, "qpos") || !strcmp(name, "mocap_pos") || !strcmp(name, "time") ||
               !strcmp(name, "act")) {
      x[k] += 0.02 * u;
    } else if (!strcmp(name, "qacc_warmstart")) {
      x[k] += u;
    } else if (!strcmp(name, "mocap_quat")) {
      x[k] += 0.1 * u;
    } else if (strcmp(name, "history") && strcmp(name, "plugin_state")) {
      CF_FAIL("nobody draws %s\n", name);  // these two keep what they are
    }
  }
  for (int k = 0; k + 3 < count && !strcmp(name, "mocap_quat"); k += 4) {
    mju_normalize4(x + k);
  }
  (void)m;
}


static void setInputOfTwins(cfDice* dice, cfTwins* t, const cfFieldInfo* info) {
  cfBatchField field;
  int list[CF_MOST_WORLDS];
  CF_TRUE(cf_batchField(t->batch, info->name, &field) && field.is_writable);
  const int n = drawWorlds(dice, t, list), count = (int)field.count;
  const size_t size = (size_t)field.nbyte, bytes = size * (size_t)count;
  char *value = calloc(bytes * (size_t)n + 1, 1), *turned = calloc(bytes * (size_t)n + 1, 1);
  for (int k = 0; k < n && bytes; k++) {
    const mjData* d = t->world[list[k]].d;
    char* own = value + bytes * (size_t)k;
    memcpy(own, cfi_fieldElements(info, d), bytes);
    drawInput(dice, t->world[0].m, info, own, count);
    memcpy((char*)(uintptr_t)cfi_fieldElements(info, d), own, bytes);
    for (int i = 0; i < count; i++) {
      memcpy(turned + size * (size_t)(i * n + k), own + size * (size_t)i, size);
    }
  }
  const bool by_world = cf_below(dice, 2);
  CF_TRUE(cf_batchSet(t->batch, info->name, list, n, by_world ? CF_ORDER_WORLD : CF_ORDER_FIELD,
                      by_world ? value : turned));
  free(value);
  free(turned);
}


static void setSomeInputs(cfDice* dice, cfTwins* t) {
  const cfFieldTable* const table[] = {&cfi_dataFields, &cfi_dataScalars};
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < table[i]->count; k++) {
      if (table[i]->field[k].writer == CF_WRITER_INPUT && !cf_below(dice, 4)) {
        setInputOfTwins(dice, t, table[i]->field + k);
      }
    }
  }
}


// part of the state of one world goes to another
static void handOverState(cfDice* dice, cfTwins* t) {
  const int from = cf_below(dice, t->n), to = cf_below(dice, t->n);
  const int sig = cf_below(dice, 2) ? (int)mjSTATE_INTEGRATION : cf_below(dice, 1 << mjNSTATE);
  cfLoneWorld *a = t->world + from, *b = t->world + to;
  mjtNum* state = calloc((size_t)mj_stateSize(a->m, sig) + 1, sizeof(mjtNum));
  CF_TRUE(cf_batchGetState(t->batch, (unsigned)sig, &from, 1, state));
  mj_getState(a->m, a->d, state, sig);
  CF_TRUE(cf_batchSetState(t->batch, (unsigned)sig, &to, 1, state));
  mj_setState(b->m, b->d, state, sig);
  free(state);
}


static void resetSome(cfDice* dice, cfTwins* t) {
  mjtByte mask[CF_MOST_WORLDS];
  for (int w = 0; w < t->n; w++) {
    mask[w] = (mjtByte)cf_below(dice, 2);
  }
  const int nkey = (int)cf_batchModel(t->batch)->nkey;
  cf_resetTwins(t, cf_below(dice, 3) ? mask : NULL, cf_below(dice, nkey + 1) - 1);
}


// one call, and whatever a batch can be asked for afterwards
static bool callTwins(cfDice* dice, cfTwins* t) {
  static const int steps[] = {0, 1, 1, 2, 3, 7, 12, 23};
  const int what = cf_below(dice, 12);
  mjtByte bytes[CF_MOST_WORLDS];
  for (int w = 0; w < t->n; w++) {
    bytes[w] = (mjtByte)cf_below(dice, 2);
  }
  const mjtByte* mask = cf_below(dice, 3) ? NULL : bytes;
  const char* when = "a step";
  if (what < 5) {
    cf_stepSomeTwins(t, mask, steps[cf_below(dice, 8)]);
  } else if (what < 6) {
    when = "a rollout";
    rollouts++;
    if (!cf_rollTwins(dice, t, mask)) {
      return false;
    }
  } else if (what < 8) {
    when = "forward";
    cf_forwardSomeTwins(t, mask);
  } else if (what < 9) {
    when = "a reset";
    resetSome(dice, t);
  } else if (what < 10) {
    when = "a state";
    handOverState(dice, t);
  } else {
    when = "inputs";
    setSomeInputs(dice, t);
  }
  return cf_sameTwins(t, when);
}


// ---------------------------------------- models and outputs

typedef struct {
  mjModel* m;
  const char* path;
} knownModel;

static knownModel models[MOST_MODELS];
static int nmodel;

static void dropText(const char* text) {
  (void)text;
}


// models of a step that is short, once
static void loadModels(void) {
  const char* others = getenv("CF_MODELS");
  const char* const patterns[] = {others ? others : "models/*.xml", "models/*/*.xml"};
  static glob_t found[2];
  mju_user_warning = dropText;
  for (int i = 0; i < (others ? 1 : 2) && !found[i].gl_pathc; i++) {
    CF_EQ_INT(glob(patterns[i], 0, NULL, found + i), 0);
    for (size_t k = 0; k < found[i].gl_pathc && nmodel < MOST_MODELS; k++) {
      mjModel* m = mj_loadXML(found[i].gl_pathv[k], NULL, NULL, 0);
      if (m && m->nv && m->nv <= MOST_DOFS) {
        models[nmodel++] = (knownModel){m, found[i].gl_pathv[k]};
      } else {
        mj_deleteModel(m);
      }
    }
  }
}


static void drawOptions(cfDice* dice, mjModel* m) {
  static const int enable[] = {mjENBL_OVERRIDE, mjENBL_ENERGY, mjENBL_FWDINV, mjENBL_MULTICCD,
                               mjENBL_SLEEP};
  m->opt.integrator = cf_below(dice, 3) ? m->opt.integrator : cf_below(dice, 4);
  m->opt.cone = cf_below(dice, 3) ? m->opt.cone : cf_below(dice, 2);
  m->opt.solver = cf_below(dice, 5) ? m->opt.solver : cf_below(dice, 3);
  m->opt.jacobian = cf_below(dice, 5) ? m->opt.jacobian : cf_below(dice, 3);
  m->opt.noslip_iterations = cf_below(dice, 12) ? m->opt.noslip_iterations : 2;
  // arenas that are full, or nearly so
  m->narena = cf_below(dice, 6) ? m->narena : (mjtSize)1 << (12 + cf_below(dice, 10));
  m->narena += cf_below(dice, 6) ? 0 : 64 * cf_below(dice, 2000);
  for (int k = 0; k < mjNDISABLE; k++) {
    m->opt.disableflags |= cf_below(dice, 30) ? 0 : 1 << k;
  }
  for (int k = 0; k < 5; k++) {
    m->opt.enableflags |= cf_below(dice, 14) ? 0 : enable[k];
  }
}


// can an mjData be asked for this field after a step
static bool isOutput(const cfFieldInfo* info) {
  return info->writer != CF_WRITER_MEMORY && info->writer != CF_WRITER_MAKE_DATA &&
         (!cfi_fieldInArena(info) || info->type == CF_TYPE_mjContact);
}


// the names of one in `share` of all outputs
static char* drawOutputs(cfDice* dice, int share) {
  const cfFieldTable* const table[] = {&cfi_dataFields, &cfi_dataScalars};
  char* names = calloc(1, 10000);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < table[i]->count; k++) {
      if (isOutput(table[i]->field + k) && !cf_below(dice, share)) {
        strcat(names, table[i]->field[k].name);
        strcat(names, " ");
      }
    }
  }
  return names;
}


static cfTwins* drawTwins(cfDice* dice, const mjModel* m, const char* path) {
  const int nlane = (const int[]){1, 4, 8}[cf_below(dice, 3)], how = cf_below(dice, 4);
  char* outputs = how ? drawOutputs(dice, how == 1 ? 1 : 30) : NULL;
  const cfBatchOptions options = {
      .nlane = cfi_laneKernels(nlane) ? nlane : 1,
      .nthread = 1 + cf_below(dice, 3),
      .unstable = cf_below(dice, 2) ? CF_UNSTABLE_FREEZE : CF_UNSTABLE_RESET,
      .noise_scale = cf_below(dice, 3) ? 0 : 0.3,
      .noise_rate = 0.1,
      .seed = cf_roll(dice),
      .outputs = outputs,
      .ncontact = 20};
  cfTwins* t =
      cf_makeTwins(m, 1 + cf_below(dice, 2 * nlane + 3 < 12 ? 2 * nlane + 3 : 12), &options, path);
  free(outputs);
  return t;
}


// ---------------------------------------- cases

static long setOf[NROW];  // worlds that got each row


static long numberFrom(const char* name, long usual) {
  const char* text = getenv(name);
  return text ? atol(text) : usual;
}


// one model, some parameters, some calls.  Without rows some are drawn
static void runCase(long number, int only, int model) {
  cfDice dice = {(uint64_t)(numberFrom("CF_SEED", 1) * 1000003 + number) * 0x9e3779b97f4a7c15ull};
  cf_roll(&dice);
  model = model < 0 ? cf_below(&dice, nmodel) : model;
  mjModel* m = mj_copyModel(NULL, models[model].m);
  if (only < 0 || !cf_below(&dice, 3)) {
    drawOptions(&dice, m);
  }
  cfTwins* t = drawTwins(&dice, m, models[model].path);
  mj_deleteModel(m);
  if (!t) {
    skipped++;
    return;
  }
  bool is_same = cf_sameTwins(t, "making");
  const int nrow = only >= 0 ? 1 : cf_below(&dice, 6), ncall = 3 + cf_below(&dice, 4);
  setSomeInputs(&dice, t);
  for (int k = 0; k < nrow; k++) {
    const int row = only >= 0 ? only : cf_below(&dice, NROW);
    setOf[row] += setParameterOfTwins(&dice, t, row);
  }
  for (int k = 0; k < ncall && is_same; k++) {
    is_same = callTwins(&dice, t);
    if (!cf_below(&dice, 4)) {
      setParameterOfTwins(&dice, t, only >= 0 ? only : cf_below(&dice, NROW));
    }
  }
  cases++;
  compared += t->compared;
  cf_freeTwins(t);
  if (!is_same) {
    CF_FAIL("case %ld of %s: CF_CASE=%ld CF_ROW=%d CF_MODEL=%d CF_SEED=%ld\n", number,
            only < 0 ? "random sets" : rows[only].name, number, only, model,
            numberFrom("CF_SEED", 1));
  }
}


// the case of a message alone
static bool runsOne(void) {
  if (getenv("CF_CASE")) {
    runCase(numberFrom("CF_CASE", 0), (int)numberFrom("CF_ROW", -1),
            (int)numberFrom("CF_MODEL", -1));
  }
  return getenv("CF_CASE") != NULL;
}


static void tellCases(const char* what) {
  print_message(
      "%s: %ld cases, %ld rollouts, %ld fields of worlds compared; %ld batches and %ld values refused\n",
      what, cases, rollouts, compared, skipped, refused);
  cases = compared = skipped = refused = rollouts = 0;
}


CF_TEST(parameters__every_row_of_the_table__is_drawn_and_nothing_else) {
  for (int row = 0; row < NROW; row++) {
    if (!drawOf(rows[row].name)) {
      CF_FAIL("%s: nobody draws it\n", rows[row].name);
    }
  }
  CF_EQ_INT(NDRAW, NROW);
}


// models that have the field, from a random one on
static void runRow(int row, long ntrial) {
  cfDice dice = {(uint64_t)row};
  int model = cf_below(&dice, nmodel) + row;
  long done = 0;
  for (int k = 0; k < nmodel && done < ntrial; k++, model++) {
    const char* name = rows[row].name;
    const bool is_option = !strncmp(name, "opt.", 4);
    const cfFieldInfo* info = is_option ? NULL : cfi_findField(&cfi_modelFields, name);
    if (is_option || cfi_fieldCount(info, models[model % nmodel].m, NULL) > 0) {
      runCase(1000 * row + done++, row, model % nmodel);
    }
  }
}


CF_TEST(worlds__of_every_parameter_alone__have_the_bits_of_lone_worlds) {
  loadModels();
  CF_TRUE(nmodel > (getenv("CF_MODELS") ? 0 : 100));
  memset(setOf, 0, sizeof(setOf));
  const long ntrial = numberFrom("CF_TRIALS", 0) ? 40 : CF_SANITIZED ? 1 : 6;
  for (int row = 0; row < NROW && !getenv("CF_CASE"); row++) {
    runRow(row, ntrial);
    if (!setOf[row] && !getenv("CF_MODELS")) {
      CF_FAIL("%s: no case has set it\n", rows[row].name);
    }
  }
  tellCases("parameters alone");
}


CF_TEST(worlds__of_random_parameters_and_calls__have_the_bits_of_lone_worlds) {
  loadModels();
  const long ntrial = numberFrom("CF_TRIALS", CF_SANITIZED ? FEW_TRIALS / 20 : FEW_TRIALS);
  for (long k = 0; k < ntrial && !runsOne(); k++) {
    runCase(1000000 + k, -1, -1);
  }
  tellCases("random sets");
}

CF_TEST_MAIN("batch/generated")
