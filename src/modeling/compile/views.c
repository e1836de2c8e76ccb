// Cameras and lights: pose, target, camera intrinsics.
#include "base/assert.h"
#include "compile/phases.h"

#include "compile/placement.h"
#include "math/inline.h"
#include "math/libm.h"

// id of a body that is looked at; -1 when none is named
static int targetBody(cfDraft* draft, const cfPart* part, const void* name, const char* what) {
  if (cfi_isEmptyString(name)) {
    return -1;
  }
  const cfPart* target = cfi_findPart(draft, mjOBJ_BODY, cfi_text(name));
  if (!target) {
    cfi_failUnknown(draft, part, mjOBJ_BODY, cfi_text(name), "unknown target body in %s", what);
  }
  return target->id;
}


static bool isSet2(const float value[2]) {
  return value[0] != 0 || value[1] != 0;
}


// which intrinsic attributes may stand together
static void checkIntrinsics(cfDraft* draft, const cfCameraDraft* camera) {
  const mjsCamera* attr = &camera->attr;
  const cfPart* part = &camera->part;
  const bool has_size = attr->sensor_size[0] > 0 && attr->sensor_size[1] > 0;
  const bool has_intrinsic = isSet2(attr->focal_length) || isSet2(attr->focal_pixel) ||
                             isSet2(attr->principal_length) || isSet2(attr->principal_pixel);
  if (attr->fovy >= 180) {
    cfi_fail(draft, part, "fovy too large in camera '%s' (id = %d, value = %g)", part->name,
             part->id, attr->fovy);
  }
  if (has_intrinsic && !has_size) {
    cfi_fail(draft, part, "focal/principal require sensorsize in camera '%s' (id = %d)", part->name,
             part->id);
  }
  if (has_size && (attr->resolution[0] <= 0 || attr->resolution[1] <= 0)) {
    cfi_fail(draft, part, "sensorsize requires positive resolution in camera '%s' (id = %d)",
             part->name, part->id);
  }
}


// focal lengths and principal point as lengths; values in pixels win over lengths
static void setIntrinsics(cfDraft* draft, mjsCamera* attr) {
  if (!(attr->sensor_size[0] > 0 && attr->sensor_size[1] > 0)) {
    attr->intrinsic[0] = attr->intrinsic[1] = draft->spec->pub.visual.map.znear;
    return;
  }
  for (int k = 0; k < 2; k++) {
    const float density = (float)attr->resolution[k] / attr->sensor_size[k];
    attr->intrinsic[k] =
        attr->focal_pixel[k] != 0 ? attr->focal_pixel[k] / density : attr->focal_length[k];
    attr->intrinsic[2 + k] = attr->principal_pixel[k] != 0 ? attr->principal_pixel[k] / density
                                                           : attr->principal_length[k];
  }

  // angle for a principal point in the middle, in single precision as the lengths are
  attr->fovy = (float)cfi_atan2(attr->sensor_size[1] / 2, attr->intrinsic[1]) * 360.0 / mjPI;
}


void cfi_compileCamera(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_CAMERA);
  cfCameraDraft* camera = (cfCameraDraft*)part;
  mjsCamera* attr = &camera->attr;
  cfi_checkUser(draft, &camera->part, attr->userdata, "camera");
  const char* trouble = cfi_resolveOrientation(attr->quat, &attr->alt, cfi_settings(&camera->part));
  cfi_poseInFrame(draft, &camera->part, "camera", trouble, attr->pos, attr->quat);
  camera->targetid = targetBody(draft, &camera->part, attr->targetbody, "camera");
  checkIntrinsics(draft, camera);
  setIntrinsics(draft, attr);
}


void cfi_compileLight(cfDraft* draft, cfPart* part) {
  CF_ASSERT(part->type == mjOBJ_LIGHT);
  cfLightDraft* light = (cfLightDraft*)part;
  mjsLight* attr = &light->attr;
  const cfFrameDraft* frame = cfi_frameOf(draft, &light->part);
  if (frame) {
    double unused[4] = {1, 0, 0, 0};
    cfi_intoParent(attr->pos, unused, frame->attr.pos, frame->attr.quat);
    cfi_rotVecQuat(attr->dir, attr->dir, frame->attr.quat);
  }
  if (cfi_unit(attr->dir, 3) < CF_EPS) {
    cfi_fail(draft, &light->part, "zero direction in light");
  }
  light->targetid = targetBody(draft, &light->part, attr->targetbody, "light");
  light->texid = -1;
  if (!cfi_isEmptyString(attr->texture)) {
    const cfPart* texture = cfi_findPart(draft, mjOBJ_TEXTURE, cfi_text(attr->texture));
    if (draft->compiler->discardvisual) {
      cfi_fail(draft, &light->part, "object not found: texture '%s' was discarded with all visuals",
               cfi_text(attr->texture));
    }
    if (!texture) {
      cfi_failUnknown(draft, &light->part, mjOBJ_TEXTURE, cfi_text(attr->texture),
                      "unknown texture in light");
    }
    light->texid = texture->id;
  }
}
