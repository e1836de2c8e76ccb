// Model statistics at qpos0: bounding box, mean body size and mass, mean inertia; length of each
// dof.
#include "base/assert.h"
#include "compile/constants.h"

#include <stdbool.h>

// smallest size a body or a model is credited with
static const mjtNum MIN_SIZE = 1e-5;

// axis-aligned box that grows to cover balls
typedef struct {
  mjtNum low[3], high[3];
} extentBox;


static void cover(extentBox* box, const mjtNum center[3], mjtNum radius) {
  for (int k = 0; k < 3; k++) {
    box->low[k] = mju_min(box->low[k], center[k] - radius);
    box->high[k] = mju_max(box->high[k], center[k] + radius);
  }
}


// cover `count` points
static void coverPoints(extentBox* box, const mjtNum* point, int count) {
  CF_ASSERT(count >= 0);
  for (int i = 0; i < count; i++) {
    cover(box, point + 3 * i, 0);
  }
}


// radius that a geom adds to the extent: unbounded ones count a tenth of their size
static mjtNum visibleRadius(const mjModel* m, int geom) {
  CF_ASSERT_INDEX(geom, m->ngeom);
  if (m->geom_rbound[geom] > 0) {
    return m->geom_rbound[geom];
  }
  if (m->geom_type[geom] == mjGEOM_PLANE) {
    const mjtNum* size = m->geom_size + 3 * geom;
    const bool is_infinite = size[0] == 0 && size[1] == 0;
    return is_infinite ? 1 : mju_max(size[0], size[1]) * 0.1;
  }
  if (m->geom_type[geom] == mjGEOM_HFIELD) {
    const mjtNum* size = m->hfield_size + 4 * m->geom_dataid[geom];
    mjtNum largest = size[0];
    for (int k = 1; k < 4; k++) {
      largest = mju_max(largest, size[k]);
    }
    return largest * 0.1;
  }
  return 0;
}


// center and extent of everything that has a position
static void setExtent(mjModel* m, const mjData* d) {
  extentBox box = {{1e10, 1e10, 1e10}, {-1e10, -1e10, -1e10}};
  coverPoints(&box, d->xpos + 3, m->nbody - 1);
  coverPoints(&box, d->xipos + 3, m->nbody - 1);
  coverPoints(&box, d->xanchor, m->njnt);
  coverPoints(&box, d->site_xpos, m->nsite);
  for (int g = 0; g < m->ngeom; g++) {
    cover(&box, d->geom_xpos + 3 * g, visibleRadius(m, g));
  }

  mjtNum extent = MIN_SIZE;
  for (int k = 0; k < 3; k++) {
    m->stat.center[k] = 0.5 * (box.low[k] + box.high[k]);
    extent = mju_max(extent, box.high[k] - box.low[k]);
  }

  // an empty model keeps its default extent
  if (box.high[0] > box.low[0]) {
    m->stat.extent = extent;
  }
}


static void raise(mjtNum* value, mjtNum candidate) {
  *value = mju_max(*value, candidate);
}


// bodies reach at least to the joints that they carry or that hang on them
static void reachJoints(const mjModel* m, const mjData* d, mjtNum* size) {
  for (int j = 0; j < m->njnt; j++) {
    const int body = m->jnt_bodyid[j], parent = m->body_parentid[body];
    const mjtNum* anchor = d->xanchor + 3 * j;
    raise(size + body, mju_dist3(d->xipos + 3 * body, anchor));
    raise(size + parent, mju_dist3(d->xipos + 3 * parent, anchor));
  }
  size[0] = 0;
}


// bodies reach to the far side of their bounded geoms
static void reachGeoms(const mjModel* m, const mjData* d, mjtNum* size) {
  for (int g = 0; g < m->ngeom; g++) {
    const int body = m->geom_bodyid[g];
    if (body && m->geom_rbound[g] > 0) {
      raise(size + body, m->geom_rbound[g] + mju_dist3(d->xipos + 3 * body, d->geom_xpos + 3 * g));
    }
  }
}


// bodies of a flex reach to their neighbors, with interpolation to every node
static void reachFlex(const mjModel* m, const mjData* d, mjtNum* size, int flex) {
  CF_ASSERT_INDEX(flex, m->nflex);
  if (m->flex_interp[flex]) {
    const int* node = m->flex_nodebodyid + m->flex_nodeadr[flex];
    const int count = m->flex_nodenum[flex];
    for (int i = 0; i < count * count; i++) {
      const int b1 = node[i / count], b2 = node[i % count];
      raise(size + b1, mju_dist3(d->xpos + 3 * b1, d->xpos + 3 * b2));
    }
    return;
  }
  const int* body = m->flex_vertbodyid + m->flex_vertadr[flex];
  for (int e = m->flex_edgeadr[flex]; e < m->flex_edgeadr[flex] + m->flex_edgenum[flex]; e++) {
    raise(size + body[m->flex_edge[2 * e]], m->flexedge_length0[e]);
    raise(size + body[m->flex_edge[2 * e + 1]], m->flexedge_length0[e]);
  }
}


// rotational dofs take the size of their body, translational ones are lengths already
static void setDofLength(mjModel* m, const mjtNum* size) {
  for (int i = 0; i < m->nv; i++) {
    const int joint = m->dof_jntid[i];
    const int type = m->jnt_type[joint];
    const bool is_linear =
        type == mjJNT_SLIDE || (type == mjJNT_FREE && i - m->jnt_dofadr[joint] < 3);
    m->dof_length[i] = is_linear ? 1 : size[m->dof_bodyid[i]];
  }
}


// means over the moving world: size and mass of bodies
static void setBodyMeans(mjModel* m, mjtNum* size) {
  const int count = m->nbody - 1;
  if (count < 1) {
    return;
  }
  m->stat.meansize = m->stat.meanmass = 0;
  for (int b = 1; b <= count; b++) {
    raise(size + b, MIN_SIZE);
    m->stat.meansize += size[b] / count;
    m->stat.meanmass += m->body_mass[b];
  }
  m->stat.meanmass /= count;
}


// mean of the inertia matrix's diagonal
static void setMeanInertia(mjModel* m, const mjData* d) {
  if (!m->nv) {
    return;
  }
  mjtNum sum = 0;
  for (int i = 0; i < m->nv; i++) {
    sum += d->qM[m->dof_Madr[i]];
  }
  m->stat.meaninertia = sum / m->nv;
}


void cfi_setStatistics(mjModel* m, mjData* d) {
  setExtent(m, d);
  mj_markStack(d);
  mjtNum* size = mj_stackAllocNum(d, m->nbody);
  mju_zero(size, m->nbody);
  reachJoints(m, d, size);
  reachGeoms(m, d, size);
  for (int f = 0; f < m->nflex; f++) {
    reachFlex(m, d, size, f);
  }
  setBodyMeans(m, size);
  setDofLength(m, size);
  mj_freeStack(d);

  // the whole is at least as large as two of its parts
  m->stat.extent = mju_max(m->stat.extent, 2 * m->stat.meansize);
  setMeanInertia(m, d);
}
