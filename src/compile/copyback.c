// mj_copyBack: real numbers of a model, perhaps edited by a program, into the specification it was
// compiled from.
//
// The specification keeps its units and frames: angles turn back into degrees, poses back into the
// frame and mesh they were given in.  Orientations come back as quaternions, shapes given by two
// points as pose and size.  What the compiler computes from other attributes is left alone.
#include <math.h>
#include <string.h>

#include "compile/phases.h"
#include "compile/placement.h"
#include "math/inline.h"

// expanded where `m` is the model, `p` the mjs struct and `i` the id
#define BACK_ONE(array, member) p->member = m->array[i];
#define BACK_ALL(array, member)                                                           \
  for (int cf_k = 0, cf_n = (int)(sizeof(p->member) / sizeof(p->member[0])); cf_k < cf_n; \
       cf_k++) {                                                                          \
    p->member[cf_k] = m->array[i * cf_n + cf_k];                                          \
  }


// numbers per element; nothing where the model keeps none
static void copyNumbers(void* vec, const mjtNum* array, int count) {
  if (count > 0) {
    cfi_assignVec((cfVec*)vec, array, count, sizeof(double));
  }
}


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
  int joint = m->body_jntadr[i];
  bool is_free = joint >= 0 && m->jnt_type[joint] == mjJNT_FREE;
  const mjtNum* q0 = is_free ? m->qpos0 + m->jnt_qposadr[joint] : NULL;
  poseBack(draft, e, is_free ? q0 : m->body_pos + 3 * i, is_free ? q0 + 3 : m->body_quat + 4 * i,
           p->pos, p->quat, &p->alt);

  // scaling to a total mass only repeats itself when all masses are the scaled ones
  const mjsCompiler* compiler = &draft->spec->pub.compiler;
  if (compiler->settotalmass > 0 && compiler->inertiafromgeom != mjINERTIAFROMGEOM_TRUE && i) {
    p->explicitinertial = 1;
  }
  if (p->explicitinertial) {
    BACK_ONE(body_mass, mass)
    BACK_ALL(body_ipos, ipos)
    BACK_ALL(body_iquat, iquat)
    BACK_ALL(body_inertia, inertia)
    p->ialt.type = mjORIENTATION_QUAT;
    p->fullinertia[0] = NAN;
  }
  copyNumbers(p->userdata, m->body_user + m->nuser_body * i, (int)m->nuser_body);
}


// clang-format off
#define JOINT_DOF_FIELDS(ONE, ALL)                                              \
  ONE(dof_armature, armature) ONE(dof_damping, damping)                         \
  ONE(dof_frictionloss, frictionloss) ALL(dof_solref, solref_friction)          \
  ALL(dof_solimp, solimp_friction)
// clang-format on

static void jointBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int id) {
  mjsJoint* p = (mjsJoint*)e->attr;
  int i = id;
  double unused[4] = {1, 0, 0, 0}, inverse[4];
  BACK_ALL(jnt_pos, pos)
  BACK_ALL(jnt_axis, axis)
  BACK_ALL(jnt_range, range)
  BACK_ONE(jnt_stiffness, stiffness)
  BACK_ONE(jnt_margin, margin)
  BACK_ALL(jnt_solref, solref_limit)
  BACK_ALL(jnt_solimp, solimp_limit)
  if (e->frame && p->type != mjJNT_FREE) {
    intoFrame(draft, e, p->pos, unused);
    cfi_negQuat(inverse, ((const cfFrameDraft*)draft->frames.item[e->frame->id])->attr.quat);
    cfi_rotVecQuat(p->axis, p->axis, inverse);
  }
  bool is_scalar = p->type == mjJNT_HINGE || p->type == mjJNT_SLIDE;
  if (is_scalar) {
    p->ref = m->qpos0[m->jnt_qposadr[i]];
    p->springref = m->qpos_spring[m->jnt_qposadr[i]];
  }
  if (cfi_compilerOf(e)->degree && p->type != mjJNT_SLIDE) {
    double scale = m->jnt_limited[i] ? 180 / mjPI : 1;
    p->range[0] *= scale;
    p->range[1] *= scale;
    p->ref *= 180 / mjPI;
    p->springref *= 180 / mjPI;
  }
  copyNumbers(p->userdata, m->jnt_user + m->nuser_jnt * i, (int)m->nuser_jnt);
  i = m->jnt_dofadr[i];
  JOINT_DOF_FIELDS(BACK_ONE, BACK_ALL)
}


static void geomBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsGeom* p = (mjsGeom*)e->attr;
  double pos[3], quat[4];
  cfi_copy3(pos, m->geom_pos + 3 * i);
  cfi_copy4(quat, m->geom_quat + 4 * i);
  if (m->geom_type[i] == mjGEOM_MESH || m->geom_type[i] == mjGEOM_SDF) {
    double inv_pos[3], inv_quat[4];
    int mesh = m->geom_dataid[i];
    cfi_invertPose(inv_pos, inv_quat, m->mesh_pos + 3 * mesh, m->mesh_quat + 4 * mesh);
    cfi_appendPose(pos, quat, inv_pos, inv_quat);
  } else {
    // a primitive that was fitted to a mesh is now a primitive
    cfi_assignString((cfString*)p->meshname, "");
    BACK_ALL(geom_size, size)
  }
  poseBack(draft, e, pos, quat, p->pos, p->quat, &p->alt);
  p->fromto[0] = NAN;
  BACK_ALL(geom_friction, friction)
  BACK_ALL(geom_solref, solref)
  BACK_ALL(geom_solimp, solimp)
  BACK_ALL(geom_rgba, rgba)
  BACK_ONE(geom_solmix, solmix)
  BACK_ONE(geom_margin, margin)
  BACK_ONE(geom_gap, gap)
  copyNumbers(p->userdata, m->geom_user + m->nuser_geom * i, (int)m->nuser_geom);
}


static void siteBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsSite* p = (mjsSite*)e->attr;
  poseBack(draft, e, m->site_pos + 3 * i, m->site_quat + 4 * i, p->pos, p->quat, &p->alt);
  p->fromto[0] = NAN;
  BACK_ALL(site_size, size)
  BACK_ALL(site_rgba, rgba)
  copyNumbers(p->userdata, m->site_user + m->nuser_site * i, (int)m->nuser_site);
}


static void cameraBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsCamera* p = (mjsCamera*)e->attr;
  poseBack(draft, e, m->cam_pos + 3 * i, m->cam_quat + 4 * i, p->pos, p->quat, &p->alt);
  BACK_ONE(cam_fovy, fovy)
  BACK_ONE(cam_ipd, ipd)
  BACK_ALL(cam_resolution, resolution)
  copyNumbers(p->userdata, m->cam_user + m->nuser_cam * i, (int)m->nuser_cam);
}


static void lightBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsLight* p = (mjsLight*)e->attr;
  double unused[4] = {1, 0, 0, 0};
  BACK_ALL(light_pos, pos)
  BACK_ALL(light_dir, dir)
  BACK_ALL(light_attenuation, attenuation)
  BACK_ALL(light_ambient, ambient)
  BACK_ALL(light_diffuse, diffuse)
  BACK_ALL(light_specular, specular)
  BACK_ONE(light_cutoff, cutoff)
  BACK_ONE(light_exponent, exponent)
  if (e->frame) {
    double inverse[4];
    intoFrame(draft, e, p->pos, unused);
    cfi_negQuat(inverse, ((const cfFrameDraft*)draft->frames.item[e->frame->id])->attr.quat);
    cfi_rotVecQuat(p->dir, p->dir, inverse);
  }
}


//---------------------------------- objects outside the tree --------------------------------------

static void materialBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsMaterial* p = (mjsMaterial*)e->attr;
  (void)draft;
  BACK_ALL(mat_texrepeat, texrepeat)
  BACK_ALL(mat_rgba, rgba)
  BACK_ONE(mat_emission, emission)
  BACK_ONE(mat_specular, specular)
  BACK_ONE(mat_shininess, shininess)
  BACK_ONE(mat_reflectance, reflectance)
}


static void pairBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsPair* p = (mjsPair*)e->attr;
  (void)draft;
  BACK_ALL(pair_solref, solref)
  BACK_ALL(pair_solreffriction, solreffriction)
  BACK_ALL(pair_solimp, solimp)
  BACK_ALL(pair_friction, friction)
  BACK_ONE(pair_margin, margin)
  BACK_ONE(pair_gap, gap)
}


static void equalityBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsEquality* p = (mjsEquality*)e->attr;
  (void)draft;
  BACK_ALL(eq_data, data)
  BACK_ALL(eq_solref, solref)
  BACK_ALL(eq_solimp, solimp)
}


// clang-format off
#define TENDON_BACK_FIELDS(ONE, ALL)                                                       \
  ONE(tendon_width, width) ONE(tendon_margin, margin) ONE(tendon_stiffness, stiffness)     \
  ONE(tendon_damping, damping) ONE(tendon_armature, armature)                              \
  ONE(tendon_frictionloss, frictionloss) ALL(tendon_range, range)                          \
  ALL(tendon_actfrcrange, actfrcrange) ALL(tendon_solref_lim, solref_limit)                \
  ALL(tendon_solimp_lim, solimp_limit) ALL(tendon_solref_fri, solref_friction)             \
  ALL(tendon_solimp_fri, solimp_friction) ALL(tendon_rgba, rgba)
// clang-format on

static void tendonBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsTendon* p = (mjsTendon*)e->attr;
  (void)draft;
  TENDON_BACK_FIELDS(BACK_ONE, BACK_ALL)
  copyNumbers(p->userdata, m->tendon_user + m->nuser_tendon * i, (int)m->nuser_tendon);
}


// clang-format off
#define ACTUATOR_BACK_FIELDS(ONE, ALL)                                                     \
  ONE(actuator_cranklength, cranklength) ALL(actuator_dynprm, dynprm)                      \
  ALL(actuator_gainprm, gainprm) ALL(actuator_biasprm, biasprm)                            \
  ALL(actuator_ctrlrange, ctrlrange) ALL(actuator_forcerange, forcerange)                  \
  ALL(actuator_actrange, actrange) ALL(actuator_lengthrange, lengthrange)                  \
  ALL(actuator_gear, gear)
// clang-format on

static void actuatorBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsActuator* p = (mjsActuator*)e->attr;
  (void)draft;
  ACTUATOR_BACK_FIELDS(BACK_ONE, BACK_ALL)
  copyNumbers(p->userdata, m->actuator_user + m->nuser_actuator * i, (int)m->nuser_actuator);
}


static void sensorBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsSensor* p = (mjsSensor*)e->attr;
  (void)draft;
  BACK_ONE(sensor_cutoff, cutoff)
  BACK_ONE(sensor_noise, noise)
  copyNumbers(p->userdata, m->sensor_user + m->nuser_sensor * i, (int)m->nuser_sensor);
}


static void numericBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  (void)draft;
  copyNumbers(((mjsNumeric*)e->attr)->data, m->numeric_data + m->numeric_adr[i],
              m->numeric_size[i]);
}


static void tupleBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  (void)draft;
  copyNumbers(((mjsTuple*)e->attr)->objprm, m->tuple_objprm + m->tuple_adr[i], m->tuple_size[i]);
}


static void keyBack(const cfDraft* draft, const mjModel* m, const cfElement* e, int i) {
  mjsKey* p = (mjsKey*)e->attr;
  (void)draft;
  BACK_ONE(key_time, time)
  copyNumbers(p->qpos, m->key_qpos + m->nq * i, (int)m->nq);
  copyNumbers(p->qvel, m->key_qvel + m->nv * i, (int)m->nv);
  copyNumbers(p->act, m->key_act + m->na * i, (int)m->na);
  copyNumbers(p->ctrl, m->key_ctrl + m->nu * i, (int)m->nu);
  copyNumbers(p->mpos, m->key_mpos + 3 * m->nmocap * i, 3 * (int)m->nmocap);
  copyNumbers(p->mquat, m->key_mquat + 4 * m->nmocap * i, 4 * (int)m->nmocap);
}


//---------------------------------- whole model ---------------------------------------------------

typedef void backFunction(const cfDraft* draft, const mjModel* m, const cfElement* e, int i);

static const struct {
  mjtObj type;
  backFunction* back;
} back_kinds[] = {
    {mjOBJ_BODY, bodyBack},         {mjOBJ_JOINT, jointBack},       {mjOBJ_GEOM, geomBack},
    {mjOBJ_SITE, siteBack},         {mjOBJ_CAMERA, cameraBack},     {mjOBJ_LIGHT, lightBack},
    {mjOBJ_MATERIAL, materialBack}, {mjOBJ_PAIR, pairBack},         {mjOBJ_EQUALITY, equalityBack},
    {mjOBJ_TENDON, tendonBack},     {mjOBJ_ACTUATOR, actuatorBack}, {mjOBJ_SENSOR, sensorBack},
    {mjOBJ_NUMERIC, numericBack},   {mjOBJ_TUPLE, tupleBack},       {mjOBJ_KEY, keyBack},
};


// statistics that a program changed become the user's
static void statisticsBack(cfSpec* spec, const mjModel* m) {
  const mjtNum* now = (const mjtNum*)&m->stat;
  const mjtNum* computed = (const mjtNum*)&spec->computed;
  mjtNum* given = (mjtNum*)&spec->pub.stat;
  bool is_moved = memcmp(m->stat.center, spec->computed.center, sizeof(m->stat.center)) != 0;
  for (size_t k = 0; k < sizeof(mjStatistic) / sizeof(mjtNum); k++) {
    bool is_center = k >= offsetof(mjStatistic, center) / sizeof(mjtNum);
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
  return spec->is_fused ? "static bodies of the model were fused, it cannot be copied back" : NULL;
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
  for (size_t k = 0; k < sizeof(back_kinds) / sizeof(back_kinds[0]); k++) {
    const cfList* list = cfi_list(spec, back_kinds[k].type);
    for (int i = 0; i < list->count; i++) {
      if (list->item[i]->model_id) {
        back_kinds[k].back(&draft, m, list->item[i], list->item[i]->model_id - 1);
      }
    }
  }
  cfi_poolFree(&draft.pool);
  return 1;
}
