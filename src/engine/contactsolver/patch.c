#include "contactsolver/patch.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/assert.h"
#include "contactsolver/huntlaw.h"
#include "contactsolver/patchshape.h"
#include "math/inline.h"
#include "model/data.h"

// contacts of one pair of geoms, as colliders found them
typedef struct {
  const mjContact* con;
  int count;
  int pair;       // number of the predefined pair, -1: none
  mjtNum reach;   // deepest penetration
  mjtNum pos[3];  // mean by depth
} contactRun;


// ---------------------------------------- parameters

// Value of a geom: of the pair, else its own, else of the model.
static mjtNum geomValue(const cfContactSetting* setting, const mjModel* m, int pair, int geom,
                        int k) {
  const size_t n = (size_t)setting->solver->nparameter;
  if (setting->own && pair >= 0) {
    const mjtNum value = setting->own[((size_t)m->ngeom + (size_t)pair) * n + (size_t)k];
    if (!isnan(value)) {
      return value;
    }
  }
  const mjtNum value = setting->own ? setting->own[(size_t)geom * n + (size_t)k] : NAN;
  return isnan(value) ? setting->parameter[k] : value;
}


// A geom without a modulus or, being a plane, without a thickness is rigid.
static cfPressureField pressureFieldOf(const cfContactSetting* setting, const mjModel* m,
                                       const mjData* d, int pair, int geom) {
  const mjtNum modulus = geomValue(setting, m, pair, geom, HUNT_MODULUS);
  mjtNum thickness = geomValue(setting, m, pair, geom, HUNT_THICKNESS);
  thickness = thickness > 0 ? thickness : cfi_fieldThickness(m, geom);
  cfPressureField field = {.m = m, .d = d, .geom = geom, .scale = 1};
  field.is_rigid = !(modulus > 0 && thickness > 0);
  if (!field.is_rigid) {
    field.scale = modulus / thickness;
  }
  return field;
}


// True if the contacts of a run are to become a patch.
static bool openPatchPair(const cfContactSetting* setting, const mjModel* m, const mjData* d,
                          const contactRun* run, cfPatchPair* pair) {
  const int* geom = run->con->geom;
  if (geom[0] < 0 || geom[1] < 0 || !cfi_hasField(m, geom[0]) || !cfi_hasField(m, geom[1])) {
    return false;
  }
  mjtNum size = INFINITY;
  for (int k = 0; k < 2; k++) {
    pair->field[k] = pressureFieldOf(setting, m, d, run->pair, geom[k]);
    size = m->geom_rbound[geom[k]] > 0 ? cfi_min(size, m->geom_rbound[geom[k]]) : size;
  }
  pair->size = 2 * size;
  pair->rings = (int)setting->parameter[HUNT_REFINEMENT];
  return isfinite(size) && !(pair->field[0].is_rigid && pair->field[1].is_rigid);
}


// ---------------------------------------- runs

// The contacts from number `from` on that belong to the same two geoms.
static contactRun runAt(const mjModel* m, const mjContact* con, int n) {
  contactRun run = {.con = con, .pair = -1};
  mjtNum weight = 0;
  while (run.count < n && con[run.count].geom[0] == con->geom[0] &&
         con[run.count].geom[1] == con->geom[1]) {
    const mjContact* c = con + run.count++;
    const mjtNum depth = cfi_max(0, -c->dist);
    weight += depth;
    run.reach = cfi_max(run.reach, depth);
    cfi_addToScl3(run.pos, c->pos, depth);
  }
  for (int k = 0; k < 3 && weight > 0; k++) {
    run.pos[k] /= weight;
  }
  run.pair = con->geom[0] < 0 ? -1 : cfi_pairOfContact(m, con);
  return run;
}


// mean normal by depth
static void meanNormal(const contactRun* run, mjtNum normal[3]) {
  cfi_zero3(normal);
  for (int k = 0; k < run->count; k++) {
    cfi_addToScl3(normal, run->con[k].frame, cfi_max(0, -run->con[k].dist));
  }
  if (cfi_norm3(normal) < 1e-3 * run->reach) {
    cfi_copy3(normal, run->con[0].frame);
  }
  cfi_normalize3(normal);
}


// ---------------------------------------- center

static void openFields(cfPatchPair* pair, const contactRun* run, const mjtNum origin[3]) {
  cfi_openField(&pair->field[0], run->con->geom[1], 1.01 * run->reach, origin);
  cfi_openField(&pair->field[1], run->con->geom[0], 1.01 * run->reach, origin);
}


// Move the center along the normal onto the contact surface.
static void centerPatch(cfPatchPair* pair, const contactRun* run, mjtNum center[3]) {
  enum { HALVINGS = 40 };
  mjtNum low = -run->reach, high = run->reach;
  cfi_copy3(center, run->pos);
  openFields(pair, run, center);
  for (int k = 0; k < HALVINGS; k++) {
    mjtNum x[3];
    const mjtNum middle = 0.5 * (low + high);
    for (int i = 0; i < 3; i++) {
      x[i] = middle * pair->normal[i];
    }
    const mjtNum a = pair->field[1].is_rigid ? 0 : cfi_fieldAt(&pair->field[0], x);
    const mjtNum b = pair->field[0].is_rigid ? 0 : cfi_fieldAt(&pair->field[1], x);
    *((pair->field[1].is_rigid ? -cfi_fieldAt(&pair->field[1], x) : a - b) > 0 ? &low : &high) =
        middle;
  }
  cfi_addToScl3(center, pair->normal, 0.5 * (low + high));
  openFields(pair, run, center);
}


// ---------------------------------------- contacts

// A point as a contact with the parameters of the run's first.
static mjContact contactOf(const contactRun* run, const cfPatchPoint* point,
                           const mjtNum center[3]) {
  mjContact con = run->con[0];
  cfi_copy3(con.frame, point->normal);
  cfi_addToScl3(con.frame + 3, con.frame, -cfi_dot3(con.frame + 3, con.frame));
  if (cfi_norm3(con.frame + 3) < 0.1) {
    cfi_zero3(con.frame + 3);
  }
  cfi_makeFrame(con.frame);
  for (int i = 0; i < 3; i++) {
    con.pos[i] = center[i] + point->pos[i];
  }
  const mjtNum reach = 2 * run->reach;
  con.dist =
      -(point->pressure < point->gradient * reach ? point->pressure / point->gradient : reach);
  con.exclude = con.dist >= con.includemargin;
  for (int k = 0; k < 36; k++) {
    con.H[k] = 0;
  }
  con.H[PATCH_AREA] = point->area;
  con.H[PATCH_PRESSURE] = point->pressure;
  con.H[PATCH_GRADIENT] = point->gradient;
  return con;
}


static bool appendPatchContact(mjData* d, const mjContact* con) {
  mjContact* to = cfi_arenaAlloc(d, sizeof(mjContact), _Alignof(mjContact));
  if (!to) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  *to = *con;
  d->ncon++;
  return true;
}


// contacts that stay: those of a pair without fields, or in the gap, where they make no force
static bool keepContacts(mjData* d, const contactRun* run, bool all) {
  for (int k = 0; k < run->count; k++) {
    if (all || run->con[k].exclude) {
      mjContact con = run->con[k];
      con.H[PATCH_AREA] = 0;
      if (!appendPatchContact(d, &con)) {
        return false;
      }
    }
  }
  return true;
}


// scratch for the planes of both fields, the making of the points and the points
static size_t patchBytes(cfPatchPair* pair) {
  size_t planes = 0;
  for (int k = 0; k < 2; k++) {
    cfPressureField* f = &pair->field[k];
    f->room = cfi_fieldRoom(f->m, f->geom, PATCH_SAMPLES(pair->rings));
    planes += (size_t)f->room;
  }
  return planes * sizeof(cfFieldPlane) + cfi_patchScratch(pair) * sizeof(mjtNum) +
         PATCH_POINTS(pair->rings) * sizeof(cfPatchPoint);
}


static bool makePatch(mjData* d, cfPatchPair* pair, const contactRun* run) {
  const size_t bytes = patchBytes(pair);
  if (!cfi_stackFits(d, bytes, _Alignof(mjtNum))) {
    mj_warning(d, mjWARN_CONTACTFULL, d->ncon);
    return false;
  }
  mj_markStack(d);
  pair->field[0].plane = mj_stackAllocByte(d, bytes, _Alignof(mjtNum));
  pair->field[1].plane = pair->field[0].plane + pair->field[0].room;
  mjtNum* scratch = (mjtNum*)(pair->field[1].plane + pair->field[1].room);
  cfPatchPoint* point = (cfPatchPoint*)(scratch + cfi_patchScratch(pair));
  mjtNum center[3];
  meanNormal(run, pair->normal);
  centerPatch(pair, run, center);
  const int n = cfi_patchPoints(pair, scratch, point);
  CF_ASSERT(n <= PATCH_POINTS(pair->rings));
  bool is_room = true;
  for (int k = 0; k < n && is_room; k++) {
    const mjContact con = contactOf(run, point + k, center);
    is_room = appendPatchContact(d, &con);
  }
  mj_freeStack(d);
  return is_room;
}


bool cfi_hasPatches(const mjModel* m, const cfContactSetting* setting) {
  const size_t n = (size_t)setting->solver->nparameter;
  bool has = setting->parameter[HUNT_MODULUS] > 0;
  for (size_t k = 0; setting->own && k < (size_t)(m->ngeom + m->npair) && !has; k++) {
    has = setting->own[k * n + HUNT_MODULUS] > 0;
  }
  return has;
}


void cfi_patchContacts(const mjModel* m, mjData* d) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  const int ncon = d->ncon;
  if (!ncon || !cfi_hasPatches(m, setting)) {
    return;
  }
  if (!cfi_stackFits(d, (size_t)ncon * sizeof(mjContact), _Alignof(mjContact))) {
    mj_warning(d, mjWARN_CONTACTFULL, ncon);
    cfi_clearArenaArrays(d, 0);
    return;
  }
  mj_markStack(d);
  mjContact* found = mj_stackAllocByte(d, (size_t)ncon * sizeof(mjContact), _Alignof(mjContact));
  memcpy(found, d->contact, (size_t)ncon * sizeof(mjContact));
  cfi_clearArenaArrays(d, 0);
  bool is_room = true;
  for (int k = 0; k < ncon && is_room;) {
    const contactRun run = runAt(m, found + k, ncon - k);
    cfPatchPair pair;
    const bool is_patch = openPatchPair(setting, m, d, &run, &pair);
    is_room = keepContacts(d, &run, !is_patch);
    if (is_patch && run.reach > 0 && is_room) {
      is_room = makePatch(d, &pair, &run);
    }
    k += run.count;
  }
  mj_freeStack(d);
}


int cf_contactPatch(const mjModel* m, const mjData* d, int contact, mjtNum* area,
                    mjtNum* pressure) {
  const cfContactSetting* setting = cfi_contactSetting(m);
  if (contact < 0 || contact >= d->ncon || !setting || !setting->solver->contacts ||
      !cfi_hasPatches(m, setting) || !(d->contact[contact].H[PATCH_AREA] > 0)) {
    return 0;
  }
  const mjtNum* patch = cfi_patchOf(d->contact + contact);
  if (area) {
    *area = patch[PATCH_AREA];
  }
  if (pressure) {
    *pressure = patch[PATCH_PRESSURE];
  }
  return 1;
}
