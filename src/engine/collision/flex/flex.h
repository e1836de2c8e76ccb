// Collisions of flexes: with geoms, with each other, with themselves.
#ifndef CF_COLLISION_FLEX_FLEX_H
#define CF_COLLISION_FLEX_FLEX_H

#include <stdbool.h>

#include <mujoco/mujoco.h>

#include "collision/collider.h"
#include "collision/convex/shape.h"
#include "collision/parameters.h"

// ---------------------------------------- the stage

// a body or flex against a flex, both as movers of the broad phase, mover2 a flex
void cfi_collideFlexPair(const mjModel* m, mjData* d, int mover1, int mover2);

// contacts within each flex
void cfi_collideFlexSelf(const mjModel* m, mjData* d);

// ---------------------------------------- pairs, each appends its contacts

// what touches: per side a geom, or a flex with an element or a vertex; -1 elsewhere
typedef struct {
  int geom[2], flex[2], elem[2], vert[2];
} cfContactIds;


// of one flex with something else, or with itself
typedef void cfFlexMeets(const mjModel* m, mjData* d, int other, int f);
typedef void cfFlexAlone(const mjModel* m, mjData* d, int f);

cfFlexMeets cfi_collidePlaneFlex;  // a plane geom and all vertices
cfFlexAlone cfi_collideInsideOut;  // vertices pushed out of the faces opposite to them, tetrahedra

void cfi_collideGeomElem(const mjModel* m, mjData* d, int geom, int f, int e);
void cfi_collideElemVert(const mjModel* m, mjData* d, int f, int e, int v);
void cfi_collideElems(const mjModel* m, mjData* d, int f1, int e1, int f2, int e2);

// room for the contacts of one pair, NULL with a warning where the arena is full
mjContact* cfi_openContacts(mjData* d);

// complete n contacts found in that room, append them, give the rest of the room back
void cfi_closeContacts(mjData* d, mjContact* con, int n, const cfContactIds* ids,
                       const cfContactParameters* p, mjtNum includemargin);

// ---------------------------------------- trees

cfFlexMeets cfi_collideBodyTree;   // a body and a flex
cfFlexMeets cfi_collideFlexTrees;  // two flexes
cfFlexAlone cfi_collideOwnTree;    // a flex and itself
cfFlexAlone cfi_sweepElements;     // the same by a sweep over the boxes of its elements

// ---------------------------------------- shapes

// boxes (center, half sizes) along the axes of the world farther apart than margin
static inline bool cfi_aabbsApart(const mjtNum a[6], const mjtNum b[6], mjtNum margin) {
  for (int k = 0; k < 3; k++) {
    if (a[k] + a[3 + k] + margin < b[k] - b[3 + k] || b[k] + b[3 + k] + margin < a[k] - a[3 + k]) {
      return true;
    }
  }
  return false;
}


// a cube of half size bound around a point against a box
static inline bool cfi_cubeApart(const mjtNum point[3], mjtNum bound, const mjtNum box[6]) {
  for (int k = 0; k < 3; k++) {
    if (point[k] + bound < box[k] - box[3 + k] || point[k] - bound > box[k] + box[3 + k]) {
      return true;
    }
  }
  return false;
}


// tetrahedra below the active layers take no part in self-collision
static inline bool cfi_isActiveElem(const mjModel* m, int f, int e) {
  return m->flex_dim[f] < 3 || m->flex_elemlayer[m->flex_elemadr[f] + e] < m->flex_activelayers[f];
}


// corners of an element, counted within the flex
static inline const int* cfi_elemCorners(const mjModel* m, int f, int e) {
  return m->flex_elem + m->flex_elemdataadr[f] + e * (m->flex_dim[f] + 1);
}


// an element, or a single vertex, as a convex shape: corners inflated by a radius
typedef struct {
  mjtNum corner[4][3];
  mjtNum center[3];
  mjtNum reach;  // radius of the flex and half the margin
  int n;
} cfSoftShape;

cfSoftShape cfi_softElem(const mjModel* m, const mjData* d, int f, int e, mjtNum margin);
cfSoftShape cfi_softVert(const mjModel* m, const mjData* d, int f, int v, mjtNum margin);

// the shape as GJK sees it; it must outlive the result
cfConvex cfi_convexSoft(const mjModel* m, cfSoftShape* s);

// one contact of a geom (a->geom >= 0) or soft shape with a soft shape; is_thin: one of them is a
// surface, whose contacts take the normal of the geom where it is smooth
int cfi_collideSoft(const mjModel* m, mjData* d, mjContact* con, cfConvex* a, cfConvex* b,
                    mjtNum margin, bool is_thin);

// contacts of a height field with an element, at most mjMAXCONPAIR
int cfi_collideHfieldSoft(const mjModel* m, const mjData* d, mjContact* con, int geom,
                          cfSoftShape s, mjtNum margin);

// ---------------------------------------- closed forms

// a triangle with a radius
typedef struct {
  const mjtNum* corner[3];
  mjtNum radius;
} cfTriangle;

enum { CF_MAXCON_BOXTRIANGLE = 11, CF_MAXCON_CAPSULETRIANGLE = 5 };

int cfi_sphereTriangle(mjContact con[1], const mjtNum center[3], mjtNum radius,
                       const cfTriangle* triangle, mjtNum margin);
int cfi_boxTriangle(mjContact con[CF_MAXCON_BOXTRIANGLE], cfGeomView box,
                    const cfTriangle* triangle, mjtNum margin);
int cfi_capsuleTriangle(mjContact con[CF_MAXCON_CAPSULETRIANGLE], cfGeomView capsule,
                        const cfTriangle* triangle, mjtNum margin);

#endif  // CF_COLLISION_FLEX_FLEX_H
