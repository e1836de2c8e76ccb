// From points to a specification: flex, bodies with sliding joints, nodes, equality constraint.
#include "mjcf/flexcomp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"

// names of bodies are cut at this length
enum { NAME_SIZE = 100 };

static void nameElement(cfFlexcomp* f, mjsElement* element, const char* name) {
  cfReader* r = f->r;
  if (cfi_find(cfi_spec(r->spec), element->elemtype, name)) {
    cfi_error(r->report, f->node, "repeated name '%s' in %s", name,
              mju_type2Str(element->elemtype));
    return;
  }
  cfi_setElementName(cfi_element(element), name);
  cfi_setOrigin(r, f->node, element);
}

static void addSlider(mjsBody* body, const double axis[3]) {
  mjsJoint* joint = mjs_addJoint(body, NULL);
  joint->type = mjJNT_SLIDE;
  for (int k = 0; k < 3; k++) {
    joint->pos[k] = 0;
    joint->axis[k] = axis[k];
  }
}

static void addSliders(mjsBody* body) {
  static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; k++) {
    addSlider(body, axes[k]);
  }
}

// away from the origin of the parent; a tiny distance is left as it is
static void addRadialSlider(mjsBody* body) {
  const double* p = body->pos;
  const double square = p[0] * p[0] + p[1] * p[1] + p[2] * p[2], length = sqrt(square);
  const double divisor = square < 1e-14 || fabs(length - 1) <= 1e-14 ? 1 : length;
  addSlider(body, (double[3]){p[0] / divisor, p[1] / divisor, p[2] / divisor});
}

// body with the inertia of a small box
static mjsBody* addPointBody(cfFlexcomp* f, const double pos[3], double mass) {
  mjsBody* body = mjs_addBody(f->body, NULL);
  const double inertia = mass * (2.0 * f->inertiabox * f->inertiabox) / 3.0;
  for (int k = 0; k < 3; k++) {
    body->pos[k] = pos[k];
    body->ipos[k] = 0;
    body->inertia[k] = inertia;
  }
  body->mass = mass;
  body->explicitinertial = 1;
  return body;
}

// sphere by which a point collides
static mjsGeom* addPointGeom(const cfFlexcomp* f, mjsBody* body) {
  mjsGeom* geom = mjs_addGeom(body, NULL);
  geom->type = mjGEOM_SPHERE;
  geom->size[0] = f->flex->radius;
  return geom;
}

// point that moves by itself
static void addMovingPoint(cfFlexcomp* f, int i, double mass, mjStringVec* owners) {
  char name[NAME_SIZE];
  mjsBody* body = addPointBody(f, cfi_doubles(&f->point) + 3 * (size_t)i, mass);
  if (f->flex->vertcollide) {
    addPointGeom(f, body)->group = 4;
  }
  if (f->dof == CF_FLEXDOF_RADIAL) {
    addRadialSlider(body);
  } else {
    addSliders(body);
  }
  snprintf(name, sizeof(name), "%s_%d", f->name, i);
  nameElement(f, body->element, name);
  mjs_appendString(owners, name);
  cfi_sharePlugin(body, f->plugin);
}

static void addPoints(cfFlexcomp* f, mjsFlex* flex) {
  const int npoint = cfi_flexPoints(f);
  const double mass = f->mass / npoint;
  cfi_namePlugin(f->plugin, "flexcomp_", f->name);
  for (int i = 0; i < npoint && f->r->report->nerror == 0; i++) {
    if (cfi_bytes(&f->pinned)[i] || cfi_isInterpolated(f)) {
      mjs_appendString(flex->vertbody, f->parent);
      cfi_sharePlugin(f->body, f->plugin);
      continue;
    }
    addMovingPoint(f, i, mass, flex->vertbody);

    // from now on the point is where its body is
    if (!f->is_centered) {
      memset(cfi_doubles(&f->point) + 3 * (size_t)i, 0, 3 * sizeof(double));
    }
  }
}

//---------------------------------- nodes ---------------------------------------------------------

// share of the mass that a node has: equal for corners, by Simpson's rule for three along an axis
static double nodeMass(const cfFlexcomp* f, const int at[3]) {
  static const double simpson[3] = {1. / 6., 2. / 3., 1. / 6.};
  return f->dof == CF_FLEXDOF_TRILINEAR
             ? f->mass / 8
             : f->mass * simpson[at[0]] * simpson[at[1]] * simpson[at[2]];
}

static void addMovingNode(cfFlexcomp* f, const int at[3], const double pos[3],
                          mjStringVec* owners) {
  char name[NAME_SIZE];
  mjsBody* body = addPointBody(f, pos, nodeMass(f, at));
  if (f->flex->vertcollide) {
    addPointGeom(f, body);
  }
  addSliders(body);
  snprintf(name, sizeof(name), "%s_%d_%d_%d", f->name, at[0], at[1], at[2]);
  nameElement(f, body->element, name);
  mjs_appendString(owners, name);
}

// grid over the box around the points
static void addNodes(cfFlexcomp* f, mjsFlex* flex) {
  enum { MAX_NODES = 27 };
  const int n = cfi_nodesPerAxis(f), nnode = n * n * n;
  const double step = 1.0 / (n - 1);
  double node[3 * MAX_NODES] = {0};
  CF_ASSERT(nnode <= MAX_NODES);
  for (int i = 0; i < nnode && f->r->report->nerror == 0; i++) {
    const int at[3] = {i / (n * n), i / n % n, i % n};
    double pos[3];
    for (int k = 0; k < 3; k++) {
      pos[k] = f->low[k] + at[k] * step * (f->high[k] - f->low[k]);
    }
    if (cfi_bytes(&f->pinned)[i]) {
      memcpy(node + 3 * (size_t)i, pos, sizeof(pos));
      mjs_appendString(flex->nodebody, f->parent);
    } else {
      addMovingNode(f, at, pos, flex->nodebody);
    }
  }
  if (!f->is_centered) {
    mjs_setDouble(flex->node, node, 3 * nnode);
  }
}

//---------------------------------- all of it -----------------------------------------------------

static void addConstraint(cfFlexcomp* f) {
  mjsEquality* equality = mjs_addEquality(f->r->spec, NULL);
  cfi_copyAttributes(cfi_element(equality->element), f->equality_start);
  cfi_setOrigin(f->r, f->node, equality->element);
  equality->type = f->equality == 1 ? mjEQ_FLEX : mjEQ_FLEXVERT;
  equality->active = 1;
  mjs_setString(equality->name1, f->name);
}

void cfi_makeFlexBodies(cfFlexcomp* f) {
  mjsFlex* flex = mjs_addFlex(f->r->spec);
  cfi_copyAttributes(cfi_element(flex->element), f->flex_start);
  cfi_readFlexModels(f->r, f->node, flex->element);
  nameElement(f, flex->element, f->name);
  mjs_setInt(flex->elem, cfi_ints(&f->element), cfi_countInts(&f->element));
  mjs_setFloat(flex->texcoord, cfi_floats(&f->texcoord), cfi_countFloats(&f->texcoord));
  mjs_setInt(flex->elemtexcoord, cfi_ints(&f->elemtexcoord), cfi_countInts(&f->elemtexcoord));
  if (f->is_rigid) {
    mjs_appendString(flex->vertbody, f->parent);
  } else {
    addPoints(f, flex);
    if (cfi_isInterpolated(f)) {
      addNodes(f, flex);
    }
  }
  if (!f->is_centered || cfi_isInterpolated(f)) {
    mjs_setDouble(flex->vert, cfi_doubles(&f->point), cfi_countDoubles(&f->point));
  }
  if (f->equality && !f->is_rigid) {
    addConstraint(f);
  }
}
