// Soft bodies in the making: what a flexcomp element says, and its points and elements.
#ifndef CF_MJCF_FLEXCOMP_H
#define CF_MJCF_FLEXCOMP_H

#include "mjcf/reader.h"

typedef struct {
  cfReader* r;
  const cfNode* node;
  mjsBody* body;       // on which the points hang
  const char* name;    // of the flex, and start of the names of its bodies
  const char* parent;  // name of the body
  const char* file;
  int type, dof, equality;  // CF_FLEXCOMP_, CF_FLEXDOF_, 0: none, 1: edges, 2: vertices
  int count[3];
  double spacing[3], scale[3], origin[3];
  double mass, inertiabox;
  double pos[3], quat[4];
  mjsOrientation alt;
  bool is_rigid;                           // every point belongs to the body itself
  bool is_centered;                        // no point does
  cfElement *flex_start, *equality_start;  // what the flex and its constraint start as
  mjsFlex* flex;                           // attributes of the first of them
  cfElement* body_start;                   // what the plugin of its bodies is kept in
  mjsPlugin* plugin;                       // of that

  // points and what joins them
  cfVec point;             // doubles, 3 per point
  cfVec element;           // ints, dim + 1 per element
  cfVec texcoord;          // floats, 2 per point or as elemtexcoord says
  cfVec elemtexcoord;      // ints
  cfVec pinned;            // bytes, per point or node, whichever are more
  double low[3], high[3];  // box around the points

  char problem[400];  // why nothing can be made, empty while all is well
} cfFlexcomp;

// most points that one flexcomp may have, each of which may become a body with three joints: from a
// mesh, and from a grid, which a few characters ask for
enum { CF_FLEXCOMP_MAX_POINTS = 500000, CF_FLEXCOMP_MAX_GRID = 150000 };

static inline int cfi_flexPoints(const cfFlexcomp* f) {
  return cfi_countDoubles(&f->point) / 3;
}

// are the points moved by the corners of a grid around them instead of having joints of their own
static inline bool cfi_isInterpolated(const cfFlexcomp* f) {
  return f->dof == CF_FLEXDOF_TRILINEAR || f->dof == CF_FLEXDOF_QUADRATIC;
}

// nodes of that grid along an axis, 0 where there is none
static inline int cfi_nodesPerAxis(const cfFlexcomp* f) {
  return f->dof == CF_FLEXDOF_TRILINEAR ? 2 : f->dof == CF_FLEXDOF_QUADRATIC ? 3 : 0;
}

// note why nothing can be made; always false
bool cfi_badFlexcomp(cfFlexcomp* f, const char* format, ...) __attribute__((format(printf, 2, 3)));

// Points and elements by type; false with a problem noted where there are none.
bool cfi_makeFlexGrid(cfFlexcomp* f);   // flexgrid.c: grid, circle, square, disc
bool cfi_makeFlexShell(cfFlexcomp* f);  // flexshell.c: box, cylinder, ellipsoid
bool cfi_loadFlexMesh(cfFlexcomp* f);   // flexmesh.c: surface from a file, filled where dim is 3
bool cfi_loadFlexGmsh(cfFlexcomp* f);   // gmsh.c

// gmsh.c: points and elements of a file in memory
bool cfi_readGmsh(cfFlexcomp* f, const void* data, size_t size);

// flexmesh.c: the file as a resource, NULL with a problem noted
mjResource* cfi_openFlexFile(cfFlexcomp* f);

// flexpin.c: which points and nodes are pinned; rigid and centered follow
bool cfi_checkPinSizes(cfFlexcomp* f);
bool cfi_pinPoints(cfFlexcomp* f);

// flexbodies.c: flex, bodies, joints, geoms and equality constraint
void cfi_makeFlexBodies(cfFlexcomp* f);

#endif  // CF_MJCF_FLEXCOMP_H
