// Geoms: pose, size, fitting to meshes, bounds, mass.
#include "base/assert.h"
#include "compile/phases.h"

#include <math.h>
#include <string.h>

#include "compile/asset.h"
#include "compile/placement.h"
#include "compile/plugins.h"
#include "compile/solids.h"
#include "math/inline.h"
#include "math/libm.h"

static bool isMeshType(int type) {
  return type == mjGEOM_MESH || type == mjGEOM_SDF;
}


// what can be said before any computation
static void checkGeom(cfDraft* draft, const cfGeomDraft* geom) {
  const mjsGeom* attr = &geom->attr;
  const cfPart* part = &geom->part;
  cfi_checkUser(draft, part, attr->userdata, "geom");
  if ((int)attr->type < 0 || (int)attr->type >= mjNGEOMTYPES) {
    cfi_fail(draft, part, "invalid type in geom");
  }
  if (attr->condim != 1 && attr->condim != 3 && attr->condim != 4 && attr->condim != 6) {
    cfi_fail(draft, part, "invalid condim in geom; allowed: 1 3 4 6");
  }
  if (isMeshType(attr->type) && !geom->mesh) {
    cfi_fail(draft, part, "mesh geom '%s' (id = %d) must have valid meshid", part->name, part->id);
  }
  if ((attr->type == mjGEOM_HFIELD) != (geom->hfield != NULL)) {
    cfi_fail(draft, part, "hfield geom '%s' (id = %d) must have valid hfieldid", part->name,
             part->id);
  }
  if (attr->type == mjGEOM_PLANE && geom->body->weldid) {
    cfi_fail(draft, part, "plane only allowed in static bodies");
  }
}


//---------------------------------- primitives from meshes ----------------------------------------

// sizes of the primitive whose equivalent inertia box is given
static void fitToInertia(double size[3], int type, const double box[3]) {
  CF_ASSERT(size && box);
  switch (type) {
    case mjGEOM_SPHERE:
      size[0] = (box[0] + box[1] + box[2]) / 3;
      break;
    case mjGEOM_CAPSULE:
      size[0] = (box[0] + box[1]) / 2;
      size[1] = cfi_fmax(0, box[2] - size[0] / 2);
      break;
    case mjGEOM_CYLINDER:
      size[0] = (box[0] + box[1]) / 2;
      size[1] = box[2];
      break;
    default:
      memcpy(size, box, 3 * sizeof(double));
  }
}


// sizes of the smallest primitive whose box covers the given one
static void fitToBox(double size[3], int type, const double half[3]) {
  switch (type) {
    case mjGEOM_SPHERE:
      size[0] = cfi_fmax(cfi_fmax(half[0], half[1]), half[2]);
      break;
    case mjGEOM_CAPSULE:
    case mjGEOM_CYLINDER:
      size[0] = cfi_fmax(half[0], half[1]);
      size[1] = half[2] - (type == mjGEOM_CAPSULE ? size[0] : 0);
      break;
    default:
      memcpy(size, half, 3 * sizeof(double));
  }
}


// size a primitive after its mesh; center receives the shift inside the mesh frame
static void fitPrimitive(cfDraft* draft, cfGeomDraft* geom, double center[3]) {
  mjsGeom* attr = &geom->attr;
  const cfMeshData* mesh = geom->mesh->data;
  if (attr->type < mjGEOM_SPHERE || attr->type > mjGEOM_BOX) {
    cfi_fail(draft, &geom->mesh->part, "invalid geom type in fitting mesh %s",
             geom->mesh->part.name);
  }
  if (draft->compiler->fitaabb) {
    double half[3];
    for (int k = 0; k < 3; k++) {
      center[k] = (mesh->aamm[k] + mesh->aamm[3 + k]) / 2;
      half[k] = mesh->aamm[3 + k] - center[k];
    }
    fitToBox(attr->size, attr->type, half);
  } else {
    fitToInertia(attr->size, attr->type, mesh->boxsize);
  }
  cfi_scl3(attr->size, attr->size, attr->fitscale);
}


// mesh frame becomes part of the geom's frame; primitives are fitted and forget the mesh
static void applyMesh(cfDraft* draft, cfGeomDraft* geom) {
  mjsGeom* attr = &geom->attr;
  const cfMeshData* mesh = geom->mesh->data;
  double center[3] = {0, 0, 0}, pos[3];
  if (cfi_isGiven(attr->fromto[0])) {
    cfi_fail(draft, &geom->part, "fromto cannot be used with mesh geom");
  }
  if (!isMeshType(attr->type)) {
    fitPrimitive(draft, geom, center);
    geom->mesh = NULL;
  } else if (attr->typeinertia == mjINERTIA_SHELL) {
    cfi_fail(draft, &geom->part, "for mesh geoms, inertia should be specified in the mesh asset");
  }
  cfi_rotVecQuat(pos, center, mesh->quat);
  cfi_addTo3(pos, mesh->pos);
  cfi_appendPose(attr->pos, attr->quat, pos, mesh->quat);
}


//---------------------------------- size and bounds -----------------------------------------------

static void checkSize(cfDraft* draft, const cfPart* part, int type, const double size[3]) {
  const int bad = cfi_badSize(type, size);
  if (bad >= 0 && type == mjGEOM_PLANE) {
    cfi_fail(draft, part, "plane size(3) must be positive");
  } else if (bad >= 0) {
    cfi_fail(draft, part, "size %d must be positive in geom", bad);
  }
}


// sizes that follow from data
static void resolveSize(cfDraft* draft, cfGeomDraft* geom) {
  mjsGeom* attr = &geom->attr;
  checkSize(draft, &geom->part, attr->type, attr->size);
  if (geom->hfield) {
    const double* field = geom->hfield->attr.size;
    cfi_set3(attr->size, field[0], field[1], 0.25 * field[2] + 0.5 * field[3]);
  } else if (geom->mesh) {
    const double* aamm = geom->mesh->data->aamm;
    for (int k = 0; k < 3; k++) {
      attr->size[k] = cfi_fmax(fabs(aamm[k]), fabs(aamm[3 + k]));
    }
  }
  if (isnan(attr->size[0]) || isnan(attr->size[1]) || isnan(attr->size[2])) {
    cfi_fail(draft, &geom->part, "nan size in geom");
  }
}


// low and high corner of the shape in its own frame
static void shapeCorners(const cfGeomDraft* geom, double low[3], double high[3]) {
  const mjsGeom* attr = &geom->attr;
  if (geom->hfield) {
    const double* field = geom->hfield->attr.size;
    cfi_set3(low, -field[0], -field[1], -field[3]);
    cfi_set3(high, field[0], field[1], field[2]);
  } else if (geom->mesh) {
    cfi_copy3(low, geom->mesh->data->aamm);
    cfi_copy3(high, geom->mesh->data->aamm + 3);
  } else if (attr->type == mjGEOM_PLANE) {
    cfi_set3(low, -mjMAXVAL, -mjMAXVAL, -mjMAXVAL);
    cfi_set3(high, mjMAXVAL, mjMAXVAL, 0);
  } else {
    if (!cfi_shapeBox(high, attr->type, attr->size)) {
      cfi_copy3(high, attr->size);
    }
    cfi_set3(low, -high[0], -high[1], -high[2]);
  }
}


// bounding box as center and half size, radius of the bounding sphere
static void setBounds(cfGeomDraft* geom) {
  double low[3], high[3];
  shapeCorners(geom, low, high);
  for (int k = 0; k < 3; k++) {
    geom->aabb[k] = (high[k] + low[k]) / 2;
    geom->aabb[3 + k] = (high[k] - low[k]) / 2;
  }
  if (geom->hfield) {
    const double* field = geom->hfield->attr.size;
    geom->rbound = sqrt(field[0] * field[0] + field[1] * field[1] +
                        cfi_fmax(field[2] * field[2], field[3] * field[3]));
  } else if (geom->mesh) {
    geom->rbound = cfi_norm3(geom->attr.size);
  } else {
    geom->rbound = cfi_shapeRadius(geom->attr.type, geom->attr.size);
  }
}


//---------------------------------- mass ----------------------------------------------------------

static void setMoments(cfGeomDraft* geom) {
  const mjsGeom* attr = &geom->attr;
  if (geom->mesh) {
    cfi_shapeInertia(geom->inertia, mjGEOM_BOX, geom->mesh->data->boxsize, false, geom->mass);
  } else {
    cfi_shapeInertia(geom->inertia, attr->type, attr->size, attr->typeinertia == mjINERTIA_SHELL,
                     geom->mass);
  }
}


// mass from density or density from mass
static void setMass(cfDraft* draft, cfGeomDraft* geom) {
  CF_ASSERT(geom->attr.type >= 0 && geom->attr.type < mjNGEOMTYPES);
  mjsGeom* attr = &geom->attr;
  const double volume = geom->volume;
  if (!cfi_isGiven(attr->mass)) {
    geom->mass = attr->density == 0 ? 0 : attr->density * volume;
    if (attr->density != 0) {
      setMoments(geom);
    }
  } else if (attr->mass == 0) {
    geom->mass = attr->density = 0;
  } else if (volume > CF_EPS) {
    geom->mass = attr->mass;
    attr->density = attr->mass / volume;
    setMoments(geom);
  }
  const double* I = geom->inertia;
  if (geom->mass < 0 || I[0] < 0 || I[1] < 0 || I[2] < 0 || attr->density < 0) {
    cfi_fail(draft, &geom->part, "mass, inertia or density are negative in geom");
  }
}


//---------------------------------- geoms and sites -----------------------------------------------

// pose from points, or orientation from one of its alternatives
static void resolvePose(cfDraft* draft, cfGeomDraft* geom) {
  mjsGeom* attr = &geom->attr;
  cfi_unit(attr->quat, 4);
  const char* trouble;
  if (cfi_isGiven(attr->fromto[0])) {
    trouble = cfi_resolveFromTo(attr->pos, attr->quat, attr->size, attr->type, attr->fromto);
    if (trouble) {
      cfi_fail(draft, &geom->part, "%s", trouble);
    }
    return;
  }
  trouble = cfi_resolveOrientation(attr->quat, &attr->alt, cfi_settings(&geom->part));
  if (trouble) {
    cfi_fail(draft, &geom->part, "orientation specification error '%s' in geom %d", trouble,
             geom->part.id);
  }
}


void cfi_compileGeom(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_GEOM);
  cfGeomDraft* geom = (cfGeomDraft*)part;
  mjsGeom* attr = &geom->attr;
  checkGeom(draft, geom);
  geom->is_visual = !attr->contype && !attr->conaffinity;
  resolvePose(draft, geom);
  if (geom->mesh) {
    applyMesh(draft, geom);
  }
  resolveSize(draft, geom);
  setBounds(geom);
  geom->volume =
      geom->mesh ? geom->mesh->data->volume
                 : cfi_shapeVolume(attr->type, attr->size, attr->typeinertia == mjINERTIA_SHELL);
  if (geom->infers_inertia) {
    setMass(draft, geom);
  }
  if (attr->fluid_ellipsoid > 0) {
    cfi_fluidCoefficients(geom->fluid, attr->type, attr->size, attr->fluid_ellipsoid,
                          attr->fluid_coefs);
  }
  if (attr->plugin.active) {
    geom->plugin = cfi_usePlugin(draft, part, &attr->plugin);
  }
  const cfFrameDraft* frame = cfi_frameOf(draft, &geom->part);
  if (frame) {
    cfi_intoParent(attr->pos, attr->quat, frame->attr.pos, frame->attr.quat);
  }
}


void cfi_compileSite(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_SITE);
  cfSiteDraft* site = (cfSiteDraft*)part;
  mjsSite* attr = &site->attr;
  cfi_checkUser(draft, &site->part, attr->userdata, "site");
  if ((int)attr->type < 0 || (int)attr->type >= mjNGEOMTYPES) {
    cfi_fail(draft, &site->part, "invalid type in site");
  }
  if (attr->type == mjGEOM_MESH || attr->type == mjGEOM_HFIELD || attr->type == mjGEOM_PLANE) {
    cfi_fail(draft, &site->part, "meshes, hfields and planes not allowed in site");
  }
  const char* trouble;
  if (cfi_isGiven(attr->fromto[0])) {
    trouble = cfi_resolveFromTo(attr->pos, attr->quat, attr->size, attr->type, attr->fromto);
  } else {
    trouble = cfi_resolveOrientation(attr->quat, &attr->alt, cfi_settings(&site->part));
  }
  cfi_poseInFrame(draft, &site->part, "site", trouble, attr->pos, attr->quat);
  checkSize(draft, &site->part, attr->type, attr->size);
}
