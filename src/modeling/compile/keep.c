// What a specification keeps of its last compilation, for saving: final attributes of every element
// and settings with their sizes filled in.  mj_copyBack brings them up to the numbers of a model.
#include "compile/keep.h"

#include <string.h>

#include "base/assert.h"
#include "compile/fill.h"
#include "compile/flexdata.h"
#include "compile/phases.h"
#include "compile/placement.h"
#include "math/differ.h"
#include "math/inline.h"

// attributes follow the head of every draft
enum { ATTRIBUTES_AT = offsetof(cfBodyDraft, attr) };


//---------------------------------- geoms ---------------------------------------------------------

// pose of a geom before that of its mesh was put behind it
static void undoMesh(mjsGeom* geom, const mjModel* m, int i) {
  const int mesh = m->geom_dataid[i];
  if (mesh < 0 || (geom->type != mjGEOM_MESH && geom->type != mjGEOM_SDF)) {
    return;
  }
  const mjtNum *pos = m->mesh_pos + 3 * mesh, *quat = m->mesh_quat + 4 * mesh;
  double inv_pos[3], inv_quat[4];
  if (!cfi_differ(geom->pos, pos, 3) && !cfi_differ(geom->quat, quat, 4)) {
    memset(geom->pos, 0, sizeof(geom->pos));
    memcpy(geom->quat, (const double[4]){1, 0, 0, 0}, sizeof(geom->quat));
    return;
  }
  cfi_invertPose(inv_pos, inv_quat, pos, quat);
  cfi_appendPose(geom->pos, geom->quat, inv_pos, inv_quat);
}


//---------------------------------- keyframes -----------------------------------------------------

// all values of a keyframe in one row: qpos, qvel, act, ctrl, mpos, mquat; NULL counts them
static int keyNumbers(const mjModel* m, int i, double* to) {
  const struct {
    const mjtNum* from;
    mjtSize count;
  } part[] = {{m->key_qpos, m->nq}, {m->key_qvel, m->nv},         {m->key_act, m->na},
              {m->key_ctrl, m->nu}, {m->key_mpos, 3 * m->nmocap}, {m->key_mquat, 4 * m->nmocap}};
  int used = 0;
  for (size_t k = 0; k < sizeof(part) / sizeof(part[0]); k++) {
    if (to && part[k].count) {
      mju_copy(to + used, part[k].from + i * part[k].count, (int)part[k].count);
    }
    used += (int)part[k].count;
  }
  return used;
}


// quaternions as they were given, before the model made them unit
static void keepKey(const mjModel* m, const cfKeyDraft* key, double* row, int nrow) {
  const cfKeyValues* given[] = {&key->qpos, &key->qvel, &key->act,
                                &key->ctrl, &key->mpos, &key->mquat};
  const mjtSize count[] = {m->nq, m->nv, m->na, m->nu, 3 * m->nmocap, 4 * m->nmocap};
  double* at = row;
  keyNumbers(m, key->part.id, row);
  for (int k = 0; k < 6; at += count[k], k++) {
    for (int i = 0; i < given[k]->count && i < count[k]; i++) {
      at[i] = cfi_isGiven(given[k]->value[i]) ? given[k]->value[i] : at[i];
    }
  }
  if (!key->qpos.count) {
    mju_copy(row, m->qpos0, (int)m->nq);
  }
  cfElement* e = cfi_element(&key->part.origin->head);
  cfi_keepAttributes(e, e, &key->attr, row, nrow);
}


//---------------------------------- after a compilation -------------------------------------------

static void keepGeom(const mjModel* m, const cfGeomDraft* geom) {
  cfElement* e = cfi_element(&geom->part.origin->head);
  const double numbers[2] = {geom->volume, geom->mass};
  cfi_keepAttributes(e, e, &geom->attr, numbers, 2);
  undoMesh((mjsGeom*)e->kept.attr, m, geom->part.id);
}


// stiffness and damping of a joint that was given a time constant and a damping ratio
static void keepJoint(const mjModel* m, const cfJointDraft* joint) {
  cfElement* e = cfi_element(&joint->part.origin->head);
  cfi_keepAttributes(e, e, &joint->attr, NULL, 0);
  mjsJoint* kept = (mjsJoint*)e->kept.attr;
  if (kept->springdamper[0] > 0 && kept->springdamper[1] > 0) {
    kept->stiffness = m->jnt_stiffness[joint->part.id];
    kept->damping = m->dof_damping[m->jnt_dofadr[joint->part.id]];
  }
}


static void keepTexture(const mjModel* m, const cfTextureDraft* texture) {
  cfElement* e = cfi_element(&texture->part.origin->head);
  const int i = texture->part.id;
  cfi_keepAttributes(e, e, &texture->attr, NULL, 0);
  mjsTexture* kept = (mjsTexture*)e->kept.attr;
  kept->width = m->tex_width[i];
  kept->height = m->tex_height[i];
  kept->colorspace = (mjtColorSpace)m->tex_colorspace[i];
}


// tetrahedra may have been turned
static void keepFlex(cfDraft* draft, const cfFlexDraft* flex) {
  cfElement* e = cfi_element(&flex->part.origin->head);
  const int count = flex->data->dim == 3 ? 4 * flex->data->nelem : 0;
  double* elem = (double*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(double));
  for (int k = 0; k < count; k++) {
    elem[k] = flex->data->elem[k];
  }
  cfi_keepAttributes(e, e, &flex->attr, elem, count);
}


// weights of bones, made to sum up to one
static void keepSkin(cfDraft* draft, const cfSkinDraft* skin) {
  const mjModel* m = draft->model;
  cfElement* e = cfi_element(&skin->part.origin->head);
  const int i = skin->part.id, first = m->skin_boneadr[i], bones = m->skin_bonenum[i];
  const int from = bones ? m->skin_bonevertadr[first] : 0;
  int count = 0;
  for (int k = 0; k < bones; k++) {
    count += m->skin_bonevertnum[first + k];
  }
  double* weight = (double*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(double));
  for (int k = 0; k < count; k++) {
    weight[k] = m->skin_bonevertweight[from + k];
  }
  cfi_keepAttributes(e, e, &skin->attr, weight, count);
}


// ids of the objects on the path of a tendon
static void keepTendon(cfDraft* draft, const cfTendonDraft* tendon) {
  const mjModel* m = draft->model;
  cfElement* e = cfi_element(&tendon->part.origin->head);
  const int from = m->tendon_adr[tendon->part.id], count = m->tendon_num[tendon->part.id];
  double* id = (double*)cfi_poolAlloc(&draft->pool, count + 1, sizeof(double));
  for (int k = 0; k < count; k++) {
    id[k] = m->wrap_objid[from + k];
  }
  cfi_keepAttributes(e, e, &tendon->attr, id, count);
}


static int bodyIdOf(const mjModel* m, const cfPart* part) {
  switch ((int)part->type) {
    case mjOBJ_BODY:
      return m->body_parentid[part->id];
    case mjOBJ_JOINT:
      return m->jnt_bodyid[part->id];
    case mjOBJ_GEOM:
      return m->geom_bodyid[part->id];
    case mjOBJ_SITE:
      return m->site_bodyid[part->id];
    case mjOBJ_CAMERA:
      return m->cam_bodyid[part->id];
    case mjOBJ_LIGHT:
      return m->light_bodyid[part->id];
    default:
      return 0;
  }
}


// the draft's attributes, and what the model has decided beyond
static void keepPart(cfDraft* draft, const cfPart* part, double* row, int nrow) {
  const mjModel* m = draft->model;
  cfElement* e = cfi_element(&part->origin->head);
  switch ((int)part->type) {
    case mjOBJ_KEY:
      keepKey(m, (const cfKeyDraft*)part, row, nrow);
      break;
    case mjOBJ_GEOM:
      keepGeom(m, (const cfGeomDraft*)part);
      break;
    case mjOBJ_JOINT:
      keepJoint(m, (const cfJointDraft*)part);
      break;
    case mjOBJ_TEXTURE:
      keepTexture(m, (const cfTextureDraft*)part);
      break;
    case mjOBJ_FLEX:
      keepFlex(draft, (const cfFlexDraft*)part);
      break;
    case mjOBJ_TENDON:
      keepTendon(draft, (const cfTendonDraft*)part);
      break;
    case mjOBJ_SKIN:
      keepSkin(draft, (const cfSkinDraft*)part);
      break;
    default:
      cfi_keepAttributes(e, e, (const char*)part + ATTRIBUTES_AT, NULL, 0);
      break;
  }
  e->kept.body = bodyIdOf(m, part);
  e->is_dropped = false;
}


static void keepSettings(cfDraft* draft) {
  cfSpec* spec = draft->spec;
  const mjModel* m = draft->model;
  mjSpec* kept = &spec->kept;
  *kept = spec->pub;
  kept->nkey = (int)m->nkey;
  kept->nuser_body = (int)m->nuser_body;
  kept->nuser_jnt = (int)m->nuser_jnt;
  kept->nuser_geom = (int)m->nuser_geom;
  kept->nuser_site = (int)m->nuser_site;
  kept->nuser_cam = (int)m->nuser_cam;
  kept->nuser_tendon = (int)m->nuser_tendon;
  kept->nuser_actuator = (int)m->nuser_actuator;
  kept->nuser_sensor = (int)m->nuser_sensor;
  cfi_assignVec(&spec->kept_qpos, m->qpos0, (size_t)m->nq, sizeof(double));

  // inertias of bodies that lost geoms must not be inferred again
  const cfPartList* bodies = cfi_parts(draft, mjOBJ_BODY);
  for (int i = 0; i < bodies->count && kept->compiler.discardvisual; i++) {
    const cfElement* origin = bodies->item[i]->origin;
    if (cfi_bodyAt(draft, i)->attr.explicitinertial &&
        !((const mjsBody*)origin->attr)->explicitinertial) {
      kept->compiler.inertiafromgeom = mjINERTIAFROMGEOM_AUTO;
    }
  }
}


void cfi_keepModel(cfDraft* draft) {
  CF_ASSERT(draft->model);
  const int nrow = keyNumbers(draft->model, 0, NULL);
  double* row = (double*)cfi_poolAlloc(&draft->pool, nrow + 1, sizeof(double));
  for (int type = 0; type < mjNOBJECT; type++) {
    const cfPartList* parts = &draft->list[type];
    const cfList* list = parts->room ? cfi_list(draft->spec, (mjtObj)type) : NULL;
    for (int i = 0; list && i < list->count; i++) {
      list->item[i]->is_dropped = true;
    }
    for (int i = 0; i < parts->count; i++) {
      if (parts->item[i]->origin) {
        keepPart(draft, parts->item[i], row, nrow);
      }
    }
  }
  keepSettings(draft);
}


//---------------------------------- from a model --------------------------------------------------

static void keptPose(double pos[3], double quat[4], const mjtNum* from_pos,
                     const mjtNum* from_quat) {
  cfi_copy3(pos, from_pos);
  cfi_copy4(quat, from_quat);
}


static void keptBody(const mjModel* m, mjsBody* body, int i) {
  cfi_elementBack(m, FIELDS_INERTIAL, body, i, -1);
  cfi_elementBack(m, FIELDS_BODY, body, i, -1);
  keptPose(body->pos, body->quat, m->body_pos + 3 * i, m->body_quat + 4 * i);
}


static void keptJoint(const mjModel* m, mjsJoint* joint, int i) {
  cfi_elementBack(m, FIELDS_JOINT, joint, i, m->jnt_dofadr[i]);
  if (cfi_isScalarJoint((int)joint->type)) {
    joint->ref = m->qpos0[m->jnt_qposadr[i]];
    joint->springref = m->qpos_spring[m->jnt_qposadr[i]];
  }
}


static void keptGeom(const mjModel* m, mjsGeom* geom, int i) {
  cfi_elementBack(m, FIELDS_GEOM, geom, i, -1);
  cfi_copy3(geom->size, m->geom_size + 3 * i);
  keptPose(geom->pos, geom->quat, m->geom_pos + 3 * i, m->geom_quat + 4 * i);
  undoMesh(geom, m, i);
}


static void keptElement(const mjModel* m, cfElement* e, int i) {
  void* attr = e->kept.attr;
  switch ((int)e->head.elemtype) {
    case mjOBJ_BODY:
      keptBody(m, (mjsBody*)attr, i);
      break;
    case mjOBJ_JOINT:
      keptJoint(m, (mjsJoint*)attr, i);
      break;
    case mjOBJ_GEOM:
      keptGeom(m, (mjsGeom*)attr, i);
      break;
    case mjOBJ_SITE:
      cfi_elementBack(m, FIELDS_SITE, attr, i, -1);
      keptPose(((mjsSite*)attr)->pos, ((mjsSite*)attr)->quat, m->site_pos + 3 * i,
               m->site_quat + 4 * i);
      break;
    case mjOBJ_CAMERA:
      cfi_elementBack(m, FIELDS_CAMERA, attr, i, -1);
      keptPose(((mjsCamera*)attr)->pos, ((mjsCamera*)attr)->quat, m->cam_pos + 3 * i,
               m->cam_quat + 4 * i);
      break;
    case mjOBJ_EQUALITY:
      cfi_elementBack(m, FIELDS_EQUALITY, attr, i, -1);
      mju_copy(((mjsEquality*)attr)->data, m->eq_data + mjNEQDATA * i, mjNEQDATA);
      break;
    case mjOBJ_KEY:
      ((mjsKey*)attr)->time = m->key_time[i];
      keyNumbers(m, i, e->kept.number);
      break;
    default:
      break;
  }
}


void cfi_keptBack(cfSpec* spec, const mjModel* m) {
  static const struct {
    mjtObj type;
    cftFields fields;  // rows that say everything
  } kinds[] = {{mjOBJ_BODY, FIELDS_NONE},         {mjOBJ_JOINT, FIELDS_NONE},
               {mjOBJ_GEOM, FIELDS_NONE},         {mjOBJ_SITE, FIELDS_NONE},
               {mjOBJ_CAMERA, FIELDS_NONE},       {mjOBJ_LIGHT, FIELDS_LIGHT},
               {mjOBJ_MATERIAL, FIELDS_MATERIAL}, {mjOBJ_PAIR, FIELDS_PAIR},
               {mjOBJ_EQUALITY, FIELDS_NONE},     {mjOBJ_TENDON, FIELDS_TENDON},
               {mjOBJ_ACTUATOR, FIELDS_ACTUATOR}, {mjOBJ_SENSOR, FIELDS_SENSOR},
               {mjOBJ_KEY, FIELDS_NONE}};
  for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
    const cfList* list = cfi_list(spec, kinds[k].type);
    for (int n = 0; n < list->count; n++) {
      cfElement* e = list->item[n];
      if (!e->kept.attr || !e->model_id) {
        continue;
      }
      if (kinds[k].fields != FIELDS_NONE) {
        cfi_elementBack(m, kinds[k].fields, e->kept.attr, e->model_id - 1, -1);
      } else {
        keptElement(m, e, e->model_id - 1);
      }
    }
  }
  spec->kept.option = m->opt;
  spec->kept.visual = m->vis;
  spec->kept.stat = spec->pub.stat;
  cfi_assignVec(&spec->kept_qpos, m->qpos0, (size_t)m->nq, sizeof(double));
}
