// Bounding volumes and octrees in a scene, and the control nets of interpolated flexes.
#include "base/assert.h"
#include "math/inline.h"
#include "vis/painter.h"


// nodes of the wanted depth, and leaves above it
static bool isShownNode(const cfPainter* p, int node) {
  CF_ASSERT(node >= 0);
  const int depth = p->m->bvh_depth[node], wanted = p->opt->bvh_depth;
  const bool is_leaf = p->m->bvh_child[2 * node] == -1 && p->m->bvh_child[2 * node + 1] == -1;
  return depth == wanted || (is_leaf && depth < wanted);
}


static bool isMarked(const cfPainter* p, int node) {
  return p->m->vis.global.bvactive && p->d->bvh_active[node];
}


// edges of a box given by center and half sizes in a frame
static bool paintBox(cfPainter* p, int id, const mjtNum box[6], const mjtNum pos[3],
                     const mjtNum mat[9], bool is_marked) {
  mjtNum center[3];
  cfi_mulMatVec3(center, mat, box);
  cfi_addTo3(center, pos);
  return cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, id), mjGEOM_LINEBOX, box + 3, center, mat,
                        is_marked ? p->m->vis.rgba.bvactive : p->m->vis.rgba.bv);
}


// a leaf is the box of its geom, an inner node is in the inertial frame of the body
static bool paintBodyNode(cfPainter* p, int body, int node) {
  CF_ASSERT_INDEX(body, p->m->nbody);
  const mjModel* m = p->m;
  const int geom = m->bvh_nodeid[node];
  if (m->bvh_child[2 * node] == -1 && m->bvh_child[2 * node + 1] == -1) {
    return paintBox(p, node, m->geom_aabb + 6 * geom, p->d->geom_xpos + 3 * geom,
                    p->d->geom_xmat + 9 * geom, isMarked(p, node));
  }
  return paintBox(p, node, m->bvh_aabb + 6 * node, p->d->xipos + 3 * body, p->d->ximat + 9 * body,
                  isMarked(p, node));
}


void cfi_paintBodyVolumes(cfPainter* p) {
  const mjModel* m = p->m;
  for (int b = 0; cfi_wants(p, mjVIS_BODYBVH) && b < m->nbody; b++) {
    for (int k = 0; k < m->body_bvhnum[b]; k++) {
      const int node = m->body_bvhadr[b] + k;
      if (isShownNode(p, node) && !paintBodyNode(p, b, node)) {
        return;
      }
    }
  }
}


// position of a control node
static void nodePosition(mjtNum pos[3], const cfPainter* p, int flex, int k) {
  CF_ASSERT_INDEX(flex, p->m->nflex);
  const int node = p->m->flex_nodeadr[flex] + k, body = p->m->flex_nodebodyid[node];
  cfi_copy3(pos, p->d->xpos + 3 * body);
  if (!p->m->flex_centered[flex]) {
    mjtNum offset[3];
    cfi_mulMatVec3(offset, p->d->xmat + 9 * body, p->m->flex_node + 3 * node);
    cfi_addTo3(pos, offset);
  }
}


// lines between neighboring control nodes, which form a cubic grid with x slowest
static void paintNet(cfPainter* p, int flex) {
  CF_ASSERT_INDEX(flex, p->m->nflex);
  const int side = p->m->flex_interp[flex] + 1;
  const int stride[3] = {side * side, side, 1};
  for (int k = 0; k < p->m->flex_nodenum[flex]; k++) {
    const int cell[3] = {k / stride[0], k / stride[1] % side, k % side};
    for (int axis = 0; axis < 3; axis++) {
      if (cell[axis] < side - 1) {
        mjtNum from[3], to[3];
        nodePosition(from, p, flex, k);
        nodePosition(to, p, flex, k + stride[axis]);
        cfi_paintLink(p, cfi_decor(mjOBJ_UNKNOWN, cell[0]), mjGEOM_LINE, 3, from, to, NULL);
      }
    }
  }
}


void cfi_paintFlexVolumes(cfPainter* p) {
  const mjModel* m = p->m;
  for (int f = 0; cfi_wants(p, mjVIS_MESHBVH) && f < m->nflex; f++) {
    const bool is_shown = cfi_wantsGroup(p->opt->flexgroup, m->flex_group[f]);
    for (int k = 0; is_shown && k < m->flex_bvhnum[f]; k++) {
      const int node = m->flex_bvhadr[f] + k;
      const mjtNum* box = p->d->bvh_aabb_dyn + 6 * (node - m->nbvhstatic);
      if (isShownNode(p, node)) {
        cfi_paintShape(p, cfi_decor(mjOBJ_UNKNOWN, node), mjGEOM_LINEBOX, box + 3, box, NULL,
                       isMarked(p, node) ? m->vis.rgba.bvactive : m->vis.rgba.bv);
      }
    }
    if (m->flex_interp[f]) {
      paintNet(p, f);
    }
  }
}


// mesh of a geom, -1 if it has none
static int meshOf(const mjModel* m, int geom) {
  const bool is_mesh = m->geom_type[geom] != mjGEOM_HFIELD;
  return is_mesh ? m->geom_dataid[geom] : -1;
}


// when visited volumes are marked, the others are left out
void cfi_paintMeshVolumes(cfPainter* p) {
  const mjModel* m = p->m;
  for (int g = 0; cfi_wants(p, mjVIS_MESHBVH) && g < m->ngeom; g++) {
    const int mesh = meshOf(m, g);
    if (mesh == -1 || m->geom_type[g] == mjGEOM_SDF || m->mesh_octadr[mesh] >= 0) {
      continue;
    }
    for (int k = 0; k < m->mesh_bvhnum[mesh]; k++) {
      const int node = m->mesh_bvhadr[mesh] + k;
      if (isShownNode(p, node) && (isMarked(p, node) || !m->vis.global.bvactive)) {
        paintBox(p, node, m->bvh_aabb + 6 * node, p->d->geom_xpos + 3 * g, p->d->geom_xmat + 9 * g,
                 isMarked(p, node));
      }
    }
  }
}


void cfi_paintOctrees(cfPainter* p) {
  const mjModel* m = p->m;
  for (int g = 0; cfi_wants(p, mjVIS_MESHBVH) && g < m->ngeom; g++) {
    const int mesh = meshOf(m, g);
    if (mesh == -1 || m->mesh_octadr[mesh] == -1) {
      continue;
    }
    for (int k = 0; k < m->mesh_octnum[mesh]; k++) {
      const int cell = m->mesh_octadr[mesh] + k;
      if (m->oct_depth[cell] == p->opt->bvh_depth) {
        paintBox(p, cell, m->oct_aabb + 6 * cell, p->d->geom_xpos + 3 * g, p->d->geom_xmat + 9 * g,
                 false);
      }
    }
  }
}
