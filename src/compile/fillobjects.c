// Everything outside the kinematic tree into mjModel, assets excepted.
#include "compile/phases.h"

#include <string.h>

#include "compile/fill.h"

// clang-format off
#define MATERIAL_FIELDS(ONE, ALL)                                                                    \
  ONE(mat_texuniform, attr.texuniform) ONE(mat_emission, attr.emission)                              \
  ONE(mat_specular, attr.specular) ONE(mat_shininess, attr.shininess)                                \
  ONE(mat_reflectance, attr.reflectance) ONE(mat_metallic, attr.metallic)                            \
  ONE(mat_roughness, attr.roughness) ALL(mat_texid, texid) ALL(mat_texrepeat, attr.texrepeat)        \
  ALL(mat_rgba, attr.rgba)

#define PAIR_FIELDS(ONE, ALL)                                                                        \
  ONE(pair_dim, attr.condim) ONE(pair_geom1, geom[0]->part.id) ONE(pair_geom2, geom[1]->part.id)     \
  ONE(pair_signature, signature) ONE(pair_margin, attr.margin) ONE(pair_gap, attr.gap)               \
  ALL(pair_solref, attr.solref) ALL(pair_solreffriction, attr.solreffriction)                        \
  ALL(pair_solimp, attr.solimp) ALL(pair_friction, attr.friction)

#define EXCLUDE_FIELDS(ONE, ALL) ONE(exclude_signature, signature)

#define EQUALITY_FIELDS(ONE, ALL)                                                                    \
  ONE(eq_type, attr.type) ONE(eq_obj1id, obj1id) ONE(eq_obj2id, obj2id)                              \
  ONE(eq_objtype, attr.objtype) ONE(eq_active0, attr.active) ALL(eq_solref, attr.solref)             \
  ALL(eq_solimp, attr.solimp) ALL(eq_data, attr.data)

#define TENDON_FIELDS(ONE, ALL)                                                                      \
  ONE(tendon_num, nwrap) ONE(tendon_matid, matid) ONE(tendon_group, attr.group)                      \
  ONE(tendon_limited, is_limited) ONE(tendon_actfrclimited, is_frclimited)                           \
  ONE(tendon_width, attr.width) ONE(tendon_margin, attr.margin)                                      \
  ONE(tendon_stiffness, attr.stiffness) ONE(tendon_damping, attr.damping)                            \
  ONE(tendon_armature, attr.armature) ONE(tendon_frictionloss, attr.frictionloss)                    \
  ALL(tendon_solref_lim, attr.solref_limit) ALL(tendon_solimp_lim, attr.solimp_limit)                \
  ALL(tendon_solref_fri, attr.solref_friction) ALL(tendon_solimp_fri, attr.solimp_friction)          \
  ALL(tendon_range, attr.range) ALL(tendon_actfrcrange, attr.actfrcrange)                            \
  ALL(tendon_lengthspring, attr.springlength) ALL(tendon_rgba, attr.rgba)

#define ACTUATOR_FIELDS(ONE, ALL)                                                                    \
  ONE(actuator_trntype, attr.trntype) ONE(actuator_dyntype, attr.dyntype)                            \
  ONE(actuator_gaintype, attr.gaintype) ONE(actuator_biastype, attr.biastype)                        \
  ONE(actuator_actnum, attr.actdim) ONE(actuator_actadr, actadr) ONE(actuator_group, attr.group)     \
  ONE(actuator_delay, attr.delay) ONE(actuator_historyadr, historyadr)                               \
  ONE(actuator_ctrllimited, is_ctrllimited) ONE(actuator_forcelimited, is_forcelimited)              \
  ONE(actuator_actlimited, is_actlimited) ONE(actuator_actearly, attr.actearly)                      \
  ONE(actuator_cranklength, attr.cranklength) ALL(actuator_trnid, trnid)                             \
  ALL(actuator_gear, attr.gear) ALL(actuator_dynprm, attr.dynprm)                                    \
  ALL(actuator_gainprm, attr.gainprm) ALL(actuator_biasprm, attr.biasprm)                            \
  ALL(actuator_ctrlrange, attr.ctrlrange) ALL(actuator_forcerange, attr.forcerange)                  \
  ALL(actuator_actrange, attr.actrange) ALL(actuator_lengthrange, attr.lengthrange)

#define SENSOR_FIELDS(ONE, ALL)                                                                      \
  ONE(sensor_type, attr.type) ONE(sensor_datatype, attr.datatype)                                    \
  ONE(sensor_needstage, attr.needstage) ONE(sensor_objtype, attr.objtype)                            \
  ONE(sensor_reftype, attr.reftype) ONE(sensor_dim, attr.dim) ONE(sensor_adr, adr)                   \
  ONE(sensor_cutoff, attr.cutoff) ONE(sensor_noise, attr.noise) ONE(sensor_delay, attr.delay)        \
  ONE(sensor_historyadr, historyadr) ALL(sensor_intprm, attr.intprm) ALL(sensor_interval, attr.interval)
// clang-format on


void cfi_fillUser(mjtNum* array, int room, int id, const void* userdata) {
  int given = cfi_countDoubles(userdata);
  for (int k = 0; k < room; k++) {
    array[(size_t)id * room + k] = k < given ? cfi_doubles(userdata)[k] : 0;
  }
}


static void fillMaterial(mjModel* m, const cfMaterialDraft* p) {
  int i = p->part.id;
  MATERIAL_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
}


static void fillPair(mjModel* m, const cfPairDraft* p) {
  int i = p->part.id;
  PAIR_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
}


static void fillExclude(mjModel* m, const cfExcludeDraft* p) {
  int i = p->part.id;
  EXCLUDE_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
}


static void fillEquality(mjModel* m, const cfEqualityDraft* p) {
  int i = p->part.id;
  EQUALITY_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
}


static void fillTendon(mjModel* m, const cfTendonDraft* p) {
  int i = p->part.id;
  int adr = i ? m->tendon_adr[i - 1] + m->tendon_num[i - 1] : 0;
  TENDON_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  cfi_fillUser(m->tendon_user, (int)m->nuser_tendon, i, p->attr.userdata);
  m->tendon_adr[i] = adr;
  for (int k = 0; k < p->nwrap; k++) {
    const cfWrapDraft* wrap = p->wrap + k;
    bool is_geom = wrap->type == mjWRAP_SPHERE || wrap->type == mjWRAP_CYLINDER;
    m->wrap_type[adr + k] = wrap->type;
    m->wrap_objid[adr + k] = wrap->obj ? wrap->obj->id : -1;
    m->wrap_prm[adr + k] = is_geom ? wrap->sideid : wrap->prm;
  }
}


static void fillActuator(mjModel* m, const cfActuatorDraft* p) {
  int i = p->part.id;
  ACTUATOR_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  cfi_fillUser(m->actuator_user, (int)m->nuser_actuator, i, p->attr.userdata);
  m->actuator_history[2 * i] = p->attr.nsample;
  m->actuator_history[2 * i + 1] = p->attr.interp;
  m->actuator_plugin[i] = -1;
}


static void fillSensor(mjModel* m, const cfSensorDraft* p) {
  int i = p->part.id;
  SENSOR_FIELDS(CF_FILL_ONE, CF_FILL_ALL)
  cfi_fillUser(m->sensor_user, (int)m->nuser_sensor, i, p->attr.userdata);
  m->sensor_objid[i] = p->obj ? p->obj->id : -1;
  m->sensor_refid[i] = p->ref ? p->ref->id : -1;
  m->sensor_history[2 * i] = p->attr.nsample;
  m->sensor_history[2 * i + 1] = p->attr.interp;
  m->sensor_plugin[i] = -1;
}


static void fillNumeric(mjModel* m, const cfNumericDraft* p) {
  int i = p->part.id;
  int adr = i ? m->numeric_adr[i - 1] + m->numeric_size[i - 1] : 0;
  m->numeric_adr[i] = adr;
  m->numeric_size[i] = p->attr.size;
  cfi_fillUser(m->numeric_data + adr, p->attr.size, 0, p->attr.data);
}


static void fillText(mjModel* m, const cfTextDraft* p) {
  int i = p->part.id;
  int adr = i ? m->text_adr[i - 1] + m->text_size[i - 1] : 0;
  const char* text = cfi_text(p->attr.data);
  m->text_adr[i] = adr;
  m->text_size[i] = (int)strlen(text) + 1;
  memcpy(m->text_data + adr, text, m->text_size[i]);
}


static void fillTuple(mjModel* m, const cfTupleDraft* p) {
  int i = p->part.id;
  int adr = i ? m->tuple_adr[i - 1] + m->tuple_size[i - 1] : 0;
  m->tuple_adr[i] = adr;
  m->tuple_size[i] = cfi_countInts(p->attr.objtype);
  for (int k = 0; k < m->tuple_size[i]; k++) {
    m->tuple_objtype[adr + k] = cfi_ints(p->attr.objtype)[k];
    m->tuple_objid[adr + k] = p->obj[k]->id;
    m->tuple_objprm[adr + k] = cfi_doubles(p->attr.objprm)[k];
  }
}


void cfi_fillObjects(cfDraft* draft) {
#define FILL_LIST(object, name)                                                                  \
  for (int i = 0; i < cfi_parts(draft, mjOBJ_##object)->count; i++) {                            \
    fill##name(draft->model, (const cf##name##Draft*)cfi_parts(draft, mjOBJ_##object)->item[i]); \
  }
  FILL_LIST(MATERIAL, Material)
  FILL_LIST(PAIR, Pair)
  FILL_LIST(EXCLUDE, Exclude)
  FILL_LIST(EQUALITY, Equality)
  FILL_LIST(TENDON, Tendon)
  FILL_LIST(ACTUATOR, Actuator)
  FILL_LIST(SENSOR, Sensor)
  FILL_LIST(NUMERIC, Numeric)
  FILL_LIST(TEXT, Text)
  FILL_LIST(TUPLE, Tuple)
#undef FILL_LIST
}
