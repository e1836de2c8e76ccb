// Flexes: what the specification gives is checked, names become ids, and the rest shape, topology
// and elastic coefficients follow.
#include <math.h>
#include <string.h>

#include <cortenforge/flex.h>

#include "compile/flexdata.h"
#include "compile/phases.h"
#include "compile/placement.h"
#include "math/inline.h"
#include "math/libm.h"

//---------------------------------- checks --------------------------------------------------------

static bool interpolates(const mjsFlex* attr) {
  return cfi_countStrings(attr->nodebody) > 0;
}


static bool isFinite(const void* numbers) {
  const double* x = cfi_doubles(numbers);
  for (int k = 0; k < cfi_countDoubles(numbers); k++) {
    if (!isfinite(x[k])) {
      return false;
    }
  }
  return true;
}


// of a flex with anything of ours; MuJoCo takes such numbers as they are
static void checkModuli(cfDraft* draft, const cfFlexDraft* flex) {
  const mjsFlex* attr = &flex->attr;
  const cfElement* e = flex->part.origin;
  const double numbers[4] = {attr->young, attr->poisson, attr->thickness, attr->damping};
  static const char* const names[4] = {"young", "poisson", "thickness", "damping"};
  const bool is_ours = cfi_length(&e->part.flex.model[0]) || cfi_length(&e->part.flex.model[1]) ||
                       e->part.flex.is_implicit || e->part.flex.moduli;
  if (e->part.flex.moduli != CF_MODULI_MUJOCO && e->part.flex.moduli != CF_MODULI_TEXTBOOK) {
    cfi_fail(draft, &flex->part, "there are no moduli %d", e->part.flex.moduli);
  }
  for (int k = 0; k < 4 && is_ours; k++) {
    if (!isfinite(numbers[k])) {
      cfi_fail(draft, &flex->part, "%s is not finite", names[k]);
    }
  }
}


static void checkFlexAttributes(cfDraft* draft, const cfFlexDraft* flex) {
  const mjsFlex* attr = &flex->attr;
  if (attr->dim < 1 || attr->dim > 3) {
    cfi_fail(draft, &flex->part, "dim must be 1, 2 or 3");
  }
  checkModuli(draft, flex);
  const int nelem = cfi_countInts(attr->elem);
  const bool is_soft = interpolates(attr);
  const struct {
    bool is_wrong;
    const char* message;
  } checks[] = {
      {nelem == 0, "elem is empty"},
      {nelem % (attr->dim + 1) != 0, "elem size must be multiple of (dim+1)"},
      {cfi_countStrings(attr->vertbody) == 0 && !is_soft, "vertbody and nodebody are both empty"},
      {cfi_countDoubles(attr->vert) % 3 != 0, "vert size must be a multiple of 3"},
      {attr->edgestiffness > 0 && attr->dim > 1,
       "edge stiffness only available for dim=1, please use elasticity plugins"},
      {is_soft && attr->selfcollide != mjFLEXSELF_NONE,
       "trilinear interpolation cannot do self-collision"},
      {is_soft && attr->internal, "trilinear interpolation cannot do internal collisions"},
      {!isFinite(attr->vert) || !isFinite(attr->node), "numbers are not finite in flex"},
  };
  for (size_t k = 0; k < sizeof(checks) / sizeof(checks[0]); k++) {
    if (checks[k].is_wrong) {
      cfi_fail(draft, &flex->part, "%s", checks[k].message);
    }
  }
}


// number of vertices; those at the origins of their bodies are not given
static void countVertices(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjsFlex* attr = &flex->attr;
  const int nbody = cfi_countStrings(attr->vertbody);
  out->nvert = cfi_countDoubles(attr->vert) / 3;
  if (!out->nvert) {
    out->is_centered = true;
    out->nvert = nbody;
  } else if (nbody == 1) {
    out->is_rigid = true;
  } else if (nbody != out->nvert) {
    cfi_fail(draft, &flex->part, "vertbody size must be 1 or nvert");
  }
  if (out->is_rigid && out->is_interpolated) {
    cfi_fail(draft, &flex->part, "vertbody size must be nvert where vertices are interpolated");
  }
  if (out->nvert < out->dim + 1) {
    cfi_fail(draft, &flex->part, "not enough vertices");
  }
}


// nodes form a cube of two or three nodes a side
static void countNodes(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  out->nnode = cfi_countStrings(flex->attr.nodebody);
  if (!out->nnode) {
    return;
  }
  out->order = (int)(cfi_pow(out->nnode, 1.0 / 3) - 1);
  const int side = out->order + 1;
  if (out->nnode != side * side * side) {
    cfi_fail(draft, &flex->part, "number of nodes must be %d^3 but it is %d", out->order,
             out->nnode);
  }
  const int given = cfi_countDoubles(flex->attr.node);
  if (given && given != 3 * out->nnode) {
    cfi_fail(draft, &flex->part, "node size must be 3 times the number of nodes");
  }
}


static void checkFlexElements(cfDraft* draft, const cfFlexDraft* flex, const cfFlexData* data) {
  const int corners = data->dim + 1;
  for (size_t k = 0; k < (size_t)corners * (size_t)data->nelem; k++) {
    if (data->elem[k] < 0 || data->elem[k] >= data->nvert) {
      cfi_fail(draft, &flex->part, "elem vertex id out of range");
    }
  }
  for (int e = 0; e < data->nelem; e++) {
    const int* vertex = data->elem + corners * (size_t)e;
    for (int k = 0; k < corners * corners; k++) {
      if (k / corners < k % corners && vertex[k / corners] == vertex[k % corners]) {
        cfi_fail(draft, &flex->part, "repeated vertex in element");
      }
    }
  }
}


// texture coordinates of element corners: given, or those of their vertices
static void takeTexture(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjsFlex* attr = &flex->attr;
  const int given = cfi_countInts(attr->elemtexcoord), count = cfi_countFloats(attr->texcoord);
  if (count && count != 2 * out->nvert && (!given || count < 2)) {
    cfi_fail(draft, &flex->part, "two texture coordinates per vertex expected");
  }
  if (!count) {
    return;
  }

  // three per element, whatever its dimension
  const int corners = (out->dim + 1) * out->nelem;
  const int wanted = given ? given : 3 * out->nelem;
  const int* source = given ? cfi_ints(attr->elemtexcoord) : out->elem;
  out->ntexcoord = count / 2;
  out->texcoord = cfi_floats(attr->texcoord);
  out->nelemtexcoord = wanted < corners ? wanted : corners;
  out->elemtexcoord =
      (int*)cfi_poolCopy(&draft->pool, source, (size_t)out->nelemtexcoord, sizeof(int));
  for (int k = 0; k < out->nelemtexcoord; k++) {
    if (source[k] < 0 || source[k] >= out->ntexcoord) {
      cfi_fail(draft, &flex->part,
               "elemtexcoord %d is out of range, there are %d texture coordinates", source[k],
               out->ntexcoord);
    }
  }
}


//---------------------------------- references ----------------------------------------------------

static void linkMaterial(cfDraft* draft, cfFlexDraft* flex) {
  const char* name = cfi_text(flex->attr.material);
  const cfPart* material = name[0] ? cfi_findPart(draft, mjOBJ_MATERIAL, name) : NULL;
  if (name[0] && (!material || draft->compiler->discardvisual)) {
    cfi_failUnknown(draft, &flex->part, mjOBJ_MATERIAL, name, "unknown material '%s' in flex",
                    name);
  }
  flex->matid = material ? material->id : -1;
}


static int* findBodies(cfDraft* draft, const cfFlexDraft* flex, const void* names) {
  const int count = cfi_countStrings(names);
  int* id = (int*)cfi_poolAlloc(&draft->pool, (size_t)count + 1, sizeof(int));
  for (int k = 0; k < count; k++) {
    const char* name = cfi_text(cfi_strings(names) + k);
    const cfPart* body = cfi_findPart(draft, mjOBJ_BODY, name);
    if (!body) {
      cfi_failUnknown(draft, &flex->part, mjOBJ_BODY, name, "unknown body '%s' in flex", name);
    }
    id[k] = body->id;
  }
  return id;
}


// does a flex have MuJoCo's model of bending, which pushes vertices along their own slides?
static bool hasUsualBending(const cfFlexDraft* flex) {
  const cfElement* e = flex->part.origin;
  const char* chosen = cfi_text(&e->part.flex.model[0]);
  return chosen[0] ? strcmp(chosen, "cotangent") == 0 : !e->part.flex.needs_hinges;
}


// bodies of vertices and nodes; MuJoCo's bending needs vertices free to move
static void linkBodies(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjsFlex* attr = &flex->attr;
  const int given = cfi_countStrings(attr->vertbody);
  const bool bends = out->has_bending && hasUsualBending(flex);
  int* id = findBodies(draft, flex, attr->vertbody);
  bool is_rigid = true;
  out->vertbody = (int*)cfi_poolAlloc(&draft->pool, (size_t)out->nvert, sizeof(int));
  for (int v = 0; v < out->nvert; v++) {
    out->vertbody[v] = id[given == 1 ? 0 : v];
    is_rigid &= out->vertbody[v] == id[0];
    if (bends && cfi_bodyAt(draft, out->vertbody[v])->joints.count != 3) {
      cfi_fail(draft, &flex->part, "pins are not supported for bending");
    }
  }
  out->is_rigid |= is_rigid && !out->is_interpolated;
  out->nodebody = findBodies(draft, flex, attr->nodebody);
}


//---------------------------------- rest shape ----------------------------------------------------

static bool isZero(const double* x, int count) {
  for (int k = 0; k < count; k++) {
    if (x[k] != 0) {
      return false;
    }
  }
  return true;
}


// poses of all bodies in the world, at the reference configuration
static void placeFlexBodies(cfDraft* draft) {
  for (int i = 0; i < cfi_parts(draft, mjOBJ_BODY)->count; i++) {
    cfBodyDraft* body = cfi_bodyAt(draft, i);
    if (body->parent) {
      cfi_copy3(body->pos0, body->attr.pos);
      cfi_copy4(body->quat0, body->attr.quat);
      cfi_intoParent(body->pos0, body->quat0, body->parent->pos0, body->parent->quat0);
    } else {
      cfi_unitQuat(body->quat0);
    }
  }
}


// points of bodies in the world; NULL offsets for the origins
static double* worldPoints(cfDraft* draft, const int* body, const double* offset, int count) {
  double* point = (double*)cfi_poolAlloc(&draft->pool, 3 * (size_t)count + 1, sizeof(double));
  for (int k = 0; k < count; k++) {
    const cfBodyDraft* of = cfi_bodyAt(draft, body[k]);
    double* at = point + 3 * (size_t)k;
    if (offset) {
      cfi_rotVecQuat(at, offset + 3 * (size_t)k, of->quat0);
    }
    cfi_addTo3(at, of->pos0);
  }
  return point;
}


// where vertices and nodes are, on their bodies and in the world
static void placePoints(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjsFlex* attr = &flex->attr;
  const bool has_vertices = cfi_countDoubles(attr->vert), has_nodes = cfi_countDoubles(attr->node);
  if (out->is_interpolated) {
    out->is_centered |= isZero(cfi_doubles(attr->node), cfi_countDoubles(attr->node));
  } else {
    out->is_centered |= isZero(cfi_doubles(attr->vert), cfi_countDoubles(attr->vert));
  }
  const bool keeps_vertices = has_vertices && (!out->is_centered || out->is_interpolated);
  out->vert = keeps_vertices ? cfi_doubles(attr->vert) : NULL;
  out->node = has_nodes && !out->is_centered ? cfi_doubles(attr->node) : NULL;
  out->vertpos = worldPoints(draft, out->vertbody, out->vert, out->nvert);
  out->nodepos = worldPoints(draft, out->nodebody, out->node, out->nnode);

  // interpolated vertices hang on no body; the one given was that of their coordinates
  for (int v = 0; v < out->nvert && out->is_interpolated; v++) {
    out->vertbody[v] = -1;
  }
}


// faces of tetrahedra look outwards
static void turnTetrahedra(cfFlexData* flex) {
  for (int e = 0; e < flex->nelem && flex->dim == 3; e++) {
    int* vertex = flex->elem + 4 * (size_t)e;
    double side[3][3], normal[3];
    for (int k = 0; k < 3; k++) {
      cfi_sub3(side[k], flex->vertpos + 3 * (size_t)vertex[k + 1],
               flex->vertpos + 3 * (size_t)vertex[0]);
    }
    cfi_cross(normal, side[0], side[1]);
    if (cfi_dot3(normal, side[2]) > 0) {
      const int swap = vertex[1];
      vertex[1] = vertex[2];
      vertex[2] = swap;
    }
  }
}


//---------------------------------- elasticity ----------------------------------------------------

static void setElasticity(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjsFlex* attr = &flex->attr;
  if (!(attr->young > 0)) {
    return;
  }
  if (attr->poisson < 0 || attr->poisson >= 0.5) {
    cfi_fail(draft, &flex->part, "Poisson ratio must be in [0, 0.5)");
  }
  if (out->is_interpolated) {
    // the matrix between nodes is kept in the room of the elements
    const int numbers = 9 * out->nnode * out->nnode;
    const int needed = (numbers + CF_STIFFNESS_SIZE - 1) / CF_STIFFNESS_SIZE;
    if (out->order < 1 || out->order > 2) {
      cfi_fail(draft, &flex->part, "elasticity needs 2^3 or 3^3 nodes");
    }
    if (needed > out->nelem) {
      cfi_fail(draft, &flex->part, "Trilinear dofs are require at least %d elements", needed);
    }
    cfi_setNodeStiffness(&draft->pool, out, attr);
  } else {
    cfi_setFlexStiffness(&draft->pool, out, attr);
  }
  if (out->has_bending) {
    if (attr->thickness < 0) {
      cfi_fail(draft, &flex->part, "thickness must be positive for bending stiffness");
    }
    cfi_setFlexBending(&draft->pool, out, attr);
  }
}


// moduli of a flex that has none would do nothing
static void checkTextbook(cfDraft* draft, const cfFlexDraft* flex, const cfFlexData* data) {
  const mjsFlex* attr = &flex->attr;
  const bool is_sheet =
      data->dim == 2 && attr->thickness > 0 && (attr->elastic2d >= 2 || data->has_bending);
  const bool is_stiff = attr->young > 0 && (data->dim == 3 || is_sheet || data->is_interpolated);
  if (data->is_textbook && !is_stiff) {
    cfi_fail(draft, &flex->part,
             "moduli=\"textbook\" needs young, and for a surface thickness and elastic2d");
  }
}


//---------------------------------- bounds --------------------------------------------------------

// box around an element, as center and half size
static void boundElement(const cfFlexData* flex, int elem, double radius, double aabb[6]) {
  const int* vertex = flex->elem + (flex->dim + 1) * (size_t)elem;
  for (int axis = 0; axis < 3; axis++) {
    double low = flex->vertpos[3 * (size_t)vertex[0] + axis], high = low;
    for (int k = 1; k <= flex->dim; k++) {
      const double x = flex->vertpos[3 * (size_t)vertex[k] + axis];
      low = cfi_fmin(low, x);
      high = cfi_fmax(high, x);
    }
    aabb[axis] = 0.5 * (high + low);
    aabb[3 + axis] = 0.5 * (high - low) + radius;
  }
}


// tree over the elements that may collide: of a solid, the outer layers
static void buildTree(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const double origin[3] = {0, 0, 0}, unit[4] = {1, 0, 0, 0};
  cfPool* pool = &draft->pool;
  const size_t most = (size_t)out->nelem;
  double(*aabb)[6] = (double(*)[6])cfi_poolAlloc(pool, most, sizeof(double[6]));
  cfBvhItem* item = (cfBvhItem*)cfi_poolAlloc(pool, most, sizeof(cfBvhItem));
  int count = 0;
  for (int e = 0; e < out->nelem; e++) {
    if (out->dim == 3 && out->elemlayer[e] >= flex->attr.activelayers) {
      continue;
    }
    boundElement(out, e, flex->attr.radius, aabb[count]);
    item[count] = (cfBvhItem){.aabb = aabb[count], .pos = aabb[count], .quat = NULL, .id = e};
    count++;
  }
  if (!count) {
    cfi_fail(draft, &flex->part, "no layer of elements is active, activelayers must be positive");
  }
  out->bvh = cfi_buildBvh(pool, item, count, origin, unit);
}


// coordinates of vertices in the box around the flex, from 0 to 1
static void normalizeVertices(cfDraft* draft, const cfFlexDraft* flex, cfFlexData* out) {
  const mjtNum* box = out->bvh.aabb;
  const size_t count = 3 * (size_t)out->nvert;
  out->vert0 = (double*)cfi_poolAlloc(&draft->pool, count, sizeof(double));
  for (int axis = 0; axis < 3; axis++) {
    out->size[axis] = box[3 + axis] - flex->attr.radius;
  }
  for (size_t k = 0; k < count; k++) {
    const double size = out->size[k % 3];
    out->vert0[k] = size > mjMINVAL ? (out->vertpos[k] - box[k % 3]) / (2 * size) + 0.5 : 0.5;
  }
}


//---------------------------------- one flex ------------------------------------------------------

static void compileFlex(cfDraft* draft, cfPart* part) {
  cfFlexDraft* flex = (cfFlexDraft*)part;
  const mjsFlex* attr = &flex->attr;
  checkFlexAttributes(draft, flex);
  cfFlexData* data = (cfFlexData*)cfi_poolAlloc(&draft->pool, 1, sizeof(cfFlexData));
  const int corners = cfi_countInts(attr->elem);
  data->dim = attr->dim;
  data->is_interpolated = interpolates(attr);
  data->is_textbook = part->origin->part.flex.moduli == CF_MODULI_TEXTBOOK;
  const bool is_asked =
      part->origin->part.flex.needs_hinges || cfi_length(&part->origin->part.flex.model[0]);
  data->has_bending = data->dim == 2 && (attr->elastic2d == 1 || attr->elastic2d == 3 ||
                                         (is_asked && !data->is_interpolated));
  data->nelem = corners / (attr->dim + 1);
  data->elem = (int*)cfi_poolCopy(&draft->pool, cfi_ints(attr->elem), (size_t)corners, sizeof(int));
  countVertices(draft, flex, data);
  countNodes(draft, flex, data);
  checkFlexElements(draft, flex, data);
  takeTexture(draft, flex, data);
  linkMaterial(draft, flex);
  linkBodies(draft, flex, data);
  placePoints(draft, flex, data);
  turnTetrahedra(data);
  cfi_findFlexEdges(&draft->pool, data);
  setElasticity(draft, flex, data);
  checkTextbook(draft, flex, data);
  cfi_findFlexSurface(&draft->pool, data);
  buildTree(draft, flex, data);
  normalizeVertices(draft, flex, data);
  flex->data = data;
}


void cfi_compileFlexes(cfDraft* draft) {
  if (!cfi_parts(draft, mjOBJ_FLEX)->count) {
    return;
  }
  placeFlexBodies(draft);
  cfi_guardList(draft, compileFlex, mjOBJ_FLEX);
}
