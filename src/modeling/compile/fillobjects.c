// Everything outside the kinematic tree into mjModel, assets excepted.
#include "compile/phases.h"

#include <string.h>

#include "compile/fill.h"

static void fillMaterial(mjModel* m, const cfMaterialDraft* material) {
  cfi_fillElement(m, FIELDS_MATERIAL, material, material->part.id);
}


static void fillPair(mjModel* m, const cfPairDraft* pair) {
  cfi_fillElement(m, FIELDS_PAIR, pair, pair->part.id);
  m->pair_geom1[pair->part.id] = pair->geom[0]->part.id;
  m->pair_geom2[pair->part.id] = pair->geom[1]->part.id;
}


static void fillExclude(mjModel* m, const cfExcludeDraft* exclude) {
  cfi_fillElement(m, FIELDS_EXCLUDE, exclude, exclude->part.id);
}


static void fillEquality(mjModel* m, const cfEqualityDraft* equality) {
  cfi_fillElement(m, FIELDS_EQUALITY, equality, equality->part.id);
}


static void fillTendon(mjModel* m, const cfTendonDraft* p) {
  const int i = p->part.id;
  const int adr = i ? m->tendon_adr[i - 1] + m->tendon_num[i - 1] : 0;
  cfi_fillElement(m, FIELDS_TENDON, p, i);
  m->tendon_adr[i] = adr;
  for (int k = 0; k < p->nwrap; k++) {
    const cfWrapDraft* wrap = p->wrap + k;
    const bool is_geom = wrap->type == mjWRAP_SPHERE || wrap->type == mjWRAP_CYLINDER;
    m->wrap_type[adr + k] = wrap->type;
    m->wrap_objid[adr + k] = wrap->obj ? wrap->obj->id : -1;
    m->wrap_prm[adr + k] = is_geom ? wrap->sideid : wrap->prm;
  }
}


static void fillActuator(mjModel* m, const cfActuatorDraft* actuator) {
  cfi_fillElement(m, FIELDS_ACTUATOR, actuator, actuator->part.id);
}


static void fillSensor(mjModel* m, const cfSensorDraft* sensor) {
  const int i = sensor->part.id;
  cfi_fillElement(m, FIELDS_SENSOR, sensor, i);
  m->sensor_objid[i] = sensor->obj ? sensor->obj->id : -1;
  m->sensor_refid[i] = sensor->ref ? sensor->ref->id : -1;
}


static void fillNumeric(mjModel* m, const cfNumericDraft* p) {
  const int i = p->part.id;
  const int adr = i ? m->numeric_adr[i - 1] + m->numeric_size[i - 1] : 0;
  m->numeric_adr[i] = adr;
  m->numeric_size[i] = p->attr.size;
  cfi_fillUser(m->numeric_data + adr, p->attr.size, 0, p->attr.data);
}


static void fillText(mjModel* m, const cfTextDraft* p) {
  const int i = p->part.id;
  const int adr = i ? m->text_adr[i - 1] + m->text_size[i - 1] : 0;
  const char* text = cfi_text(p->attr.data);
  m->text_adr[i] = adr;
  m->text_size[i] = (int)strlen(text) + 1;
  memcpy(m->text_data + adr, text, m->text_size[i]);
}


static void fillTuple(mjModel* m, const cfTupleDraft* p) {
  const int i = p->part.id;
  const int adr = i ? m->tuple_adr[i - 1] + m->tuple_size[i - 1] : 0;
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
