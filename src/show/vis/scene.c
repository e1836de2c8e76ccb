// Memory of a scene.
#include <string.h>

#include <mujoco/mujoco.h>

#include "base/assert.h"

// an array of a scene: where its pointer is and how long it is, so that allocation and release
// cannot differ
typedef struct {
  void* place;
  size_t bytes;
} cfSceneArray;

enum { SCENE_ARRAYS = 19 };

#define ARRAY(member, count) \
  { &scn->member, (count) > 0 ? (size_t)(count) * sizeof(*scn->member) : 0 }


// faces that a flex can show: both sides and the border of a surface, or the largest layer of a
// solid
static int faceRoom(const mjModel* m, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  const int shells = m->flex_shellnum[flex], elements = m->flex_elemnum[flex];
  if (m->flex_dim[flex] == 2) {
    return 2 * (shells + elements);
  }

  const int* layer = m->flex_elemlayer + m->flex_elemadr[flex];
  int largest = 0;
  for (int level = 0, size = 1; size > 0; level++) {
    size = 0;
    for (int e = 0; e < elements; e++) {
      size += layer[e] == level;
    }
    largest = mjMAX(largest, size);
  }
  return mjMAX(shells, 4 * largest);
}


static int totalFaceRoom(const mjModel* m) {
  int total = 0;
  for (int f = 0; m && f < m->nflex; f++) {
    total += faceRoom(m, f);
  }
  return total;
}


// all arrays of a scene for `maxgeom` geoms and the flexes and skins of `m`, which may be NULL
static void listArrays(cfSceneArray list[SCENE_ARRAYS], const mjModel* m, mjvScene* scn,
                       int maxgeom) {
  CF_ASSERT(maxgeom >= 0);
  const mjtSize nflex = m ? m->nflex : 0, nskin = m ? m->nskin : 0;
  const mjtSize edges = nflex ? m->nflexedge : 0, vertices = nflex ? m->nflexvert : 0;
  const mjtSize skin_vertices = nskin ? m->nskinvert : 0;
  const mjtSize faces = totalFaceRoom(m);
  const cfSceneArray all[SCENE_ARRAYS] = {
      ARRAY(geoms, maxgeom),
      ARRAY(geomorder, maxgeom),
      ARRAY(flexedgeadr, nflex),
      ARRAY(flexedgenum, nflex),
      ARRAY(flexvertadr, nflex),
      ARRAY(flexvertnum, nflex),
      ARRAY(flexfaceadr, nflex),
      ARRAY(flexfacenum, nflex),
      ARRAY(flexfaceused, nflex),
      ARRAY(flexedge, 2 * edges),
      ARRAY(flexvert, 3 * vertices),
      ARRAY(flexface, 9 * faces),
      ARRAY(flexnormal, 9 * faces),
      ARRAY(flextexcoord, 6 * faces),
      ARRAY(skinfacenum, nskin),
      ARRAY(skinvertadr, nskin),
      ARRAY(skinvertnum, nskin),
      ARRAY(skinvert, 3 * skin_vertices),
      ARRAY(skinnormal, 3 * skin_vertices),
  };
  memcpy(list, all, sizeof(all));
}


static void allocateArrays(const mjModel* m, mjvScene* scn, int maxgeom) {
  cfSceneArray list[SCENE_ARRAYS];
  listArrays(list, m, scn, maxgeom);
  for (int i = 0; i < SCENE_ARRAYS; i++) {
    void* memory = list[i].bytes ? mju_malloc(list[i].bytes) : NULL;
    if (list[i].bytes && !memory) {
      mju_error("mjv_makeScene: could not allocate %zu bytes", list[i].bytes);
    }
    memcpy(list[i].place, &memory, sizeof(memory));
  }
}


// what never changes about the flexes and skins of a model
static void copyConstants(const mjModel* m, mjvScene* scn) {
  scn->nflex = (int)m->nflex;
  for (int f = 0, adr = 0; f < scn->nflex; f++) {
    scn->flexedgeadr[f] = m->flex_edgeadr[f];
    scn->flexedgenum[f] = m->flex_edgenum[f];
    scn->flexvertadr[f] = m->flex_vertadr[f];
    scn->flexvertnum[f] = m->flex_vertnum[f];
    scn->flexfaceadr[f] = adr;
    scn->flexfacenum[f] = faceRoom(m, f);
    scn->flexfaceused[f] = 0;
    adr += scn->flexfacenum[f];
  }
  if (scn->nflex && m->nflexedge) {
    memcpy(scn->flexedge, m->flex_edge, 2 * (size_t)m->nflexedge * sizeof(int));
  }

  scn->nskin = (int)m->nskin;
  for (int s = 0; s < scn->nskin; s++) {
    scn->skinfacenum[s] = m->skin_facenum[s];
    scn->skinvertadr[s] = m->skin_vertadr[s];
    scn->skinvertnum[s] = m->skin_vertnum[s];
  }
}


void mjv_makeScene(const mjModel* m, mjvScene* scn, int maxgeom) {
  mjv_freeScene(scn);
  allocateArrays(m, scn, maxgeom);
  scn->maxgeom = mjMAX(0, maxgeom);
  if (m) {
    copyConstants(m, scn);
  }

  // no transformation, flags as their table says
  scn->scale = 1;
  scn->rotate[0] = 1;
  for (int i = 0; i < mjNRNDFLAG; i++) {
    scn->flags[i] = mjRNDSTRING[i][1][0] == '1';
  }
}


void mjv_freeScene(mjvScene* scn) {
  cfSceneArray list[SCENE_ARRAYS];
  listArrays(list, NULL, scn, 0);
  for (int i = 0; i < SCENE_ARRAYS; i++) {
    void* memory;
    memcpy(&memory, list[i].place, sizeof(memory));
    mju_free(memory);
  }
  mjv_defaultScene(scn);
}
