// Frames whose rotation in the body is kept as a matrix: an edit of the model is seen at once, and
// what is kept changes no bit.
#include "cf_test.h"

#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "model/extension.h"
#include "model/localaxes.h"

// frames of all kinds that coincide with no other
static const char scene[] =
    "<mujoco><worldbody><camera pos=\"0 -2 1\" xyaxes=\"1 0 0 0 0.5 1\"/>"
    "<body pos=\"0 0 1\" euler=\"10 20 30\"><freejoint/>"
    "<inertial pos=\"0.1 0.2 0.3\" quat=\"0.9 0.1 0.3 0.2\" mass=\"1\" diaginertia=\"1 2 2.5\"/>"
    "<geom size=\"0.1 0.2 0.3\" type=\"box\" pos=\"0.3 0.1 0\" euler=\"30 40 50\"/>"
    "<geom size=\"0.1 0.2 0.3\" type=\"box\"/><site pos=\"0 0.1 0.2\" euler=\"5 6 7\"/>"
    "<body pos=\"0.5 0 0\" euler=\"0 30 0\"><joint axis=\"1 1 0\"/>"
    "<geom size=\"0.1 0.2\" type=\"capsule\" pos=\"0 0.3 0\" euler=\"70 0 20\"/>"
    "<geom size=\"0.1 0.2\" type=\"capsule\" pos=\"0 0 0.5\" euler=\"0 80 20\"/>"
    "<camera pos=\"0.1 0 0\" euler=\"0 0 45\"/><site euler=\"0 90 0\"/></body></body>"
    "</worldbody></mujoco>";


static mjModel* openScene(void) {
  char error[300] = "";
  mjVFS vfs;
  mj_defaultVFS(&vfs);
  mj_addBufferVFS(&vfs, "scene.xml", scene, (int)strlen(scene));
  mjModel* m = mj_loadXML("scene.xml", &vfs, error, sizeof(error));
  mj_deleteVFS(&vfs);
  CF_TRUE(m != NULL);
  return m;
}


static void placeAll(const mjModel* m, mjData* d, double turn) {
  const mjtNum quat[4] = {cos(turn), 0.6 * sin(turn), 0, 0.8 * sin(turn)};
  memcpy(d->qpos + 3, quat, sizeof(quat));
  d->qpos[7] = 0.3 + turn;
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_camlight(m, d);
}


// the same bits
static void compareFrames(const mjModel* m, const mjData* d, const mjData* other) {
  CF_EQ_BYTES(d->xipos, other->xipos, sizeof(mjtNum) * 3 * m->nbody);
  CF_EQ_BYTES(d->ximat, other->ximat, sizeof(mjtNum) * 9 * m->nbody);
  CF_EQ_BYTES(d->geom_xpos, other->geom_xpos, sizeof(mjtNum) * 3 * m->ngeom);
  CF_EQ_BYTES(d->geom_xmat, other->geom_xmat, sizeof(mjtNum) * 9 * m->ngeom);
  CF_EQ_BYTES(d->site_xpos, other->site_xpos, sizeof(mjtNum) * 3 * m->nsite);
  CF_EQ_BYTES(d->site_xmat, other->site_xmat, sizeof(mjtNum) * 9 * m->nsite);
  CF_EQ_BYTES(d->cam_xpos, other->cam_xpos, sizeof(mjtNum) * 3 * m->ncam);
  CF_EQ_BYTES(d->cam_xmat, other->cam_xmat, sizeof(mjtNum) * 9 * m->ncam);
}


// nothing is kept, as where memory was short
static void dropKept(mjData* d) {
  cfExtensionSlot* slot = cfi_dataExtension(d)->slot + CF_EXTENSION_FRAMES;
  CF_TRUE(slot->content != NULL);
  slot->kind->free(slot->content);
  *slot = (cfExtensionSlot){NULL, NULL};
}


CF_TEST(localFrames__kept_or_not__same_bits) {
  mjModel* m = openScene();
  mjData *d = mj_makeData(m), *bare = mj_makeData(m);
  dropKept(bare);
  for (int k = 0; k < 20; k++) {
    placeAll(m, d, 0.1 * k);
    placeAll(m, bare, 0.1 * k);
    compareFrames(m, d, bare);
  }
  mj_deleteData(d);
  mj_deleteData(bare);
  mj_deleteModel(m);
}


CF_TEST(localFrames__product_of_rotations__that_of_quaternions) {
  mjModel* m = openScene();
  mjData* d = mj_makeData(m);
  placeAll(m, d, 0.7);
  for (int g = 0; g < m->ngeom; g++) {
    mjtNum quat[4], mat[9], pos[3];
    const int body = m->geom_bodyid[g];
    mju_mulQuat(quat, d->xquat + 4 * body, m->geom_quat + 4 * g);
    mju_quat2Mat(mat, quat);
    mju_mulMatVec3(pos, d->xmat + 9 * body, m->geom_pos + 3 * g);
    for (int k = 0; k < 9; k++) {
      CF_NEAR(d->geom_xmat[9 * g + k], mat[k], 1e-15);
    }
    for (int k = 0; k < 3; k++) {
      CF_NEAR(d->geom_xpos[3 * g + k], pos[k] + d->xpos[3 * body + k], 1e-15);
    }
  }
  mj_deleteData(d);
  mj_deleteModel(m);
}


CF_TEST(localFrames__model_edited_between_steps__seen_at_once) {
  mjModel* m = openScene();
  mjData *d = mj_makeData(m), *bare = mj_makeData(m);
  dropKept(bare);
  mjtNum* const edited[4] = {m->body_iquat + 4, m->geom_quat + 4 * 2, m->site_quat,
                             m->cam_quat + 4};
  for (int k = 0; k < 4; k++) {
    placeAll(m, d, 0.2);
    const mjtNum quat[4] = {0.5, -0.5, 0.5, 0.5};
    memcpy(edited[k], quat, sizeof(quat));
    placeAll(m, d, 0.2);
    placeAll(m, bare, 0.2);
    compareFrames(m, d, bare);
  }
  mj_deleteData(d);
  mj_deleteData(bare);
  mj_deleteModel(m);
}


CF_TEST(localFrames__copied_data__keeps_its_own) {
  mjModel *m = openScene(), *other = mj_copyModel(NULL, m);
  mjData* d = mj_makeData(m);
  placeAll(m, d, 0.4);
  mjData* copy = mj_copyData(NULL, m, d);
  CF_TRUE(cfi_localFrames(m, copy).geom != NULL);
  CF_TRUE(cfi_localFrames(m, copy).geom != cfi_localFrames(m, d).geom);

  // the copy follows a model of its own
  other->geom_quat[4] = 0.6, other->geom_quat[5] = 0.8;
  other->geom_quat[6] = other->geom_quat[7] = 0;
  other->geom_sameframe[1] = mjSAMEFRAME_NONE;
  placeAll(other, copy, 0.4);
  CF_TRUE(memcmp(d->geom_xmat, copy->geom_xmat, sizeof(mjtNum) * 9 * m->ngeom) != 0);
  placeAll(m, copy, 0.4);
  compareFrames(m, d, copy);
  mj_deleteData(d);
  mj_deleteData(copy);
  mj_deleteModel(m);
  mj_deleteModel(other);
}


CF_TEST_MAIN("kinematics/localframes")
