// Cables: a chain of bodies along a curve, joined by ball joints.
#include "mjcf/cable.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "math/libm.h"
#include "spec/orientation.h"

//---------------------------------- curve ---------------------------------------------------------

// vertices along the curve, kept in single precision
static void makeVertices(cfCable* c) {
  if (cfi_countFloats(&c->vertex)) {
    return;
  }
  const int edges = c->count[0] - 1;
  for (int i = 0; i < c->count[0]; i++) {
    double v[3];
    for (int k = 0; k < 3; k++) {
      const double phase = mjPI * i * c->size[2] / edges;
      v[k] = c->curve[k] == SHAPE_LINE  ? i * c->size[0] / edges
             : c->curve[k] == SHAPE_COS ? c->size[1] * cfi_cos(phase)
             : c->curve[k] == SHAPE_SIN ? c->size[1] * cfi_sin(phase)
                                        : 0;
    }
    mju_rotVecQuat(v, v, c->quat);
    float* vertex = (float*)cfi_growVec(&c->vertex, 3, sizeof(float));
    for (int k = 0; k < 3; k++) {
      vertex[k] = (float)v[k];
    }
  }
}

// vector from vertex i to the next one, zero beyond the ends
static void edgeVector(const cfCable* c, int i, double edge[3]) {
  const float* vertex = cfi_floats(&c->vertex);
  const bool is_inside = i >= 0 && i + 1 < c->count[0];
  for (int k = 0; k < 3; k++) {
    edge[k] = is_inside ? vertex[3 * (i + 1) + k] - vertex[3 * i + k] : 0;
  }
}

// orientation of edge i: x along it, the normal carried on without twist
static void moveFrame(const cfCable* c, int i, double quat[4], double normal[3]) {
  CF_ASSERT(i >= 0);
  double tangent[3], before[3], after[3], binormal[3];
  edgeVector(c, i, tangent);
  edgeVector(c, i - 1, before);
  edgeVector(c, i + 1, after);
  cfi_unit(tangent, 3);
  cfi_unit(before, 3);
  cfi_unit(after, 3);
  if (i == 0) {
    mju_cross(binormal, tangent, after);
    cfi_unit(binormal, 3);
    mju_cross(normal, binormal, tangent);
    cfi_unit(normal, 3);
  } else {
    double turn[4];
    mju_cross(binormal, before, tangent);
    const double sine = cfi_unit(binormal, 3);
    mju_axisAngle2Quat(turn, binormal, cfi_atan2(sine, mju_dot3(before, tangent)));
    mju_rotVecQuat(normal, normal, turn);
    cfi_unit(normal, 3);
    mju_cross(binormal, tangent, normal);
    cfi_unit(binormal, 3);
  }
  cfi_quatFromAxes(quat, tangent, normal, binormal);
}

//---------------------------------- elements ------------------------------------------------------

void cfi_cablePartName(const cfCable* c, const char* kind, int i, char* name, size_t size) {
  const int last = c->count[0] - 2;
  if (i == 0 || i > last) {
    snprintf(name, size, "%s%s_first", c->prefix, kind);
  } else if (i == last) {
    snprintf(name, size, "%s%s_last", c->prefix, kind);
  } else {
    snprintf(name, size, "%s%s_%d", c->prefix, kind, i);
  }
}

void cfi_nameCableElement(cfCable* c, mjsElement* element, const char* name) {
  if (cfi_find(cfi_spec(c->r->spec), element->elemtype, name)) {
    cfi_error(c->r->report, c->node, "repeated name '%s' in %s", name,
              mju_type2Str(element->elemtype));
    return;
  }
  cfi_setElementName(cfi_element(element), name);
  cfi_setOrigin(c->r, c->node, element);
}

static void addCableGeom(cfCable* c, mjsBody* body, int i, double length) {
  CF_ASSERT(body && i >= 0);
  char name[300];
  mjsGeom* geom = mjs_addGeom(body, NULL);
  cfi_copyAttributes(cfi_element(geom->element), c->geom);
  snprintf(name, sizeof(name), "%sG%d", c->prefix, i);
  cfi_nameCableElement(c, geom->element, name);
  if (geom->type == mjGEOM_BOX) {
    geom->pos[0] = geom->size[0] = length / 2;
    geom->pos[1] = geom->pos[2] = 0;
  } else {
    memset(geom->fromto, 0, sizeof(geom->fromto));
    geom->fromto[3] = length;
  }
}

static void addCableJoint(cfCable* c, mjsBody* body, int i) {
  char name[300];
  if (i == 0 && strcmp(c->initial, "none") == 0) {
    return;
  }
  mjsJoint* joint = mjs_addJoint(body, NULL);
  cfi_copyAttributes(cfi_element(joint->element), c->joint);
  joint->type = mjJNT_BALL;
  if (i == 0 && strcmp(c->initial, "free") == 0) {
    joint->type = mjJNT_FREE;
    joint->damping = joint->armature = joint->frictionloss = 0;
  }
  cfi_cablePartName(c, "J", i, name, sizeof(name));
  cfi_nameCableElement(c, joint->element, name);
}

static void addEndSite(cfCable* c, mjsBody* body, int i, double length) {
  char name[300];
  const bool is_last = i == c->count[0] - 2;
  if (i > 0 && !is_last) {
    return;
  }
  mjsSite* site = mjs_addSite(body, NULL);
  cfi_copyAttributes(cfi_element(site->element), c->site);
  cfi_cablePartName(c, "S", i, name, sizeof(name));
  cfi_nameCableElement(c, site->element, name);
  site->pos[0] = is_last ? length : 0;
  site->pos[1] = site->pos[2] = 0;
  site->quat[0] = 1;
  site->quat[1] = site->quat[2] = site->quat[3] = 0;
}

static void addExclusion(cfCable* c, int i) {
  CF_ASSERT(i >= 0);
  char name[300];
  if (i == c->count[0] - 2) {
    return;
  }
  mjsExclude* exclude = mjs_addExclude(c->r->spec);
  cfi_cablePartName(c, "B", i, name, sizeof(name));
  mjs_setString(exclude->bodyname1, name);

  // MuJoCo calls the second body by number even where it is the last one, and then does not find it
  if (i == 0) {
    snprintf(name, sizeof(name), "%sB_1", c->prefix);
  } else {
    cfi_cablePartName(c, "B", i + 1, name, sizeof(name));
  }
  mjs_setString(exclude->bodyname2, name);
}

// pose of body i in the one before it; the first one stands in the parent
static void placeBody(cfCable* c, mjsBody* body, int i, const double quat[4],
                      const double before[4]) {
  CF_ASSERT(body && i >= 0);
  if (i == 0) {
    for (int k = 0; k < 3; k++) {
      body->pos[k] = c->offset[k] + cfi_floats(&c->vertex)[k];
    }
    memcpy(body->quat, quat, sizeof(body->quat));
    mjs_setFrame(body->element, c->frame);
    return;
  }
  double edge[3], inverse[4];
  edgeVector(c, i - 1, edge);
  body->pos[0] = cfi_unit(edge, 3);
  mju_negQuat(inverse, before);
  mju_mulQuat(body->quat, inverse, quat);
}

static void makeChain(cfCable* c, mjsBody* body) {
  double normal[3] = {0, 1, 0}, before[4] = {1, 0, 0, 0};
  char name[300];
  for (int i = 0; i < c->count[0] - 1 && c->r->report->nerror == 0; i++) {
    double quat[4], edge[3];
    moveFrame(c, i, quat, normal);
    edgeVector(c, i, edge);
    const double length = sqrt(mju_dot3(edge, edge));

    body = mjs_addBody(body, NULL);
    cfi_cablePartName(c, "B", i, name, sizeof(name));
    cfi_nameCableElement(c, body->element, name);
    placeBody(c, body, i, quat, before);
    memcpy(before, quat, sizeof(before));
    addCableGeom(c, body, i, length);
    cfi_sharePlugin(body, &c->plugin);
    addCableJoint(c, body, i);
    addExclusion(c, i);
    addEndSite(c, body, i, length);
  }
}

//---------------------------------- all of it -----------------------------------------------------

void cfi_makeCable(cfCable* c, mjsBody* body) {
  char name[300];
  mjsText* text = mjs_addText(c->r->spec);
  snprintf(name, sizeof(name), "composite_%s", c->prefix);
  cfi_nameCableElement(c, text->element, name);
  snprintf(name, sizeof(name), "rope_%s", c->prefix);
  mjs_setString(text->data, name);
  makeVertices(c);
  makeChain(c, body);
  cfi_makeCableSkin(c);
}
