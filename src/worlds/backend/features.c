// Features of models: conditions of tables/features.def, and what back ends answer to them.
#include "backend/features.h"

#include "base/assert.h"
#include "contactsolver/contactsolver.h"
#include "dynamics/gain.h"
#include "kinematics/tendonpath.h"
#include "model/extension.h"
#include "model/flags.h"
#include "model/jointkind.h"
#include "model/sensorkind.h"


// ---------------------------------------- the model as a whole

static bool usesExtension(const mjModel* m, int slot) {
  return cfi_modelExtension(m)->slot[slot].content != NULL;
}


static bool hasCallback(void) {
  return mjcb_control || mjcb_passive || mjcb_act_dyn || mjcb_act_gain || mjcb_act_bias ||
         mjcb_sensor || mjcb_contactfilter;
}


// The scalar stages take scratch from the arena and reserve room for the contacts of each pair that
// comes near, lanes do not: where one of them might find the arena full, worlds take it alone.  A
// generous estimate; arenas of models that do not ask for a size are ten times as large.
bool cfi_laneHasArena(const mjModel* m, int ncon) {
  enum { OBJECT = 1024, SCRATCH = 512 * OBJECT };
  const mjtSize count = m->nbody + m->ngeom + m->nv + m->nu + m->ntendon + m->nwrap;
  const mjtSize contacts = (ncon + mjMAXCONPAIR) * (mjtSize)sizeof(mjContact);
  CF_ASSERT(ncon >= 0);
  return m->narena >= SCRATCH + OBJECT * count + 32 * m->nv * m->nv + contacts;
}


// True if actuators carry the weight of bodies, or nothing does because passive forces are off.
static bool hasActuatedLift(const mjModel* m) {
  bool is_actuated = cfi_disabled(m, mjDSBL_SPRING) && cfi_disabled(m, mjDSBL_DAMPER);
  for (int j = 0; j < m->njnt; j++) {
    is_actuated |= m->jnt_actgravcomp[j];
  }
  return is_actuated;
}


// A diagonal inertia matrix has sums of its own in the scalar solver.
static bool hasDiagonalInertia(const mjModel* m) {
  const int nv = (int)m->nv;
  return nv && m->M_rowadr[nv - 1] - m->M_rowadr[0] == nv - 1 && m->M_rownnz[nv - 1] == 1;
}


static bool hasBallLimit(const mjModel* m) {
  bool has = false;
  for (int j = 0; j < m->njnt; j++) {
    has |= m->jnt_limited[j] && m->jnt_type[j] == mjJNT_BALL;
  }
  return has;
}


static int treeMovedBy(const mjModel* m, int jnt) {
  return m->dof_treeid[m->jnt_dofadr[jnt]];
}

// ---------------------------------------- tendons

static bool hasSpatialTendon(const mjModel* m) {
  bool has = false;
  for (int t = 0; t < m->ntendon; t++) {
    has |= !cfi_isFixedTendon(m, t);
  }
  return has;
}


// True if a number of some tendon is not zero.
static bool anyTendonNumber(const mjModel* m, const mjtNum* number) {
  bool has = false;
  for (int t = 0; t < m->ntendon; t++) {
    has |= number[t] != 0;
  }
  return has;
}


static bool hasTendonForceLimit(const mjModel* m) {
  bool has = false;
  for (int t = 0; t < m->ntendon; t++) {
    has |= m->tendon_actfrclimited[t] != 0;
  }
  return has;
}


static bool hasDrawnTendon(const mjModel* m) {
  return anyTendonNumber(m, m->tendon_stiffness) || anyTendonNumber(m, m->tendon_damping);
}


int cfi_treeOfTendon(const mjModel* m, int tendon) {
  CF_ASSERT_INDEX(tendon, m->ntendon);
  if (!cfi_isFixedTendon(m, tendon)) {
    return -1;
  }
  const int first = m->tendon_adr[tendon], end = first + m->tendon_num[tendon];
  const int tree = treeMovedBy(m, m->wrap_objid[first]);
  bool is_one = true;
  for (int w = first; w < end && is_one; w++) {
    is_one = treeMovedBy(m, m->wrap_objid[w]) == tree && m->wrap_prm[w] != 0;
  }
  return is_one ? tree : -1;
}


// True if a tendon with limits or friction moves several trees.
static bool hasWideTendonRows(const mjModel* m) {
  bool is_wide = false;
  for (int t = 0; t < m->ntendon && !is_wide; t++) {
    const bool has_rows = m->tendon_limited[t] || m->tendon_frictionloss[t] > 0;
    is_wide = has_rows && cfi_treeOfTendon(m, t) < 0;
  }
  return is_wide;
}

// ---------------------------------------- equalities

typedef bool (*equalityTest)(const mjModel* m, int eq);

static bool anyEquality(const mjModel* m, equalityTest is) {
  bool has = false;
  for (int eq = 0; eq < m->neq && !cfi_disabled(m, mjDSBL_EQUALITY); eq++) {
    has |= is(m, eq);
  }
  return has;
}


static bool isAnchored(const mjModel* m, int eq) {
  return m->eq_type[eq] == mjEQ_CONNECT || m->eq_type[eq] == mjEQ_WELD;
}


static bool isOfSites(const mjModel* m, int eq) {
  return isAnchored(m, eq) && m->eq_objtype[eq] != mjOBJ_BODY;
}


static bool isOfFlexes(const mjModel* m, int eq) {
  return m->eq_type[eq] > mjEQ_TENDON;
}


static bool isOfItself(const mjModel* m, int eq) {
  return !isAnchored(m, eq) && !isOfFlexes(m, eq) && m->eq_obj1id[eq] == m->eq_obj2id[eq];
}


// True if some equality is not of two joints of one tree, or of one joint.
static bool hasWideEquality(const mjModel* m) {
  bool is_wide = false;
  for (int eq = 0; eq < m->neq && !is_wide; eq++) {
    const int first = m->eq_obj1id[eq], second = m->eq_obj2id[eq];
    is_wide = m->eq_type[eq] != mjEQ_JOINT || first == second ||
              (second >= 0 && treeMovedBy(m, first) != treeMovedBy(m, second));
  }
  return is_wide;
}

// ---------------------------------------- actuators

typedef bool (*actuatorTest)(const mjModel* m, int u);

static bool anyActuator(const mjModel* m, actuatorTest is) {
  bool has = false;
  for (int u = 0; u < m->nu; u++) {
    has |= is(m, u);
  }
  return has;
}


static bool turnsJoint(const mjModel* m, int u) {
  return m->actuator_trntype[u] == mjTRN_JOINT || m->actuator_trntype[u] == mjTRN_JOINTINPARENT;
}


static bool pullsTendon(const mjModel* m, int u) {
  return m->actuator_trntype[u] == mjTRN_TENDON;
}


static bool pullsContacts(const mjModel* m, int u) {
  return m->actuator_trntype[u] == mjTRN_BODY;
}


static bool hasOtherTransmission(const mjModel* m, int u) {
  return !turnsJoint(m, u) && !pullsTendon(m, u);
}


static bool turnsWideJoint(const mjModel* m, int u) {
  return turnsJoint(m, u) && !cfi_isScalarJoint(m->jnt_type[m->actuator_trnid[2 * u]]);
}


static bool hasOtherGain(const mjModel* m, int u) {
  return m->actuator_gaintype[u] != mjGAIN_FIXED && m->actuator_gaintype[u] != mjGAIN_AFFINE;
}


static bool hasOtherBias(const mjModel* m, int u) {
  return m->actuator_biastype[u] != mjBIAS_NONE && m->actuator_biastype[u] != mjBIAS_AFFINE;
}


// True for rates of activation that are not built from ctrl by integrators and filters, and for
// activations without a rate.
static bool hasOtherDynamics(const mjModel* m, int u) {
  const int type = m->actuator_dyntype[u];
  const bool has_rate =
      type == mjDYN_INTEGRATOR || type == mjDYN_FILTER || type == mjDYN_FILTEREXACT;
  return (!has_rate && type != mjDYN_NONE) || has_rate != (m->actuator_actadr[u] >= 0);
}


static bool isDelayed(const mjModel* m, int u) {
  return m->actuator_delay[u] != 0;
}

// ---------------------------------------- sensors

static bool hasOtherSensor(const mjModel* m) {
  bool has = false;
  for (int i = 0; i < m->nsensor; i++) {
    const int type = m->sensor_type[i];
    has |= type < 0 || type > mjSENS_USER || !cfi_sensorKinds[type].in_team;
  }
  return has;
}


static bool isPlaced(int objtype) {
  return objtype == mjOBJ_BODY || objtype == mjOBJ_XBODY || objtype == mjOBJ_GEOM ||
         objtype == mjOBJ_SITE;
}


// True if the frame of a sensor or of its reference is not fixed on a body.
static bool hasCameraSensor(const mjModel* m) {
  bool has = false;
  for (int i = 0; i < m->nsensor; i++) {
    const bool has_frame = (cfi_typeReads(m->sensor_type[i]) & FROM_FRAMES) != 0;
    has |= has_frame && (!isPlaced(m->sensor_objtype[i]) ||
                         (m->sensor_refid[i] >= 0 && !isPlaced(m->sensor_reftype[i])));
  }
  return has;
}


static bool hasOtherTouch(const mjModel* m) {
  bool has = false;
  for (int i = 0; i < m->nsensor; i++) {
    const bool is_touch = m->sensor_type[i] == mjSENS_TOUCH;
    const int shape = is_touch ? m->site_type[m->sensor_objid[i]] : mjGEOM_SPHERE;
    has |= shape < mjGEOM_SPHERE || shape > mjGEOM_BOX;
  }
  return has;
}

// ---------------------------------------- differences of worlds

static bool differsInFriction(const mjModel* world, const mjModel* m) {
  bool differs = false;
  for (int i = 0; i < m->nv; i++) {
    differs |= (world->dof_frictionloss[i] == 0) != (m->dof_frictionloss[i] == 0);
  }
  return differs;
}


const char* cfi_teamDifference(const mjModel* world, const mjModel* m) {
  CF_ASSERT(world->nv == m->nv && world->ntendon == m->ntendon);
#define CF_DIFFERENCE(id, differs, team, reason)          \
  if (CF_SUPPORT_##team != CF_SUPPORT_YES && (differs)) { \
    return reason;                                        \
  }
#include "tables/features.def"
  return NULL;
}

// ---------------------------------------- the table

#define CF_FEATURE(id, used, lanes, team, device, reason) \
  static bool uses_##id(const mjModel* m) {               \
    (void)m;                                              \
    return used;                                          \
  }
#define CF_FEATURE_NOW CF_FEATURE
#include "tables/features.def"

const cfFeature cfi_features[CF_NFEATURE] = {
#define CF_FEATURE(id, used, lanes, team, device, reason) \
  {#id, uses_##id, lanes, CF_SUPPORT_##team, CF_SUPPORT_##device, reason},
#define CF_FEATURE_NOW CF_FEATURE
#include "tables/features.def"
};

// bits of conditions that are not of the model
static const cfFeatureSet now_features = 0
#define CF_FEATURE_NOW(id, used, lanes, team, device, reason) | (cfFeatureSet)1 << CF_HAS_##id
#include "tables/features.def"
    ;

static const cfFeature* more_feature;

_Static_assert(CF_NFEATURE < 64, "a bit per feature, and one for tests");


void cfi_addFeature(const cfFeature* feature) {
  more_feature = feature;
}


static const cfFeature* featureAt(int k) {
  return k < CF_NFEATURE ? cfi_features + k : more_feature;
}


cfFeatureSet cfi_featuresOf(const mjModel* m) {
  cfFeatureSet set = 0;
  for (int k = 0; k < CF_NFEATURE + (more_feature != NULL); k++) {
    const cfFeatureSet bit = (cfFeatureSet)1 << k;
    set |= !(now_features & bit) && featureAt(k)->isUsed(m) ? bit : 0;
  }
  return set;
}


cfFeatureSet cfi_featuresNow(void) {
  cfFeatureSet set = 0;
  for (int k = 0; k < CF_NFEATURE; k++) {
    const cfFeatureSet bit = (cfFeatureSet)1 << k;
    set |= (now_features & bit) && cfi_features[k].isUsed(NULL) ? bit : 0;
  }
  return set;
}


unsigned cfi_laneSupport(cfFeatureSet features) {
  unsigned stages = CF_LANE_ALL;
  for (cfFeatureSet left = features; left; left &= left - 1) {
    stages &= featureAt(__builtin_ctzll(left))->lanes;
  }
  return stages;
}


const char* cfi_teamRefusal(cfFeatureSet features, cftSupport support) {
  for (cfFeatureSet left = features; left; left &= left - 1) {
    const cfFeature* f = featureAt(__builtin_ctzll(left));
    if (f->team == support) {
      return f->reason;
    }
  }
  return NULL;
}


const char* cfi_deviceRefusal(cfFeatureSet features) {
  for (cfFeatureSet left = features; left; left &= left - 1) {
    const cfFeature* f = featureAt(__builtin_ctzll(left));
    if (f->device != CF_SUPPORT_YES) {
      return f->reason;
    }
  }
  return NULL;
}
