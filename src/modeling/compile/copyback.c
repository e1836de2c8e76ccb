// mj_copyBack: real numbers of a model, perhaps edited by a program, into the specification it was
// compiled from.
//
// The specification keeps its units and frames: angles turn back into degrees, poses back into the
// frame and mesh they were given in.  Orientations come back as quaternions, shapes given by two
// points as pose and size.  What the compiler computes from other attributes is left alone.
#include <math.h>
#include <string.h>

#include <cortenforge/actuator.h>
#include <cortenforge/flex.h>

#include "base/assert.h"
#include "compile/fill.h"
#include "compile/keep.h"
#include "compile/phases.h"
#include "compile/placement.h"
#include "flex/models.h"
#include "math/inline.h"

//---------------------------------- frames --------------------------------------------------------

// frames of the specification with their final poses; a draft that holds nothing else
static bool draftFrames(cfDraft* draft, cfSpec* spec) {
  draft->spec = spec;
  draft->compiler = &spec->pub.compiler;
  jmp_buf here;
  draft->escape = &here;
  if (setjmp(here)) {
    return false;
  }
  const cfList* frames = cfi_list(spec, mjOBJ_FRAME);
  for (int i = 0; i < frames->count; i++) {
    cfFrameDraft* frame = (cfFrameDraft*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfFrameDraft));
    frame->part = (cfPart){.origin = frames->item[i],
                           .name = cfi_text(&frames->item[i]->name),
                           .type = mjOBJ_FRAME,
                           .id = i};
    frame->attr = *(const mjsFrame*)frames->item[i]->attr;
    cfi_pushPart(draft, &draft->frames, &frame->part);
  }
  cfi_compileFrames(draft);
  return true;
}


// pose inside the body, seen from the frame around an element
static void intoFrame(const cfDraft* draft, const cfElement* e, double pos[3], double quat[4]) {
  if (!e->frame) {
    return;
  }
  const mjsFrame* frame = &((const cfFrameDraft*)draft->frames.item[e->frame->id])->attr;
  double inv_pos[3], inv_quat[4];
  cfi_invertPose(inv_pos, inv_quat, frame->pos, frame->quat);
  cfi_intoParent(pos, quat, inv_pos, inv_quat);
}


// pose of the model into the struct, as quaternion
static void poseBack(const cfDraft* draft, const cfElement* e, const mjtNum* pos,
                     const mjtNum* quat, double to_pos[3], double to_quat[4], mjsOrientation* alt) {
  cfi_copy3(to_pos, pos);
  cfi_copy4(to_quat, quat);
  intoFrame(draft, e, to_pos, to_quat);
  alt->type = mjORIENTATION_QUAT;
}


//---------------------------------- tree ----------------------------------------------------------

static void bodyBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsBody* p = (mjsBody*)e->attr;
  const int joint = m->body_jntadr[i];
  const bool is_free = joint >= 0 && m->jnt_type[joint] == mjJNT_FREE;
  const mjtNum* q0 = is_free ? m->qpos0 + m->jnt_qposadr[joint] : NULL;
  poseBack(draft, e, is_free ? q0 : m->body_pos + 3 * i, is_free ? q0 + 3 : m->body_quat + 4 * i,
           p->pos, p->quat, &p->alt);

  // scaling to a total mass only repeats itself when all masses are the scaled ones
  const mjsCompiler* compiler = &draft->spec->pub.compiler;
  if (compiler->settotalmass > 0 && compiler->inertiafromgeom != mjINERTIAFROMGEOM_TRUE && i) {
    p->explicitinertial = 1;
  }
  if (p->explicitinertial) {
    cfi_elementBack(m, FIELDS_INERTIAL, p, i, -1);
    p->ialt.type = mjORIENTATION_QUAT;
    p->fullinertia[0] = NAN;
  }
  cfi_elementBack(m, FIELDS_BODY, p, i, -1);
}


static void jointBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsJoint* p = (mjsJoint*)e->attr;
  double unused[4] = {1, 0, 0, 0}, inverse[4];
  cfi_elementBack(m, FIELDS_JOINT, p, i, m->jnt_dofadr[i]);
  if (e->frame && p->type != mjJNT_FREE) {
    intoFrame(draft, e, p->pos, unused);
    cfi_negQuat(inverse, ((const cfFrameDraft*)draft->frames.item[e->frame->id])->attr.quat);
    cfi_rotVecQuat(p->axis, p->axis, inverse);
  }
  const bool is_scalar = cfi_isScalarJoint((int)p->type);
  if (is_scalar) {
    p->ref = m->qpos0[m->jnt_qposadr[i]];
    p->springref = m->qpos_spring[m->jnt_qposadr[i]];
  }
  if (cfi_compilerOf(e)->degree && p->type != mjJNT_SLIDE) {
    const double scale = m->jnt_limited[i] ? 180 / mjPI : 1;
    p->range[0] *= scale;
    p->range[1] *= scale;
    p->ref *= 180 / mjPI;
    p->springref *= 180 / mjPI;
  }
}


static void geomBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsGeom* p = (mjsGeom*)e->attr;
  double pos[3], quat[4];
  cfi_copy3(pos, m->geom_pos + 3 * i);
  cfi_copy4(quat, m->geom_quat + 4 * i);
  if (m->geom_type[i] == mjGEOM_MESH || m->geom_type[i] == mjGEOM_SDF) {
    double inv_pos[3], inv_quat[4];
    const int mesh = m->geom_dataid[i];
    cfi_invertPose(inv_pos, inv_quat, m->mesh_pos + 3 * mesh, m->mesh_quat + 4 * mesh);
    cfi_appendPose(pos, quat, inv_pos, inv_quat);
  } else {
    // a primitive that was fitted to a mesh is now a primitive, of the mesh's material
    const cfElement* mesh = cfi_find(e->spec, mjOBJ_MESH, cfi_text(p->meshname));
    if (mesh && !cfi_length(p->material)) {
      cfi_copyMember(p->material, ((const mjsMesh*)mesh->attr)->material, CF_MEMBER_STRING);
    }
    cfi_assignString((cfString*)p->meshname, "");
    cfi_copy3(p->size, m->geom_size + 3 * i);
  }
  poseBack(draft, e, pos, quat, p->pos, p->quat, &p->alt);
  p->fromto[0] = NAN;
  cfi_elementBack(m, FIELDS_GEOM, p, i, -1);
  cfi_contactValuesBack(m, cfi_element(p->element), i);
}


static void siteBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsSite* p = (mjsSite*)e->attr;
  poseBack(draft, e, m->site_pos + 3 * i, m->site_quat + 4 * i, p->pos, p->quat, &p->alt);
  p->fromto[0] = NAN;
  cfi_elementBack(m, FIELDS_SITE, p, i, -1);
}


static void cameraBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsCamera* p = (mjsCamera*)e->attr;
  poseBack(draft, e, m->cam_pos + 3 * i, m->cam_quat + 4 * i, p->pos, p->quat, &p->alt);
  cfi_elementBack(m, FIELDS_CAMERA, p, i, -1);
}


static void lightBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsLight* p = (mjsLight*)e->attr;
  double unused[4] = {1, 0, 0, 0};
  cfi_elementBack(m, FIELDS_LIGHT, p, i, -1);
  if (e->frame) {
    double inverse[4];
    intoFrame(draft, e, p->pos, unused);
    cfi_negQuat(inverse, ((const cfFrameDraft*)draft->frames.item[e->frame->id])->attr.quat);
    cfi_rotVecQuat(p->dir, p->dir, inverse);
  }
}


//---------------------------------- objects outside the tree --------------------------------------

// elements whose rows say everything
static cftFields fieldsOf(mjtObj type) {
  switch ((int)type) {
    case mjOBJ_MATERIAL:
      return FIELDS_MATERIAL;
    case mjOBJ_PAIR:
      return FIELDS_PAIR;
    case mjOBJ_TENDON:
      return FIELDS_TENDON;
    case mjOBJ_ACTUATOR:
      return FIELDS_ACTUATOR;
    default:
      CF_ASSERT(type == mjOBJ_SENSOR);
      return FIELDS_SENSOR;
  }
}


static void plainBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  (void)draft;
  cfi_elementBack(m, fieldsOf(e->head.elemtype), e->attr, i, -1);
}


static void pairBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  plainBack(draft, m, e, i);
  cfi_contactValuesBack(m, cfi_element(((mjsPair*)e->attr)->element), i);
}


// models that a program chose since; where nothing is said, MuJoCo's need no name
static void flexBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsFlex* flex = (mjsFlex*)e->attr;
  (void)draft;
  if (cf_specFlexBending(flex)[0] || cfi_flexBending(m, i).model != &cfi_cotangentBending) {
    cf_setSpecFlexBending(flex, cf_flexBending(m, i));
  }
  if (cf_specFlexElasticity(flex)[0] || cfi_flexElasticity(m, i).model != &cfi_linearElasticity) {
    cf_setSpecFlexElasticity(flex, cf_flexElasticity(m, i));
  }
  cf_setSpecFlexImplicit(flex, cf_flexImplicit(m, i));
}


// the model that a program chose since, with its parameters
static void actuatorBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsActuator* actuator = (mjsActuator*)e->attr;
  const cfGainModel* model = cf_actuatorGain(m, i);
  plainBack(draft, m, e, i);
  cf_setSpecGain(actuator, model ? model->name : NULL, m->actuator_gainprm + mjNGAIN * i,
                 model ? model->nparameter : 0, NULL, 0);
}


static void equalityBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsEquality* equality = (mjsEquality*)e->attr;
  (void)draft;
  cfi_elementBack(m, FIELDS_EQUALITY, equality, i, -1);
  mju_copy(equality->data, m->eq_data + mjNEQDATA * i, mjNEQDATA);
}


static void numericBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  (void)draft;
  cfi_numbersBack(((mjsNumeric*)e->attr)->data, m->numeric_data + m->numeric_adr[i],
                  m->numeric_size[i]);
}


// elevations that were given, not those of a file
static void hfieldBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsHField* hfield = (mjsHField*)e->attr;
  const size_t count = (size_t)m->hfield_nrow[i] * (size_t)m->hfield_ncol[i];
  (void)draft;
  if (cfi_countFloats(hfield->userdata)) {
    cfi_assignVec((cfVec*)hfield->userdata, m->hfield_data + m->hfield_adr[i], count,
                  sizeof(float));
  }
}


static void tupleBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  (void)draft;
  cfi_numbersBack(((mjsTuple*)e->attr)->objprm, m->tuple_objprm + m->tuple_adr[i],
                  m->tuple_size[i]);
}


static void keyBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsKey* p = (mjsKey*)e->attr;
  (void)draft;
  p->time = m->key_time[i];
  cfi_numbersBack(p->qpos, m->key_qpos + m->nq * i, (int)m->nq);
  cfi_numbersBack(p->qvel, m->key_qvel + m->nv * i, (int)m->nv);
  cfi_numbersBack(p->act, m->key_act + m->na * i, (int)m->na);
  cfi_numbersBack(p->ctrl, m->key_ctrl + m->nu * i, (int)m->nu);
  cfi_numbersBack(p->mpos, m->key_mpos + 3 * m->nmocap * i, 3 * (int)m->nmocap);
  cfi_numbersBack(p->mquat, m->key_mquat + 4 * m->nmocap * i, 4 * (int)m->nmocap);
}


//---------------------------------- whole model ---------------------------------------------------

typedef void backFunction(const cfDraft* draft, const mjModel* m, const cfElement* e, int i);

static const struct {
  mjtObj type;
  backFunction* back;
} back_kinds[] = {
    {mjOBJ_BODY, bodyBack},      {mjOBJ_JOINT, jointBack},       {mjOBJ_GEOM, geomBack},
    {mjOBJ_SITE, siteBack},      {mjOBJ_CAMERA, cameraBack},     {mjOBJ_LIGHT, lightBack},
    {mjOBJ_MATERIAL, plainBack}, {mjOBJ_PAIR, pairBack},         {mjOBJ_EQUALITY, equalityBack},
    {mjOBJ_TENDON, plainBack},   {mjOBJ_ACTUATOR, actuatorBack}, {mjOBJ_SENSOR, plainBack},
    {mjOBJ_FLEX, flexBack},      {mjOBJ_NUMERIC, numericBack},   {mjOBJ_TUPLE, tupleBack},
    {mjOBJ_KEY, keyBack},        {mjOBJ_HFIELD, hfieldBack},
};


// statistics that a program changed become the user's
static void statisticsBack(cfSpec* spec, const mjModel* m) {
  const mjtNum* now = (const mjtNum*)&m->stat;
  const mjtNum* computed = (const mjtNum*)&spec->computed;
  mjtNum* given = (mjtNum*)&spec->pub.stat;
  const bool is_moved = memcmp(m->stat.center, spec->computed.center, sizeof(m->stat.center)) != 0;
  for (size_t k = 0; k < sizeof(mjStatistic) / sizeof(mjtNum); k++) {
    const bool is_center = k >= offsetof(mjStatistic, center) / sizeof(mjtNum);
    if (is_center ? is_moved : now[k] != computed[k]) {
      given[k] = now[k];
    }
  }
}


// why a model cannot be copied back; NULL when it can
static const char* refusal(const cfSpec* spec, const mjModel* m) {
  if (!m) {
    return "mjModel pointer is null in CopyBack";
  }
  if (!spec->is_compiled) {
    return "mjCModel has not been compiled in CopyBack";
  }
  if (spec->self.head.signature != m->signature) {
    return "incompatible signatures in CopyBack";
  }
  return NULL;
}


int mj_copyBack(mjSpec* s, const mjModel* m) {
  cfSpec* spec = cfi_spec(s);
  const char* trouble = refusal(spec, m);
  cfDraft draft = {0};
  if (!trouble && !draftFrames(&draft, spec)) {
    trouble = "frames cannot be resolved in CopyBack";
  }
  if (trouble) {
    cfi_setError(spec, false, "Error: %s", trouble);
    cfi_poolFree(&draft.pool);
    return 0;
  }
  s->option = m->opt;
  s->visual = m->vis;
  statisticsBack(spec, m);
  cfi_contactSolverBack(spec, m);

  // static bodies that were fused stand in the specification still: what is saved follows the model
  for (size_t k = 0; !spec->is_fused && k < sizeof(back_kinds) / sizeof(back_kinds[0]); k++) {
    const cfList* list = cfi_list(spec, back_kinds[k].type);
    for (int i = 0; i < list->count; i++) {
      if (list->item[i]->model_id) {
        back_kinds[k].back(&draft, m, list->item[i], list->item[i]->model_id - 1);
      }
    }
  }
  cfi_poolFree(&draft.pool);
  cfi_keptBack(spec, m);
  return 1;
}
