// Skins of a scene: surfaces that follow several bodies at once.
#include <math.h>
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"
#include "math/inline.h"
#include "vis/skin.h"


// rigid motion of a bone from its bind pose to the present
static void boneMotion(mjtNum rotate[9], mjtNum translate[3], const mjModel* m, const mjData* d,
                       int bone) {
  CF_ASSERT_INDEX(bone, m->nskinbone);
  const int body = m->skin_bonebodyid[bone];
  mjtNum bind_pos[3], bind_quat[4], inverse[4], turn[4], moved[3];
  mju_f2n(bind_pos, m->skin_bonebindpos + 3 * bone, 3);
  mju_f2n(bind_quat, m->skin_bonebindquat + 4 * bone, 4);
  cfi_negQuat(inverse, bind_quat);
  cfi_mulQuat(turn, d->xquat + 4 * body, inverse);
  cfi_quat2Mat(rotate, turn);
  cfi_mulMatVec3(moved, rotate, bind_pos);
  cfi_sub3(translate, d->xpos + 3 * body, moved);
}


// add the share of one bone to the vertices it moves
static void addBone(float* vert, const float* rest, const mjModel* m, const mjData* d, int bone) {
  CF_ASSERT_INDEX(bone, m->nskinbone);
  mjtNum rotate[9], translate[3];
  boneMotion(rotate, translate, m, d, bone);
  const int first = m->skin_bonevertadr[bone], end = first + m->skin_bonevertnum[bone];
  for (int k = first; k < end; k++) {
    const int id = m->skin_bonevertid[k];
    mjtNum point[3], moved[3];
    mju_f2n(point, rest + 3 * id, 3);
    cfi_mulMatVec3(moved, rotate, point);
    cfi_addTo3(moved, translate);
    for (int c = 0; c < 3; c++) {
      vert[3 * id + c] += m->skin_bonevertweight[k] * (float)moved[c];
    }
  }
}


// vector from one vertex to another
static void edge(mjtNum vec[3], const float* vert, int from, int to) {
  for (int c = 0; c < 3; c++) {
    vec[c] = vert[3 * to + c] - vert[3 * from + c];
  }
}


// vertex normals: mean of the adjoining triangles, weighted by area
static void addNormals(float* normal, const float* vert, int nvert, const int* face, int nface) {
  CF_ASSERT(nvert >= 0 && nface >= 0);
  for (int f = 0; f < nface; f++) {
    const int* corner = face + 3 * f;
    mjtNum a[3], b[3], cross[3];
    edge(a, vert, corner[0], corner[1]);
    edge(b, vert, corner[0], corner[2]);
    cfi_cross(cross, a, b);
    for (int v = 0; v < 9; v++) {
      normal[3 * corner[v / 3] + v % 3] += (float)cross[v % 3];
    }
  }

  for (int v = 0; v < nvert; v++) {
    float* n = normal + 3 * v;
    const float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const float scale = (float)(1 / mjMAX(mjMINVAL, length));
    for (int c = 0; c < 3; c++) {
      n[c] *= scale;
    }
  }
}


static void updateSkin(const mjModel* m, const mjData* d, mjvScene* scn, int skin) {
  CF_ASSERT_INDEX(skin, m->nskin);
  const int adr = m->skin_vertadr[skin], nvert = m->skin_vertnum[skin];
  float *vert = scn->skinvert + 3 * adr, *normal = scn->skinnormal + 3 * adr;
  int bone = m->skin_boneadr[skin], end = bone + m->skin_bonenum[skin];
  for (; bone < end; bone++) {
    addBone(vert, m->skin_vert + 3 * adr, m, d, bone);
  }
  addNormals(normal, vert, nvert, m->skin_face + 3 * m->skin_faceadr[skin], m->skin_facenum[skin]);

  const float inflate = m->skin_inflate[skin];
  for (int k = 0; inflate && k < 3 * nvert; k++) {
    vert[k] += inflate * normal[k];
  }
}


void cfi_updateSkins(const mjModel* m, const mjData* d, mjvScene* scn, const mjvOption* opt) {
  for (int s = 0; s < m->nskin; s++) {
    const size_t bytes = 3 * (size_t)m->skin_vertnum[s] * sizeof(float);
    memset(scn->skinvert + 3 * m->skin_vertadr[s], 0, bytes);
    memset(scn->skinnormal + 3 * m->skin_vertadr[s], 0, bytes);
    if (opt->skingroup[cfi_clipInt(m->skin_group[s], 0, mjNGROUP - 1)]) {
      updateSkin(m, d, scn, s);
    }
  }
}


void mjv_updateSkin(const mjModel* m, const mjData* d, mjvScene* scn) {
  mjvOption opt;
  mjv_defaultOption(&opt);
  cfi_updateSkins(m, d, scn, &opt);
}
