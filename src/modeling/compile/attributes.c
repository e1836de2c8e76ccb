// Small rules that many elements share: limits, user data, joint dimensions.
#include "compile/phases.h"

#include <stddef.h>

bool cfi_isLimited(int limited, const double range[2]) {
  return limited == mjLIMITED_TRUE || (limited == mjLIMITED_AUTO && range[0] < range[1]);
}


void cfi_checkLimited(cfDraft* draft, const cfPart* part, const char* entity, const char* attr,
                      int limited, const double range[2]) {
  const bool has_range = range[0] != 0 || range[1] != 0;
  if (limited == mjLIMITED_AUTO && has_range && !cfi_settings(part)->autolimits) {
    cfi_fail(draft, part,
             "%s has `%srange` but not `%slimited`. set the autolimits=\"true\" compiler option, "
             "specify "
             "`%slimited` explicitly (\"true\" or \"false\"), or remove the `%srange` attribute.",
             entity, attr, attr, attr, attr);
  }
}


// elements with user data: type, offset of the size in mjSpec, offset of the data in the draft
static const struct {
  mjtObj type;
  size_t size_offset, data_offset;
} user_kinds[8] = {
    {mjOBJ_BODY, offsetof(mjSpec, nuser_body), offsetof(cfBodyDraft, attr.userdata)},
    {mjOBJ_JOINT, offsetof(mjSpec, nuser_jnt), offsetof(cfJointDraft, attr.userdata)},
    {mjOBJ_GEOM, offsetof(mjSpec, nuser_geom), offsetof(cfGeomDraft, attr.userdata)},
    {mjOBJ_SITE, offsetof(mjSpec, nuser_site), offsetof(cfSiteDraft, attr.userdata)},
    {mjOBJ_CAMERA, offsetof(mjSpec, nuser_cam), offsetof(cfCameraDraft, attr.userdata)},
    {mjOBJ_TENDON, offsetof(mjSpec, nuser_tendon), offsetof(cfTendonDraft, attr.userdata)},
    {mjOBJ_ACTUATOR, offsetof(mjSpec, nuser_actuator), offsetof(cfActuatorDraft, attr.userdata)},
    {mjOBJ_SENSOR, offsetof(mjSpec, nuser_sensor), offsetof(cfSensorDraft, attr.userdata)},
};


void cfi_setUserRoom(cfDraft* draft) {
  for (int k = 0; k < 8; k++) {
    const cfPartList* list = cfi_parts(draft, user_kinds[k].type);
    int room =
        *(const int*)(const void*)((const char*)&draft->spec->pub + user_kinds[k].size_offset);

    // left open: as much as the largest element needs
    for (int i = 0; room < 0 && i < list->count; i++) {
      int count =
          cfi_countDoubles(*(void**)(void*)((char*)list->item[i] + user_kinds[k].data_offset));
      draft->nuser[k] = count > draft->nuser[k] ? count : draft->nuser[k];
    }
    if (room >= 0) {
      draft->nuser[k] = room;
    }
  }
}


int cfi_userRoom(const cfDraft* draft, mjtObj type) {
  for (int k = 0; k < 8; k++) {
    if (user_kinds[k].type == type) {
      return draft->nuser[k];
    }
  }
  return 0;
}


void cfi_checkUser(cfDraft* draft, const cfPart* part, const void* userdata, const char* what) {
  if (cfi_countDoubles(userdata) > cfi_userRoom(draft, part->type)) {
    cfi_fail(draft, part, "user has more values than nuser_%s in %s",
             part->type == mjOBJ_JOINT ? "jnt" : (part->type == mjOBJ_CAMERA ? "cam" : what), what);
  }
}
