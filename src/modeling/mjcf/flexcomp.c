// Flexcomp elements: their attributes, checks, and the way from points to a flex with its bodies.
#include "mjcf/flexcomp.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

bool cfi_badFlexcomp(cfFlexcomp* f, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->problem, sizeof(f->problem), format, arguments);
  va_end(arguments);
  return false;
}

//---------------------------------- attributes ----------------------------------------------------

// the pose is an alternative of forms, of which one may be given
static void readFlexPose(cfFlexcomp* f) {
  cfReader* r = f->r;
  const struct {
    const char* name;
    double* field;
    int count;
    mjtOrientation type;
  } forms[] = {
      {"quat", f->quat, 4, mjORIENTATION_QUAT},
      {"axisangle", f->alt.axisangle, 4, mjORIENTATION_AXISANGLE},
      {"xyaxes", f->alt.xyaxes, 6, mjORIENTATION_XYAXES},
      {"zaxis", f->alt.zaxis, 3, mjORIENTATION_ZAXIS},
      {"euler", f->alt.euler, 3, mjORIENTATION_EULER},
  };
  int given = 0;
  cfi_readNumbers(r, f->node, "pos", f->pos, 3, true);
  for (size_t k = 0; k < sizeof(forms) / sizeof(forms[0]); k++) {
    given += cfi_attribute(f->node, forms[k].name) != NULL;
    if (cfi_readNumbers(r, f->node, forms[k].name, forms[k].field, forms[k].count, true)) {
      f->alt.type = forms[k].type;
    }
  }
  if (given > 1) {
    cfi_error(r->report, f->node, "multiple orientation specifiers are not allowed");
  }
}

// attributes that go straight into the flex
static void readFlexLooks(cfFlexcomp* f) {
  cfReader* r = f->r;
  double rgba[4];
  int word;
  const char* material = cfi_attribute(f->node, "material");
  if (material) {
    mjs_setString(f->flex->material, material);
  }
  if (cfi_readNumbers(r, f->node, "rgba", rgba, 4, true)) {
    for (int i = 0; i < 4; i++) {
      f->flex->rgba[i] = (float)rgba[i];
    }
  }
  if (cfi_readWord(r, f->node, "flatskin", WORDS_BOOL, &word)) {
    f->flex->flatskin = (mjtByte)word;
  }
  cfi_readInt(r, f->node, "dim", &f->flex->dim);
  cfi_readDouble(r, f->node, "radius", &f->flex->radius);
  cfi_readInt(r, f->node, "group", &f->flex->group);
}

static void readFlexShape(cfFlexcomp* f) {
  cfReader* r = f->r;
  const cfNode* node = f->node;
  int word;
  const char* file = cfi_attribute(node, "file");
  f->name = cfi_readText(r, node, "name", true);
  f->file = file ? cfi_resolveFile(r, node, file, r->modeldir) : "";
  cfi_readWord(r, node, "type", WORDS_FLEXCOMP, &f->type);
  cfi_readWord(r, node, "dof", WORDS_FLEXDOF, &f->dof);
  cfi_readInts(r, node, "count", f->count, 3, true);
  cfi_readNumbers(r, node, "spacing", f->spacing, 3, true);
  cfi_readNumbers(r, node, "scale", f->scale, 3, true);
  cfi_readDouble(r, node, "mass", &f->mass);
  cfi_readDouble(r, node, "inertiabox", &f->inertiabox);
  if (!cfi_readNumbers(r, node, "origin", f->origin, 3, true) && f->type == CF_FLEXCOMP_MESH &&
      f->flex->dim == 3) {
    cfi_error(r->report, node, "origin must be specified for mesh flexcomps if dim=3");
  }
  if (cfi_readWord(r, node, "rigid", WORDS_BOOL, &word)) {
    f->is_rigid = word == 1;
  }
  cfi_readVector(r, node, "point", &f->point, HOW_DOUBLES);
  cfi_readVector(r, node, "element", &f->element, HOW_INTS);
  cfi_readVector(r, node, "texcoord", &f->texcoord, HOW_FLOATS);
}

static void readFlexChildren(cfFlexcomp* f) {
  cfReader* r = f->r;
  for (const cfNode* child = f->node->first; child; child = child->next) {
    switch (child->tag_id) {
      case TAG_BODY_FLEXCOMP_EDGE: {
        mjsEquality* equality = (mjsEquality*)f->equality_start->attr;
        cfi_readWord(r, child, "equality", WORDS_FLEXEQUALITY, &f->equality);
        cfi_readNumbers(r, child, "solref", equality->solref, mjNREF, false);
        cfi_readNumbers(r, child, "solimp", equality->solimp, mjNIMP, false);
        cfi_readFields(r, child, f->flex);
        break;
      }
      case TAG_BODY_FLEXCOMP_ELASTICITY:
      case TAG_BODY_FLEXCOMP_CONTACT:
        cfi_readFields(r, child, f->flex);
        break;
      case TAG_BODY_FLEXCOMP_PLUGIN:
        if (!f->plugin->active) {
          cfi_readPlugin(r, child, f->plugin);
        }
        break;
      default:
        break;
    }
  }
  if (f->flex->elastic2d >= 2 && f->equality) {
    cfi_error(r->report, f->node, "elasticity and edge constraints cannot both be present");
  }
}

//---------------------------------- checks --------------------------------------------------------

static bool isDirect(const cfFlexcomp* f) {
  return f->type == CF_FLEXCOMP_DIRECT || f->type == CF_FLEXCOMP_MESH ||
         f->type == CF_FLEXCOMP_GMSH;
}

static bool isSpaced(const cfFlexcomp* f) {
  const double least = 2 * f->flex->radius + f->flex->margin;
  return !(f->spacing[0] < least || f->spacing[1] < least || f->spacing[2] < least);
}

// counts that are positive, and whose product stays within bounds
static bool checkGridCounts(cfFlexcomp* f) {
  const int least = f->dof == CF_FLEXDOF_RADIAL && f->flex->dim == 3 ? 2 : 1;
  double product = 1;
  for (int i = 0; i < 3; i++) {
    if (f->count[i] < least) {
      return cfi_badFlexcomp(f, "Count too small");
    }
    product *= f->count[i];
  }
  if (!isDirect(f) && product > CF_FLEXCOMP_MAX_GRID) {
    return cfi_badFlexcomp(f, "count of %d x %d x %d is too large, at most %d points are allowed",
                           f->count[0], f->count[1], f->count[2], CF_FLEXCOMP_MAX_GRID);
  }
  return true;
}

static bool checkFlexcomp(cfFlexcomp* f) {
  if (!f->parent[0]) {
    return cfi_badFlexcomp(f, "Parent body must have name");
  }
  if (f->flex->dim < 1 || f->flex->dim > 3) {
    return cfi_badFlexcomp(f, "Invalid dim, must be between 1 and 3");
  }
  if (!checkGridCounts(f)) {
    return false;
  }
  if (!isDirect(f) && !isSpaced(f)) {
    return cfi_badFlexcomp(f, "Spacing must be larger than geometry size");
  }
  if (f->scale[0] < mjMINVAL || f->scale[1] < mjMINVAL || f->scale[2] < mjMINVAL) {
    return cfi_badFlexcomp(f, "Scale must be larger than mjMINVAL");
  }
  if (f->mass < mjMINVAL || f->inertiabox < mjMINVAL) {
    return cfi_badFlexcomp(f, "Mass and inertiabox must be larger than mjMINVAL");
  }
  const mjsCompiler* compiler = cfi_compilerOf(cfi_element(f->body->element));
  const char* trouble =
      mjs_resolveOrientation(f->quat, compiler->degree, compiler->eulerseq, &f->alt);
  return trouble ? cfi_badFlexcomp(f, "%s", trouble) : true;
}

// elements join points that are there
static bool checkPointIds(cfFlexcomp* f) {
  const int npoint = cfi_flexPoints(f), nindex = cfi_countInts(&f->element);
  const int* element = cfi_ints(&f->element);
  if (!cfi_countDoubles(&f->point) || !nindex) {
    return cfi_badFlexcomp(f, "Point and element required");
  }
  if (cfi_countDoubles(&f->point) % 3) {
    return cfi_badFlexcomp(f, "Point size must be a multiple of 3");
  }
  if (nindex % (f->flex->dim + 1)) {
    return cfi_badFlexcomp(f, "Element size must be a multiple of dim+1");
  }
  for (int i = 0; i < nindex; i++) {
    if (element[i] < 0 || element[i] >= npoint) {
      return cfi_badFlexcomp(f, "element %d has point id %d, number of points is %d", i, element[i],
                             npoint);
    }
  }
  return true;
}

//---------------------------------- points --------------------------------------------------------

static bool makePoints(cfFlexcomp* f) {
  const bool is_shell = f->type == CF_FLEXCOMP_BOX || f->type == CF_FLEXCOMP_CYLINDER ||
                        f->type == CF_FLEXCOMP_ELLIPSOID;
  if (is_shell) {
    return cfi_makeFlexShell(f);
  }
  const bool is_file = f->type == CF_FLEXCOMP_MESH || f->type == CF_FLEXCOMP_GMSH;
  if (is_file) {
    return f->type == CF_FLEXCOMP_MESH ? cfi_loadFlexMesh(f) : cfi_loadFlexGmsh(f);
  }
  return f->type == CF_FLEXCOMP_DIRECT || cfi_makeFlexGrid(f);
}

// scale, turn and shift the points, and find the box around them
static void movePoints(cfFlexcomp* f) {
  const bool is_scaled = isDirect(f);
  for (int k = 0; k < 3; k++) {
    f->low[k] = mjMAXVAL;
    f->high[k] = -mjMAXVAL;
  }
  for (int i = 0; i < cfi_flexPoints(f); i++) {
    double* p = cfi_doubles(&f->point) + 3 * (size_t)i;
    double at[3];
    for (int k = 0; k < 3; k++) {
      at[k] = is_scaled ? p[k] * f->scale[k] : p[k];
    }
    mju_trnVecPose(p, f->pos, f->quat, at);
    for (int k = 0; k < 3; k++) {
      f->low[k] = p[k] < f->low[k] ? p[k] : f->low[k];
      f->high[k] = p[k] > f->high[k] ? p[k] : f->high[k];
    }
  }
}

// close the gap in an array of plain items that hang on points
static void moveItem(cfVec* v, size_t bytes, int to, int from) {
  char* begin = (char*)v->begin;
  if (bytes * ((size_t)from + 1) <= cfi_vecCount(v, 1)) {
    memmove(begin + bytes * (size_t)to, begin + bytes * (size_t)from, bytes);
  }
}

static void shorten(cfVec* v, size_t bytes) {
  if (bytes < cfi_vecCount(v, 1)) {
    v->end = (char*)v->begin + bytes;
  }
}

// leave out points that no element uses
static void dropUnused(cfFlexcomp* f) {
  const int npoint = cfi_flexPoints(f), nindex = cfi_countInts(&f->element);
  cfVec place = {NULL, NULL, NULL};  // of each point among those that stay, plus one
  cfi_assignVec(&place, NULL, (size_t)npoint, sizeof(int));
  int *element = cfi_ints(&f->element), *to = cfi_ints(&place), kept = 0;
  for (int i = 0; i < nindex; i++) {
    to[element[i]] = 1;
  }
  for (int i = 0; i < npoint; i++) {
    if (to[i]) {
      moveItem(&f->point, 3 * sizeof(double), kept, i);
      moveItem(&f->texcoord, 2 * sizeof(float), kept, i);
      moveItem(&f->pinned, 1, kept, i);
      to[i] = ++kept;
    }
  }
  for (int i = 0; i < nindex; i++) {
    element[i] = to[element[i]] - 1;
  }
  if (kept < npoint) {
    const int nodes = cfi_nodesPerAxis(f), nnode = nodes * nodes * nodes;
    shorten(&f->point, 3 * sizeof(double) * (size_t)kept);
    shorten(&f->texcoord, 2 * sizeof(float) * (size_t)kept);
    shorten(&f->pinned, (size_t)(kept > nnode ? kept : nnode));
  }
  cfi_freeMember(&place, CF_MEMBER_INTVEC);
}

//---------------------------------- all of it -----------------------------------------------------

static bool makeFlexcomp(cfFlexcomp* f) {
  if (!checkFlexcomp(f) || !makePoints(f)) {
    return false;
  }
  if (f->type == CF_FLEXCOMP_BOX || f->type == CF_FLEXCOMP_CYLINDER ||
      (f->type == CF_FLEXCOMP_GRID && f->flex->dim == 3)) {
    f->flex->flatskin = 1;
  }
  if (!cfi_checkPinSizes(f) || !checkPointIds(f)) {
    return false;
  }
  movePoints(f);
  if (!cfi_pinPoints(f)) {
    return false;
  }
  if (isDirect(f)) {
    dropUnused(f);
  }
  cfi_makeFlexBodies(f);
  return true;
}

void cfi_readFlexcomp(cfReader* r, const cfNode* node, mjsBody* body) {
  CF_ASSERT(node && body);
  const int errors = r->report->nerror;
  cfFlexcomp f = {.r = r,
                  .node = node,
                  .body = body,
                  .parent = mjs_getString(mjs_getName(body->element)),
                  .count = {10, 10, 10},
                  .spacing = {0.02, 0.02, 0.02},
                  .scale = {1, 1, 1},
                  .mass = 1,
                  .inertiabox = 0.005,
                  .quat = {1, 0, 0, 0},
                  .flex_start = cfi_newElement(cfi_spec(r->spec), mjOBJ_FLEX),
                  .equality_start = cfi_newElement(cfi_spec(r->spec), mjOBJ_EQUALITY),
                  .body_start = cfi_newElement(cfi_spec(r->spec), mjOBJ_BODY)};
  f.flex = (mjsFlex*)f.flex_start->attr;
  f.plugin = &((mjsBody*)f.body_start->attr)->plugin;
  readFlexLooks(&f);
  readFlexShape(&f);
  readFlexPose(&f);
  readFlexChildren(&f);
  if (r->report->nerror == errors && !makeFlexcomp(&f)) {
    cfi_error(r->report, node, "%s", f.problem);
  }
  cfi_freeElement(f.flex_start);
  cfi_freeElement(f.equality_start);
  cfi_freeElement(f.body_start);
  cfi_freeMember(&f.point, CF_MEMBER_DOUBLEVEC);
  cfi_freeMember(&f.element, CF_MEMBER_INTVEC);
  cfi_freeMember(&f.texcoord, CF_MEMBER_FLOATVEC);
  cfi_freeMember(&f.elemtexcoord, CF_MEMBER_INTVEC);
  cfi_freeMember(&f.pinned, CF_MEMBER_BYTEVEC);
}
