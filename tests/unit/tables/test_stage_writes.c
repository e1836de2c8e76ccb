// A stage writes only the fields that the tables give to it: every array of mjData is hashed before
// and after each stage of a step, and the model must not change at all.
#include "cf_test.h"

#include "tables/fields.h"

enum { ALLOWED_MAX = 8, FIELDS_MAX = 600 };

// one stage and the writers whose fields it may change
typedef struct {
  const char* name;
  void (*run)(const mjModel* m, mjData* d);
  cftWriter allowed[ALLOWED_MAX];
  int count;
} cfStage;

#define STAGE(function, ...)                                                          \
  {                                                                                   \
#function, function,                                                              \
        {__VA_ARGS__ }, (int)(sizeof((cftWriter[]){__VA_ARGS__}) / sizeof(cftWriter)) \
  }

static const cfStage stages[] = {
    STAGE(mj_kinematics, CF_WRITER_KIN),
    STAGE(mj_comPos, CF_WRITER_COM),
    STAGE(mj_camlight, CF_WRITER_CAMLIGHT),
    STAGE(mj_flex, CF_WRITER_FLEX),
    STAGE(mj_tendon, CF_WRITER_TENDON),
    STAGE(mj_makeM, CF_WRITER_INERTIA),
    STAGE(mj_factorM, CF_WRITER_FACTOR),
    // a new set of contacts also begins a new set of rows and islands
    STAGE(mj_collision, CF_WRITER_COLLISION, CF_WRITER_MAKE, CF_WRITER_ISLAND),
    STAGE(mj_makeConstraint, CF_WRITER_MAKE),
    STAGE(mj_island, CF_WRITER_ISLAND),
    STAGE(mj_transmission, CF_WRITER_TRANSMISSION),
    STAGE(mj_projectConstraint, CF_WRITER_PROJECT, CF_WRITER_MAKE),
    STAGE(mj_sensorPos, CF_WRITER_SENSOR),
    STAGE(mj_energyPos, CF_WRITER_ENERGY),
    STAGE(mj_fwdVelocity, CF_WRITER_VELOCITY, CF_WRITER_COMVEL, CF_WRITER_PASSIVE,
          CF_WRITER_REFERENCE, CF_WRITER_RNE),
    STAGE(mj_sensorVel, CF_WRITER_SENSOR, CF_WRITER_SUBTREE),
    STAGE(mj_energyVel, CF_WRITER_ENERGY),
    STAGE(mj_fwdActuation, CF_WRITER_ACTUATION),
    STAGE(mj_fwdAcceleration, CF_WRITER_ACCELERATION),
    STAGE(mj_fwdConstraint, CF_WRITER_SOLVE),
    STAGE(mj_sensorAcc, CF_WRITER_SENSOR, CF_WRITER_POSTRNE),
};

static const cfStage euler = STAGE(mj_Euler, CF_WRITER_INPUT, CF_WRITER_INTEGRATE, CF_WRITER_SLEEP);
static const cfStage implicit =
    STAGE(mj_implicit, CF_WRITER_INPUT, CF_WRITER_INTEGRATE, CF_WRITER_DERIVATIVE, CF_WRITER_SLEEP);

// hash and length of every field
typedef struct {
  uint64_t hash[FIELDS_MAX];
  mjtSize count[FIELDS_MAX];
} cfSnapshot;


static uint64_t hashBytes(const void* bytes, size_t size) {
  uint64_t hash = 1469598103934665603ull;
  for (size_t i = 0; i < size; i++) {
    hash = (hash ^ ((const unsigned char*)bytes)[i]) * 1099511628211ull;
  }
  return hash;
}


static void takeSnapshot(cfSnapshot* snapshot, const cfFieldTable* table, const mjModel* m,
                         const mjData* d, const void* owner) {
  CF_TRUE(table->count <= FIELDS_MAX);
  for (int i = 0; i < table->count; i++) {
    const cfFieldInfo* field = table->field + i;
    const void* elements = cfi_fieldElements(field, owner);
    snapshot->count[i] = elements ? cfi_fieldCount(field, m, d) : 0;
    snapshot->hash[i] = hashBytes(elements, (size_t)snapshot->count[i] * field->size);
  }
}


// bookkeeping that any stage may touch, and fields that several stages fill in turn
static bool isShared(const cfFieldInfo* field) {
  return field->writer == CF_WRITER_ANY || field->writer == CF_WRITER_MEMORY ||
         !strcmp(field->name, "contact");
}


static bool mayWrite(const cfStage* stage, const cfFieldInfo* field) {
  for (int i = 0; i < stage->count; i++) {
    if (stage->allowed[i] == field->writer) {
      return true;
    }
  }
  return isShared(field);
}


// fields that changed must belong to the stage; arena arrays may also vanish when a new step
// begins, or be allocated by a stage before the one that fills them
static void checkWrites(const cfStage* stage, const cfFieldTable* table, const cfSnapshot* before,
                        const cfSnapshot* after) {
  for (int i = 0; i < table->count; i++) {
    const cfFieldInfo* field = table->field + i;
    bool allocated = cfi_fieldInArena(field) && (before->count[i] == 0 || after->count[i] == 0);
    bool changed = before->hash[i] != after->hash[i] || before->count[i] != after->count[i];
    if (changed && !allocated && !mayWrite(stage, field)) {
      CF_FAIL("%s wrote %s.%s\n", stage->name, table->owner, field->name);
    }
  }
}


static void runStage(const cfStage* stage, const mjModel* m, mjData* d) {
  static cfSnapshot arrays[2], scalars[2], model[2];
  for (int k = 0; k < 2; k++) {
    takeSnapshot(arrays + k, &cfi_dataFields, m, d, d);
    takeSnapshot(scalars + k, &cfi_dataScalars, m, d, d);
    takeSnapshot(model + k, &cfi_modelFields, m, d, m);
    if (k == 0) {
      stage->run(m, d);
    }
  }
  checkWrites(stage, &cfi_dataFields, arrays, arrays + 1);
  checkWrites(stage, &cfi_dataScalars, scalars, scalars + 1);
  checkWrites(stage, &cfi_modelFields, model, model + 1);
}


static mjModel* loadModel(void) {
  char error[500] = "";
  mjModel* m = mj_loadXML(CF_SOURCE_DIR "/tests/data/stages.xml", NULL, error, sizeof(error));
  if (!m) {
    CF_FAIL("%s\n", error);
  }
  return m;
}


// twenty steps, stage by stage
static void runSteps(mjModel* m, const cfStage* integrator) {
  mjData* d = mj_makeData(m);
  for (int step = 0; step < 20; step++) {
    for (int i = 0; i < m->nu; i++) {
      d->ctrl[i] = 0.5 * sin(0.3 * step + i);
    }
    for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
      runStage(stages + i, m, d);
    }
    runStage(integrator, m, d);
  }
  CF_TRUE(d->ncon > 0 && d->nefc > d->ncon);
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(stages__newton_and_euler__write_only_their_fields) {
  runSteps(loadModel(), &euler);
}


CF_TEST(stages__pgs_and_implicit__write_only_their_fields) {
  mjModel* m = loadModel();
  m->opt.solver = mjSOL_PGS;
  m->opt.integrator = mjINT_IMPLICIT;
  runSteps(m, &implicit);
}


CF_TEST(stages__elliptic_sparse_sleep__write_only_their_fields) {
  mjModel* m = loadModel();
  if (m) {
    m->opt.cone = mjCONE_ELLIPTIC;
    m->opt.jacobian = mjJAC_SPARSE;
    m->opt.solver = mjSOL_CG;
    m->opt.integrator = mjINT_IMPLICITFAST;
    m->opt.enableflags |= mjENBL_SLEEP;
    runSteps(m, &implicit);
  }
}

CF_TEST_MAIN("tables/stage_writes")
